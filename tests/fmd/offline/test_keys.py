"""The keys that sign stickers: made once, replaced without a gap, published for as long as a sticker may hang."""

import base64
from datetime import timedelta

import pytest

from ficha.core.crypto import Keyring, new_key
from ficha.core.db import Database
from ficha.core.key_rotation import count_stale, rewrap
from ficha.core.key_sources import KeysInEnvironment
from ficha.fmd.offline.keys import (
    LEAD,
    add_signing_key,
    forget_signing_key,
    public_key_set,
    signing_key,
    signing_keys,
)
from ficha.fmd.offline.packing import KeyUnknown, pack, unpack
from tests.fmd.documents import NOW


def entry(name: str) -> str:
    return f"{name}:{base64.b64encode(new_key()).decode()}"


OLD = entry("old")
KEYRING = Keyring(KeysInEnvironment(OLD))


def test_the_first_use_makes_a_key_and_later_ones_find_it(database: Database) -> None:
    with database.writing() as tx:
        first = signing_key(tx, KEYRING, NOW)
    with database.reading() as tx:
        again = signing_key(tx, KEYRING, NOW + timedelta(days=400))
        assert [key.id for key in signing_keys(tx, KEYRING)] == [first.id]
    assert again.id == first.id and again.public == first.public


def test_a_new_key_is_published_before_it_signs_and_the_old_one_stays_published(database: Database) -> None:
    with database.writing() as tx:
        first = signing_key(tx, KEYRING, NOW)
    changed = NOW + timedelta(days=100)
    with database.writing() as tx:
        second = add_signing_key(tx, KEYRING, changed)
    with database.reading() as tx:
        assert signing_key(tx, KEYRING, changed).id == first.id
        assert signing_key(tx, KEYRING, changed + LEAD - timedelta(seconds=1)).id == first.id
        assert signing_key(tx, KEYRING, changed + LEAD).id == second.id
        keys = public_key_set(signing_keys(tx, KEYRING))["keys"]
    assert [key["kid"] for key in keys] == [first.id, second.id]
    assert all(set(key) == {"kty", "crv", "x", "y", "kid", "alg", "use"} for key in keys)  # No private number.


def test_a_stolen_key_can_be_forgotten(database: Database) -> None:
    with database.writing() as tx:
        stolen = signing_key(tx, KEYRING, NOW)
        sticker = pack("K7M2QX20261115\n", stolen)
        forget_signing_key(tx, stolen.id)
    with database.writing() as tx:
        fresh = signing_key(tx, KEYRING, NOW)
        known = {key.id: key.public for key in signing_keys(tx, KEYRING)}
    assert list(known) == [fresh.id] != [stolen.id]
    with pytest.raises(KeyUnknown):
        unpack(sticker, known)


def test_signing_keys_outlive_the_master_key(database: Database) -> None:
    with database.writing() as tx:
        sticker = pack("K7M2QX20261115\n", signing_key(tx, KEYRING, NOW))
    new = entry("new")
    rewrap(database, Keyring(KeysInEnvironment(f"{new},{OLD}")), lambda _count: None)
    alone = Keyring(KeysInEnvironment(new))
    assert count_stale(database, alone) == 0
    with database.reading() as tx:
        known = {key.id: key.public for key in signing_keys(tx, alone)}
    assert unpack(sticker, known) == "K7M2QX20261115\n"
