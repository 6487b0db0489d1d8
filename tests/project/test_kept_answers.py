"""What an Idempotency-Key brings again: of every operation, to whoever may ask for what is not his."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from ficha.api.catalog import catalogue
from ficha.api.operations import NO_KEYS, OperationRow
from ficha.describe import default_settings
from ficha.http.kept_answers import KeptAnswer
from ficha.sandbox.server import Sandbox
from tests.project.caller_table import ATTEMPTS
from tests.project.matrix_people import SETTINGS, MatrixPeople, give_access, people_around
from tests.project.test_callers import printed_code
from tests.world import World, build_world, settings_for

ROWS = [row for row in catalogue(default_settings(Path("data"))) if row.method == "POST" and row.callers not in NO_KEYS]
# A record's own, asked for by its guardian.
ABOUT_RECORDS = {
    *("Grant access", "Create health link", "Import into record", "New tag", "Product lost", "Retire product"),
    *("Print sticker", "Issue carnet", "Revoke carnet"),
}
# Done for the caller alone, or about nobody.
ABOUT_THE_CALLER = {
    *("Register", "Login", "Local: Login", "Test register", "Logout", "Local: Logout", "Renew token", "Open record"),
    *("Phone verification: request", "Email operations: request", "Email operations: test", "Forgot clave"),
    *("Push subscription", "Push test", "Subscribe", "Register event webhook", "Rotate event webhook secret"),
    *("Claim product", "Generators: codes", "Ship code", "Void code", "Institution user", "Inbox", "Create Contact"),
    *("Template message sending", "Send Location Message", "Send text message", "Send media message"),
    "Resumable upload: start",
    # An alert is raised again for whoever has no answer, and tells nothing of the person.
    "Create emergency",
}

WHO = ("guardian", "institution", "staff", "admin")


@pytest.fixture
def world(database_url: str, tmp_path: Path) -> Iterator[World]:
    with Sandbox() as sandbox:
        platforms = {"whatsapp_base_url": sandbox.url, "chatwoot_base_url": sandbox.url}
        world = build_world(settings_for(database_url, tmp_path / "data", **platforms, **SETTINGS))
        yield world
        world.close()


def test_what_is_about_another_s_record_is_given_once(world: World) -> None:
    """Its key stays used: whoever asks again is told that it was done."""
    found = people_around(world)
    for who in WHO:
        give_access(found, who)
    repeated = {(row.name, ask_twice(world, found, row, who)) for row in ROWS for who in WHO}
    assert {name for name, is_repeated in repeated if is_repeated is False} == ABOUT_RECORDS
    assert {name for name, is_repeated in repeated if is_repeated} == ABOUT_THE_CALLER


def ask_twice(world: World, found: MatrixPeople, row: OperationRow, who: str) -> bool | None:
    """Whether the answer comes again; None if it was an error or its key does not count."""
    attempt = ATTEMPTS[row.name]
    printed = printed_code(world) if "{printed}" in (attempt.path or row.path) else ""
    path = (attempt.path or row.path).format(code=found.code, printed=printed, id=1)
    body = json.dumps(attempt.body(world, found.owner)).encode() if attempt.body else b""
    key = f"{row.name} {who}"
    headers = found.headers(who, body) | {"Content-Type": "application/json", "Idempotency-Key": key}
    first, again = (world.reader.post(path, content=body, headers=headers) for _ in range(2))
    if row.name in ("Product lost", "Retire product") and first.status_code == 200:
        found.code = found.new_code()
        found.owner.data["attributes"]["product_codes"] = [found.code]
    with world.parts.database.reading() as tx:
        kept = tx.orm.scalars(select(KeptAnswer).where(KeptAnswer.key == key)).one_or_none()
    if first.is_error or kept is None:
        return None
    if kept.answer is None:
        assert (again.status_code, again.json()["errors"][0]["code"]) == (409, "respuesta_borrada")
        return False
    assert (again.status_code, again.content) == (first.status_code, first.content)
    return True
