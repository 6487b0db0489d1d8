"""Envelope encryption: what is sealed opens only where it was sealed for, and the master key can be replaced."""

import base64
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ficha.core.crypto import Keyring, MasterKeyMissing, Tampered, new_key, seal, unseal
from ficha.core.key_rotation import count_stale, next_key, rewrap, switch_to
from ficha.core.key_sources import BadKeys, KeysInEnvironment, add_key, create_key_file, drop_keys
from ficha.fmd.records import Record
from tests.world import Person, World

KEY = new_key()


@given(st.binary(max_size=2000), st.text(max_size=50))
def test_what_is_sealed_opens_again(plain: bytes, bound_to: str) -> None:
    assert unseal(KEY, seal(KEY, plain, bound_to), bound_to) == plain


@given(st.binary(max_size=100), st.integers(min_value=0), st.integers(min_value=1, max_value=255))
def test_a_changed_bit_is_noticed(plain: bytes, at: int, change: int) -> None:
    sealed = bytearray(seal(KEY, plain, "here"))
    sealed[at % len(sealed)] ^= change
    with pytest.raises(Tampered):
        unseal(KEY, bytes(sealed), "here")


@pytest.mark.parametrize("sealed", [b"", b"short", bytes(12), bytes(40)])
def test_rubbish_is_noticed(sealed: bytes) -> None:
    with pytest.raises(Tampered):
        unseal(KEY, sealed, "here")


def test_it_opens_nowhere_else_and_with_no_other_key() -> None:
    sealed = seal(KEY, b"grave", "record:1")
    for key, bound_to in ((KEY, "record:2"), (new_key(), "record:1")):
        with pytest.raises(Tampered):
            unseal(key, sealed, bound_to)


def test_the_same_text_never_looks_the_same() -> None:
    assert seal(KEY, b"grave", "here") != seal(KEY, b"grave", "here")


@pytest.fixture
def key_file(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "keys" / "keys.json"


def test_the_key_file_is_made_once_and_for_its_owner_only(key_file: Path) -> None:
    first = Keyring.from_file(key_file)
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    assert Keyring.from_file(key_file).current == first.current


def test_processes_that_start_together_agree_on_one_key(key_file: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        rings = list(pool.map(lambda _: Keyring.from_file(key_file).current, range(16)))
    assert len(set(rings)) == 1
    assert [file.name for file in key_file.parent.iterdir()] == ["keys.json"]


def test_a_key_file_that_others_can_read_is_refused(key_file: Path) -> None:
    create_key_file(key_file, made_for="development")
    key_file.chmod(0o644)
    with pytest.raises(BadKeys, match="chmod 600"):
        Keyring.from_file(key_file)


def test_production_wants_a_key_of_its_own(key_file: Path) -> None:
    with pytest.raises(BadKeys, match="ficha keys create"):
        Keyring.from_file(key_file, in_production=True)
    create_key_file(key_file, made_for="development")
    with pytest.raises(BadKeys, match="made in development"):
        Keyring.from_file(key_file, in_production=True)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"keys": []}', '{"keys": [{"id": "a", "key": "eA=="}]}'])
def test_a_damaged_key_file_is_named(key_file: Path, content: str) -> None:
    create_key_file(key_file, made_for="development")
    key_file.write_text(content)
    with pytest.raises(BadKeys):
        Keyring.from_file(key_file)


def test_keys_can_come_from_the_environment_newest_first() -> None:
    old, new = (base64.b64encode(new_key()).decode() for _ in range(2))
    wrapped = Keyring(KeysInEnvironment(f"k1:{old}")).wrap(b"data key", "here")
    ring = Keyring(KeysInEnvironment(f"k2:{new}, k1:{old}"))
    assert ring.current == "k2" and ring.unwrap(wrapped, "here") == b"data key"
    with pytest.raises(MasterKeyMissing):
        Keyring(KeysInEnvironment(f"k2:{new}")).unwrap(wrapped, "here")


@pytest.mark.parametrize("text", ["solo", "a:%%%", "a:eA==", ",", ":"])
def test_a_bad_key_in_the_environment_is_refused(text: str) -> None:
    with pytest.raises(BadKeys):
        Keyring(KeysInEnvironment(text))


def test_a_running_process_learns_of_a_new_key(key_file: Path) -> None:
    running = Keyring.from_file(key_file)
    old = running.current
    new = add_key(key_file)
    assert running.current == new != old
    elsewhere = Keyring.from_file(key_file).wrap(b"data key", "here")
    assert running.unwrap(elsewhere, "here") == b"data key"
    drop_keys(key_file, {old})
    assert running.ids == [new]


def test_rotation_wraps_everything_again_while_people_register(world: World, ana: Person) -> None:
    keyring = world.parts.keyring
    people = [ana, *(world.register() for _ in range(5))]

    def key_of(person: Person) -> bytes:
        with world.parts.database.reading() as tx:
            return tx.orm.get_one(Record, person.data["attributes"]["fmd_code"]).open_key(keyring)

    before = [key_of(person) for person in people]
    assert keyring.file is not None
    old, now = keyring.current, world.clock.now()
    new = next_key(world.parts.database, keyring, now)
    assert keyring.ids == [new, old] and keyring.current == old, "it is announced"
    assert not switch_to(world.parts.database, keyring, new, now) and keyring.current == new
    assert count_stale(world.parts.database, keyring) == 7  # Six records and the root secret.
    with ThreadPoolExecutor(3) as pool:
        newcomers = pool.map(lambda _: world.register(), range(6))
        done: list[int] = []
        rewrap(world.parts.database, keyring, done.append)
        people_after = list(newcomers)
    assert sum(done) == 7 and count_stale(world.parts.database, keyring) == 0
    drop_keys(keyring.file, {old})
    assert [key_of(person) for person in people] == before
    assert all(key_of(person) for person in people_after)
    assert keyring.ids == [new]
