"""The `ficha` command, as an operator types it."""

import json
from pathlib import Path

import pytest

from ficha.core.crypto import Keyring
from ficha.core.master_keys import keys_to_tell
from ficha.core.settings import Settings
from ficha.jobs.queue import count_waiting, put
from ficha.messaging.notifications import seal_notification, store_notifications
from tests.processes import environment, ficha
from tests.world import CLAVE, Person, World, build_world


@pytest.fixture
def env(world: World) -> dict[str, str]:
    settings: Settings = world.parts.settings
    return environment(settings.database, settings.data_dir)


def test_an_administrator_is_made_and_can_log_in(world: World, env: dict[str, str]) -> None:
    answer = ficha("admin", "create", "--correo", "jefa@ejemplo.com", "--clave", CLAVE, env=env)
    assert "admin" in answer.stderr
    me = Person(world.client, {}, world.login("jefa@ejemplo.com").json()["data"]).get("/v2/auth/me").json()
    assert me["data"]["attributes"]["roles"] == ["owner", "admin"]
    again = ficha("admin", "create", "--correo", "jefa@ejemplo.com", "--clave", CLAVE, env=env, check=False)
    assert again.returncode == 1 and "correo" in again.stderr


@pytest.mark.parametrize(
    "words", [("--correo", "x", "--clave", CLAVE), ("--correo", "a@ejemplo.com", "--clave", "corta")]
)
def test_a_bad_administrator_is_refused_with_a_sentence(
    world: World, env: dict[str, str], words: tuple[str, ...]
) -> None:
    answer = ficha("admin", "create", *words, env=env, check=False)
    assert answer.returncode == 1 and "Traceback" not in answer.stderr
    assert world.rows()["accounts"] == 0


def test_keys_rotate_while_a_service_runs(world: World, ana: Person, env: dict[str, str]) -> None:
    running = world.parts.keyring
    old = running.current
    ficha("keys", "rotate", env=env)
    keys_to_tell(world.parts.database, running)  # As every few seconds, beside the heartbeat.
    assert running.current != old
    assert ana.post("/v2/email/request-code").status_code == 200
    refused = ficha("keys", "create", env=env, check=False)
    assert refused.returncode == 1
    ficha("keys", "drop", env=env)
    keys_to_tell(world.parts.database, running)
    assert old not in running.ids
    started_anew = build_world(world.parts.settings)
    assert started_anew.client.get("/v2/auth/me", headers=ana.headers).status_code == 200
    started_anew.close()


def test_keys_for_production_are_made_on_purpose(tmp_path: Path) -> None:
    env = environment("", tmp_path, FICHA_ENV="production")
    ficha("keys", "create", env=env)
    assert Keyring.from_file(tmp_path / "keys.json", in_production=True).ids


def test_dead_letters_are_listed_retried_and_discarded(world: World, ana: Person, env: dict[str, str]) -> None:
    with world.parts.database.writing() as tx:
        put(tx, "no.such.kind", {})
    world.run_jobs()
    listed = ficha("jobs", "list", env=env).stdout
    assert "no.such.kind" in listed
    assert "1 job" in ficha("jobs", "retry", "--all", env=env).stderr
    with world.parts.database.reading() as tx:
        assert count_waiting(tx) == {"no.such.kind": 1}
    assert ficha("jobs", "discard", "99999", env=env, check=False).returncode == 1


def test_notifications_that_nobody_understood_are_listed(world: World, env: dict[str, str]) -> None:
    body = b'{"field": "telepathy", "value": {"thought": "?"}}'
    with world.parts.database.writing() as tx:
        store_notifications(tx, [seal_notification(world.parts.secrets, body, world.clock.now())])
    world.run_jobs()
    [row] = json.loads(ficha("messages", "notifications", "--json", env=env).stdout)
    assert (row["kind"], row["state"]) == ("telepathy", "kept")
    assert "telepathy" in ficha("messages", "notifications", env=env).stdout


def test_settings_are_printed_with_their_secrets_masked(tmp_path: Path) -> None:
    env = environment("", tmp_path, FICHA_SMTP_URL="smtp://ana:secreta@mail.example")
    printed = ficha("settings", "--json", env=env).stdout
    assert "secreta" not in printed
    rows = {row["variable"]: row for row in json.loads(printed)}
    assert rows["FICHA_SMTP_URL"]["value"] == "••••" and rows["FICHA_PORT"]["help"]
    assert "secreta" not in ficha("settings", env=env).stdout


def test_codes_are_issued_for_printing(world: World, env: dict[str, str]) -> None:
    lines = ficha("codes", "create", "--count", "5", env=env).stdout.splitlines()
    issued = dict(line.split("\t") for line in lines)
    assert len(issued) == 5
    for code, link in issued.items():
        assert f"/E/{code}/" in link and link == link.upper()
    first = next(iter(issued))
    assert world.register(product_code=first).data["attributes"]["product_codes"] == [first]


def test_migrate_can_be_run_again(world: World, env: dict[str, str]) -> None:
    assert "up to date" in ficha("migrate", env=env).stderr


def test_the_demo_people_fit_a_terminal_and_no_address_is_cut(world: World, env: dict[str, str]) -> None:
    lines = ficha("demo", env=env | {"COLUMNS": "80"}).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    for person in json.loads(ficha("demo", "--json", env=env).stdout):
        assert f"  {person['responder_url']}" in lines
        assert any(person["correo"] in line and person["nombre"] in line for line in lines)
        assert any(all(code in line for code in person["codes"]) for line in lines)


def test_every_command_explains_itself_with_an_example(tmp_path: Path) -> None:
    env = environment("", tmp_path)
    for words in ("serve", "worker", "migrate", "demo", "keys rotate", "jobs retry", "admin create"):
        assert "Example" in ficha(*words.split(), "--help", env=env).stdout, words


@pytest.mark.parametrize(
    "words",
    [
        ("jobs", "list"),
        ("messages", "notifications"),
        ("jobs", "retry", "42"),
        ("jobs", "discard", "42"),
        ("audit", "verify"),
        ("audit", "verify", "--record", "1"),
        ("admin", "create", "--correo", "a@ejemplo.com", "--clave", CLAVE),
        ("codes", "create", "--count", "3"),
        ("keys", "rotate"),
        ("keys", "drop"),
        ("worker",),
        ("backup",),
        ("backup", "drill"),
    ],
)
def test_without_a_database_a_command_says_what_to_run(tmp_path: Path, words: tuple[str, ...]) -> None:
    answer = ficha(*words, env=environment("", tmp_path / "data"), check=False)
    assert answer.returncode == 2, answer.stderr
    assert "ficha migrate" in answer.stderr and len(answer.stderr.splitlines()) == 1
    assert not (tmp_path / "data" / "ficha.db").exists()


def test_what_is_not_there_is_an_error(world: World, env: dict[str, str]) -> None:
    for words in (("jobs", "retry", "42"), ("jobs", "discard", "42"), ("audit", "verify", "--record", "1")):
        answer = ficha(*words, env=env, check=False)
        assert answer.returncode == 1 and "Traceback" not in answer.stderr
        assert " no " in answer.stderr
