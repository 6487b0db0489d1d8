"""Every operation with every kind of caller, against an explicit table."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from ficha.accounts.accounts import Role
from ficha.accounts.tokens import Token
from ficha.api.catalog import catalogue
from ficha.api.messaging.webhook import NOTIFICATION
from ficha.api.operations import OperationRow
from ficha.describe import default_settings
from ficha.fmd.grants import Grant, GrantKind
from ficha.products.codes import issue_code
from ficha.sandbox.server import Sandbox
from tests.world import CLAVE, Person, World, build_world, new_correo, registration, settings_for

ROWS = catalogue(default_settings(Path("data")))
CALLERS = (
    "none",
    "expired",
    "responder",
    "owner",
    "guardian",
    "editor",
    "delegate",
    "ended delegate",
    "institution",
    "other institution",
    "other owner",
    "staff",
    "admin",
)

# Who gets which status. Whoever is not named gets the status after "else".
PUBLIC = {"else": 200}
ANYBODY_KNOWN = {"none": 401, "expired": 401, "responder": 401, "else": 200}
READS = {
    "none": 401,
    "expired": 401,
    "responder": 401,
    "owner": 200,
    "guardian": 200,
    "editor": 200,
    "delegate": 200,
    "institution": 200,
    "else": 404,
}
CHANGES = READS | {"delegate": 403, "institution": 403}
MANAGES = CHANGES | {"editor": 403}
OWNS = READS | {"editor": 404, "delegate": 404, "institution": 404}
ADMINISTERS = {"none": 401, "expired": 401, "responder": 401, "admin": 200, "else": 403}
STAFFED = ADMINISTERS | {"staff": 200}
# At these two doors no token of ours means anything, whoever shows it.
NO_TOKEN_OF_OURS = {"else": 401}
TO = {"to": "+584125551111"}
CONTACT = {
    "nombre": "María",
    "relacion": "madre",
    "cod_telefono": "+58",
    "telefono": "4125551111",
    "canales": ["whatsapp"],
}


@dataclass(frozen=True)
class Try:
    """A good request for an operation, and what each caller gets for it."""

    expected: dict[str, int]
    body: Callable[[World, Person], Any] | None = None
    path: str | None = None


def created(table: dict[str, int], status: int = 201) -> dict[str, int]:
    return {who: status if known == 200 else known for who, known in table.items()}


def but(table: dict[str, int], status: int) -> dict[str, int]:
    """Whoever gets in meets something else there."""
    return created(table, status)


def grant_body(world: World, _owner: Person) -> dict[str, str]:
    ends = (world.clock.now() + timedelta(days=1)).isoformat()
    return {"correo": world.register().correo, "tipo": "delegate", "hasta": ends}


TABLE = {
    "Register": Try(created(PUBLIC), lambda _w, _o: registration()),
    "Login": Try(PUBLIC, lambda _w, owner: {"correo": owner.correo, "clave": CLAVE}),
    "Logout": Try(ANYBODY_KNOWN),
    "Test register": Try(PUBLIC, lambda _w, _o: {"correo": new_correo(), "clave": CLAVE}),
    "CSRF cookie": Try(PUBLIC),
    "Me": Try(ANYBODY_KNOWN),
    "Tokens": Try(ANYBODY_KNOWN),
    "Renew token": Try(created(ANYBODY_KNOWN)),
    "Revoke token": Try(ANYBODY_KNOWN | {"else": 404}, path="/v2/auth/tokens/999999"),
    "Phone verification: request": Try(ANYBODY_KNOWN),
    "Phone verification: verify": Try(but(ANYBODY_KNOWN, 422), lambda _w, _o: {"codigo": "000000"}),
    "Email operations: request": Try(ANYBODY_KNOWN),
    "Email operations: verify": Try(ANYBODY_KNOWN | {"else": 422}, lambda _w, _o: {"codigo": "000000"}),
    "Email operations: test": Try(ADMINISTERS),
    "Forgot clave": Try(PUBLIC, lambda _w, owner: {"correo": owner.correo}),
    "Reset clave": Try({"else": 422}, lambda _w, _o: {"token": "x", "clave": CLAVE}),
    "Local: Login": Try(PUBLIC, lambda _w, owner: {"correo": owner.correo, "clave": CLAVE}),
    "Local: Logout": Try(ANYBODY_KNOWN),
    "Local: Update data": Try(
        ANYBODY_KNOWN,
        lambda _w, _o: {"cod_telefono": "+58", "telefono": "4125551111", "relacion": "madre", "nombre": "Ana"},
    ),
    "Local: Delete data": Try(ANYBODY_KNOWN | {"else": 422}, lambda _w, _o: {"clave": "no es la clave"}),
    "FMD": Try(READS),
    "FMD Models Data": Try(READS),
    "FMD Model Data": Try(READS),
    "FMD Model exists": Try(READS),
    "Check existent FMD": Try(READS),
    "FMD Patch": Try(CHANGES, lambda _w, _o: {"cuerpo": {"peso_kg": 60}}),
    "Patch one model": Try(CHANGES, lambda _w, _o: {}),
    "Put one model": Try(CHANGES, lambda _w, _o: {}),
    "Relationship": Try(MANAGES, lambda _w, _o: {"relacion": "madre"}),
    "FMD Patch Emergency Contacts": Try(CHANGES, lambda _w, _o: [CONTACT]),
    "FMD Update Emergency Contacts": Try(CHANGES, lambda _w, _o: [CONTACT]),
    "FMD Patch Template Type": Try(MANAGES, lambda _w, _o: {"template_type": "general"}),
    "FMD schemas": Try(PUBLIC),
    "FMD schema": Try(PUBLIC),
    "FMD terms": Try(PUBLIC, path="/v2/fmd/terms?q=asma"),
    "FMD history": Try(MANAGES),
    "FMD access log": Try(MANAGES),
    "FMD export": Try(MANAGES),
    # The first who is let in opens it, the others join. Whoever shows no token and no tag is nobody.
    "Create emergency": Try(
        READS | {"owner": 201}, lambda _w, owner: {"code": owner.data["attributes"]["product_codes"][0]}
    ),
    "Emergencies": Try(ANYBODY_KNOWN),
    "Emergency": Try(ANYBODY_KNOWN | {"else": 404}, path="/v2/emergencies/999999"),
    "Change emergency": Try(
        ANYBODY_KNOWN | {"else": 404}, lambda _w, _o: {"state": "resolved"}, path="/v2/emergencies/999999"
    ),
    "Events": Try(ANYBODY_KNOWN),
    "Maps URL generator": Try(PUBLIC, path="/v2/maps/url?lat=1&lng=2"),
    "Grant access": Try(created(MANAGES), grant_body),
    "Grants": Try(MANAGES),
    "Withdraw access": Try(MANAGES | {"owner": 404, "guardian": 404}, path="/v2/fmd/{code}/grants/999999"),
    "Product": Try(OWNS),
    "Claim product": Try(ANYBODY_KNOWN, path="/v2/products/{printed}/claim"),
    "Product lost": Try(OWNS),
    "Retire product": Try(OWNS),
    "Generators: QR": Try(READS, path="/v2/generators/qr?code={code}"),
    "Template message sending": Try(
        created(STAFFED, 202), lambda _w, _o: TO | {"template": {"name": "aviso_lectura", "language": "es"}}
    ),
    "Send Location Message": Try(
        created(STAFFED, 202), lambda _w, _o: TO | {"location": {"latitude": 10.5, "longitude": -66.9}}
    ),
    "Send text message": Try(created(STAFFED, 202), lambda _w, _o: TO | {"text": {"body": "Hola"}}),
    "Send media message": Try(
        created(STAFFED, 202), lambda _w, _o: TO | {"media": {"kind": "image", "media_id": "1037543291543636"}}
    ),
    "Message": Try(but(STAFFED, 404), path="/v2/whatsapp/messages/999999"),
    "Read receipt": Try(
        NO_TOKEN_OF_OURS,
        lambda _w, _o: {"messaging_product": "whatsapp", "status": "read", "message_id": "wamid.X"},
        path="/v23.0/106540352242922/messages",
    ),
    "Inbox": Try(STAFFED, lambda _w, _o: NOTIFICATION),
    "Webhook": Try(NO_TOKEN_OF_OURS, lambda _w, _o: NOTIFICATION),
    "Webhook handshake": Try(
        PUBLIC,
        path="/v2/webhook/whatsapp?hub.mode=subscribe&hub.challenge=1&hub.verify_token=sandbox-verify-token",
    ),
    "Media Test": Try(STAFFED),
    "Media download": Try(but(STAFFED, 404), path="/v2/whatsapp/media/999999"),
    "Resumable upload: start": Try(
        created(STAFFED),
        lambda _w, _o: {"file_name": "guia.pdf", "file_length": 10, "file_type": "application/pdf"},
    ),
    "Resumable upload: bytes": Try(but(STAFFED, 415), lambda _w, _o: {}, path="/v2/whatsapp/uploads/999999"),
    "Resumable upload: offset": Try(but(STAFFED, 404), path="/v2/whatsapp/uploads/999999"),
    "oauth": Try(STAFFED),
    "Test Connection": Try(STAFFED),
    # The sandbox's number is verified already, and says so.
    "Platform phone: request code": Try(but(ADMINISTERS, 502), lambda _w, _o: {"code_method": "SMS", "language": "es"}),
    "Platform phone: verify code": Try(but(ADMINISTERS, 502), lambda _w, _o: {"code": "000000"}),
    "Welcome": Try(PUBLIC),
    "Health": Try(PUBLIC),
    "Health: live": Try(PUBLIC),
    "Health: ready": Try(PUBLIC),
}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def world(database_url: str, tmp_path: Path, sandbox: Sandbox) -> Iterator[World]:
    """With the platform behind the operations that ask it."""
    world = build_world(settings_for(database_url, tmp_path / "data", whatsapp_base_url=sandbox.url))
    yield world
    world.close()


def test_no_operation_is_left_out() -> None:
    assert set(TABLE) == {row.name for row in ROWS}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_each_caller_gets_what_the_table_says(world: World, row: OperationRow) -> None:
    attempt = TABLE[row.name]
    owner = world.register()
    code = owner.data["attributes"]["product_codes"][0]
    put = owner.put(f"/v2/fmd/{code}/salud", {"condiciones": [{"condicion": {"texto": "Asma"}}]})
    assert put.status_code == 200
    answers = {}
    for who in CALLERS:
        token = token_of(world, owner, who)
        with world.parts.database.writing() as session:
            printed = issue_code(session, world.clock.now()).code
        path = (attempt.path or row.path).format(code=code, printed=printed, model="salud", id=1)
        body = attempt.body(world, owner) if attempt.body else None
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        # A stream that was begun never ends: its head says who gets in.
        method = "HEAD" if row.name == "Events" else row.method
        answer = world.reader.request(method, path, json=body, headers=headers)
        answers[who] = answer.status_code
        if row.name in ("Product lost", "Retire product") and answer.status_code == 200:
            code = new_code_of(world, owner)
    expected = {who: attempt.expected.get(who, attempt.expected["else"]) for who in CALLERS}
    assert answers == expected


def new_code_of(world: World, owner: Person) -> str:
    with world.parts.database.writing() as session:
        return issue_code(session, world.clock.now(), record_id=owner.data["attributes"]["fmd_code"]).code


def token_of(world: World, owner: Person, who: str) -> str | None:
    """A fresh token each time: some operations end the one that asks."""
    if who == "none":
        return None
    if who == "responder":
        return "QX7M2K5TNBP4RWZC6DHJ3VFYGA"  # A tag opens the responder's page, and no operation for accounts.
    if who == "owner":
        return world.token_for(owner.id)
    roles = {
        "staff": Role.STAFF,
        "admin": Role.ADMIN,
        "institution": Role.INSTITUTION,
        "other institution": Role.INSTITUTION,
    }
    person = world.somebody_with(Role.OWNER, *([roles[who]] if who in roles else []))
    kinds = {"guardian": GrantKind.GUARDIAN, "institution": GrantKind.INSTITUTION}
    if who in ("guardian", "editor", "delegate", "ended delegate", "institution"):
        now = world.clock.now()
        with world.parts.database.writing() as session:
            session.add(
                Grant(
                    record_id=owner.data["attributes"]["fmd_code"],
                    account_id=person.id,
                    kind=kinds.get(who, GrantKind.DELEGATE),
                    edits=who == "editor",
                    granted_at=now - timedelta(days=2),
                    ends_at=now - timedelta(seconds=1) if who == "ended delegate" else now + timedelta(days=1),
                )
            )
    if who == "expired":
        return expired(world, person)
    return person.token


def expired(world: World, person: Person) -> str:
    with world.parts.database.writing() as session:
        session.execute(update(Token).where(Token.account_id == person.id).values(expires_at=world.clock.now()))
    return person.token
