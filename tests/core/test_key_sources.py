"""Where master keys come from: a file that others may replace, the environment, or a command that prints them."""

import base64
import shlex
import sys
import time
from pathlib import Path

import psutil
import pytest
from structlog.testing import capture_logs

from ficha.core.crypto import Keyring, MasterKeyMissing, Wrapped, keyring_of, new_key
from ficha.core.key_sources import BadKeys, KeyCommand, KeyFile, KeysInEnvironment, add_key, create_key_file
from tests.waiting import eventually
from tests.world import settings_for

OLD, NEW = (base64.b64encode(new_key()).decode() for _ in range(2))


def python(script: str) -> str:
    return shlex.join([sys.executable, "-c", script])


def test_a_command_prints_the_keys_newest_first(tmp_path: Path) -> None:
    printed = tmp_path / "printed"
    printed.write_text(f"k2:{NEW}\nk1:{OLD}\n")
    settings = settings_for("", tmp_path, master_keys_command=f"cat {shlex.quote(str(printed))}")
    keyring = keyring_of(settings)
    assert keyring.ids == ["k2", "k1"] and keyring.file is None
    assert str(printed) not in repr(settings), "a command may carry a token"


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("/no/such/program", "cannot be started: No such file"),
        ("'", "cannot be started"),
        (python("import sys; print('k1:hidden'); sys.exit('hidden')"), "ended with exit code 1"),
        (python("print('k1:hidden')"), "number 1 .* is not base64"),
        (python("print('hidden')"), "Number 1 is none"),
        (python("pass"), "holds no key"),
        (python("import sys; sys.stdout.buffer.write(b'\\xff')"), "is not text"),
    ],
)
def test_a_command_that_fails_is_a_sentence_without_its_output(command: str, sentence: str) -> None:
    with pytest.raises(BadKeys, match=sentence) as fault:
        KeyCommand(command, 60).load()
    assert "hidden" not in str(fault.value) and "FICHA_MASTER_KEYS_COMMAND" in str(fault.value)


def test_a_command_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    number = tmp_path / "child"
    child = f"import subprocess, pathlib; p = subprocess.Popen(['sleep', '600']); pathlib.Path({str(number)!r})"
    command = python(f"{child}.write_text(str(p.pid)); p.wait()")
    with pytest.raises(BadKeys, match="did not end within 3 seconds"):
        KeyCommand(command, 3).load()
    eventually(lambda: not number.exists() or is_gone(int(number.read_text())))


def is_gone(pid: int) -> bool:
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_two_places_are_one_too_many(tmp_path: Path) -> None:
    with pytest.raises(BadKeys, match="both set"):
        keyring_of(settings_for("", tmp_path, master_keys=f"k1:{OLD}", master_keys_command="true"))


def test_an_id_that_comes_twice_is_refused() -> None:
    with pytest.raises(BadKeys, match="number 2 twice"):
        Keyring(KeysInEnvironment(f"k1:{OLD},k1:{NEW}"))


def test_an_unknown_key_is_fetched_again_beside_whoever_needs_it(tmp_path: Path) -> None:
    printed, busy = tmp_path / "printed", tmp_path / "busy"
    printed.write_text(f"k1:{OLD}")
    print_keys = f"while [ -e {shlex.quote(str(busy))} ]; do sleep 0.02; done; cat {shlex.quote(str(printed))}"
    keyring = Keyring(KeyCommand(shlex.join(["sh", "-c", print_keys]), 60))
    wrapped = Keyring(KeysInEnvironment(f"k2:{NEW}")).wrap(b"data key", "here")
    printed.write_text(f"k2:{NEW},k1:{OLD}")
    busy.touch()
    begun = time.monotonic()
    with pytest.raises(MasterKeyMissing):
        keyring.unwrap(wrapped, "here")
    assert time.monotonic() - begun < 30, "it did not wait for the command"
    busy.unlink()
    eventually(lambda: "k2" in keyring.ids)
    assert keyring.unwrap(wrapped, "here") == b"data key"


def test_a_file_that_is_half_copied_changes_nothing_until_it_is_whole(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    create_key_file(file, made_for="development")
    keyring = Keyring(KeyFile(file))
    old = keyring.ids
    new = add_key(file)
    whole = file.read_text()
    with capture_logs() as lines:
        for broken in (whole[:40], "", whole[:-3]):
            file.write_text(broken)
            assert keyring.ids == old
        file.unlink()
        assert keyring.ids == old and keyring.ids == old
        with pytest.raises(MasterKeyMissing):
            keyring.unwrap(Wrapped(new, b"anything"), "here")
    assert [line["event"] for line in lines] == ["keys.not_read"] * 2, "each reason once"
    file.write_text(whole)
    file.chmod(0o644)
    with capture_logs() as lines:
        assert keyring.ids == old
    assert "chmod 600" in lines[0]["why"]
    file.chmod(0o600)
    assert keyring.ids == [new, *old]
