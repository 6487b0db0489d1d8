"""The master key is replaced while real servers run, as docs/keys.md says: on one machine, on two, by a command."""

import base64
import json
import re
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from ficha.core.clock import SystemClock
from ficha.core.crypto import Keyring, new_key
from ficha.core.db import Database
from ficha.core.key_rotation import next_key, switch_to
from tests.processes import Server, environment, ficha
from tests.waiting import eventually
from tests.world import registration

KEYS = Path(__file__).parents[2] / "docs" / "keys.md"
PLACE = "/var/lib/ficha/keys.json"

pytestmark = pytest.mark.slow


def commands_under(heading: str) -> list[str]:
    """The lines of the first block of commands in that chapter."""
    chapter = KEYS.read_text().partition(f"\n## {heading}\n")[2]
    block = re.search(r"```sh\n(.*?)```", chapter, re.DOTALL)
    assert block is not None
    return block[1].splitlines()


def register(server: Server) -> tuple[str, str]:
    """Somebody new: the token, and where the record is read."""
    answer = server.post("/v2/auth/register", registration())
    assert answer.status_code == 201, answer.text
    found = answer.json()["data"]["attributes"]
    return found["token"], f"/v2/fmd/{found['product_codes'][0]}"


def statuses(servers: Sequence[Server], people: Sequence[tuple[str, str]]) -> set[int]:
    return {server.get(path, token).status_code for server in servers for token, path in people}


def keys_of(env: dict[str, str]) -> dict[str, tuple[str, int]]:
    rows = json.loads(ficha("keys", "status", "--json", env=env, check=False).stdout)
    return {row["key"]: (row["state"], row["data_keys"]) for row in rows}


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_two_machines_get_a_new_key_by_the_documented_commands(database_url: str, tmp_path: Path) -> None:
    files = {name: tmp_path / name / "data" / "keys.json" for name in ("a", "b")}
    Keyring.from_file(files["a"])
    files["b"].parent.mkdir(parents=True)
    shutil.copy2(files["a"], files["b"])
    announce, copy, status, rotate = commands_under("Several machines")
    with Server(database_url, files["a"].parent) as a, Server(database_url, files["b"].parent) as b:
        servers, people = (a, b), [register(a), register(b)]

        def type_on_a(command: str, *more: str, check: bool = True) -> tuple[int, str]:
            program, *words = shlex.split(command)
            assert program == "ficha"
            ended = ficha(*words, *more, env=a.env | {"COLUMNS": "200"}, check=check)
            return ended.returncode, ended.stdout + ended.stderr

        assert "is announced" in type_on_a(announce)[1]
        [new, old] = keys_of(a.env)
        eventually(lambda: names(b, type_on_a(status, check=False)))
        # Somebody is in a hurry: b does not have it.
        refused = type_on_a(rotate, "--wait", "0", check=False)
        assert names(b, refused) and "Nothing was wrapped" in refused[1]
        people += [register(server) for server in servers]
        assert keys_of(a.env) == {new: ("announced", 0), old: ("wraps", len(people) + 1)}, "and the root"
        assert statuses(servers, people) == {200}

        program, *words, source, target = shlex.split(copy)
        assert (program, words, source, target) == ("scp", ["-p"], PLACE, f"b:{PLACE}")
        shutil.copy2(files["a"], files["b"])
        assert "Done" in type_on_a(rotate)[1]
        assert type_on_a(status)[0] == 0
        people += [register(server) for server in servers]
        assert statuses(servers, people) == {200}
        assert keys_of(a.env) == {new: ("wraps", len(people) + 1), old: ("replaced", 0)}
        assert {server.get("/health/ready").status_code for server in servers} == {200}
        assert "falta_clave_maestra" not in a.log + b.log and '"status": 500' not in a.log + b.log

    # A machine that slept through it does not serve without the key.
    files["c"] = tmp_path / "c" / "data" / "keys.json"
    Keyring.from_file(files["c"])
    ended = ficha("serve", "--no-sandbox", env=environment(database_url, files["c"].parent), check=False)
    assert ended.returncode == 2 and f"under master key {new}" in ended.stderr


def names(server: Server, ended: tuple[int, str]) -> bool:
    """Whether a command was refused, and named a process of this server."""
    code, said = ended
    return code == 1 and any(f":{process.pid}:" in said for process in server.family())


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_running_server_fetches_a_new_key_by_its_command(database_url: str, tmp_path: Path) -> None:
    old, new = (f"{name}:{base64.b64encode(new_key()).decode()}" for name in ("k1", "k2"))
    vault = tmp_path / "vault"
    vault.write_text(old)
    with Server(database_url, tmp_path / "data", FICHA_MASTER_KEYS_COMMAND=f"cat {shlex.quote(str(vault))}") as server:
        people = [register(server)]
        refused = ficha("keys", "rotate", env=server.env, check=False)
        assert refused.returncode == 1 and "has no new key in front" in " ".join(refused.stderr.split())
        vault.write_text(f"{new}\n{old}\n")
        assert "Done" in ficha("keys", "rotate", env=server.env).stderr
        people.append(register(server))
        assert statuses([server], people) == {200}
        assert keys_of(server.env) == {"k2": ("wraps", 3), "k1": ("replaced", 0)}
        assert "k1" in ficha("keys", "drop", env=server.env).stderr
        vault.write_text(new)
        assert statuses([server], people) == {200}
        assert not any(key.partition(":")[2] in server.log for key in (old, new))


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_on_one_machine_the_documented_commands_are_two_and_can_be_interrupted(
    database_url: str, tmp_path: Path
) -> None:
    env = environment(database_url, tmp_path / "data")
    ficha("codes", "create", "--count", "2", env=env)  # So that there are data keys.
    [first] = keys_of(env)
    rotate, drop = commands_under("One machine")
    # Interrupted after the announcement: it goes on with that key.
    announced = ficha("keys", "announce", env=env).stderr.split()[2]
    assert f"New master key {announced}." in ficha(*rotate.split()[1:], env=env).stderr
    assert keys_of(env) == {announced: ("wraps", 2), first: ("replaced", 0)}
    assert "Forgot 0" in ficha(*drop.split()[1:], env=env).stderr, "it was replaced just now"
    assert "Forgot 1" in ficha("keys", "drop", env=env).stderr
    # Withdrawn, it is gone from the file as well.
    seen = ficha("keys", "announce", env=env).stderr.split()[2]
    assert "Forgot 0" in ficha("keys", "drop", env=env).stderr, "neither what wraps nor what is announced"
    ficha("keys", "withdraw", seen, env=env)
    assert ficha("keys", "withdraw", announced, env=env, check=False).returncode == 1
    assert list(keys_of(env)) == [announced] and seen not in (tmp_path / "data" / "keys.json").read_text()
    # Killed when the next one wraps and nothing is wrapped again yet.
    database, keyring = Database(database_url), Keyring.from_file(tmp_path / "data" / "keys.json")
    now = SystemClock().now()
    third = next_key(database, keyring, now)
    assert switch_to(database, keyring, third, now) == []
    database.close()
    assert f"Going on with the rotation to {third}" in ficha(*rotate.split()[1:], env=env).stderr
    assert keys_of(env) == {third: ("wraps", 2), announced: ("replaced", 0)}
    assert (tmp_path / "data" / "keys.json").stat().st_mode & 0o777 == 0o600
