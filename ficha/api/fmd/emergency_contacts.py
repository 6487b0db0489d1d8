"""Changing the emergency contacts of a record."""

from typing import Annotated, Any

from fastapi import Body as JsonBody
from fastapi import Response

from ficha.api.fmd.model_answers import WRITE_ERRORS, Document, ModelOut, model_example, model_out
from ficha.api.operations import Operations
from ficha.fmd.changes import change_contacts
from ficha.fmd.faults import InvalidDocument
from ficha.http.dependencies import Db, Now, Reply
from ficha.http.envelope import Answer
from ficha.http.etags import IfMatch, expected_versions
from ficha.http.fmd_dependencies import CurrentFmd

operations = Operations("fmd", prefix="/fmd", door="bearer")

CONTACT = {"nombre": "María Rojas", "relacion": "madre", "cod_telefono": "+58", "telefono": "4125551111"}
CONTACTS_EXAMPLE = model_example("emergencia", {"contactos": [{"id": "k7M2qX9a", **CONTACT, "canales": ["whatsapp"]}]})


@operations.patch(
    "/{code}/emergency-contacts",
    "FMD Patch Emergency Contacts",
    seed=True,
    errors=WRITE_ERRORS,
    example=CONTACTS_EXAMPLE,
)
def patch_contacts(
    db: Db,
    fmd: CurrentFmd,
    now: Now,
    reply: Reply,
    response: Response,
    body: Annotated[
        Document | list[Any],
        JsonBody(examples=[[{**CONTACT, "canales": ["whatsapp"]}], {"k7M2qX9a": {"prioridad": 1}, "p3Zt8Rw1": None}]),
    ],
    if_match: IfMatch = None,
) -> "Answer[ModelOut]":
    """Merges contacts by their `id`: `{id: changes}`, `{id: null}` removes; in a list, those without `id` are added."""
    expected = expected_versions(if_match, "emergencia")
    saved = change_contacts(db, fmd, _contacts(body), now, merges=True, expected=expected)
    return reply(model_out(response, "emergencia", saved))


@operations.put(
    "/{code}/emergency-contacts",
    "FMD Update Emergency Contacts",
    seed=True,
    errors=WRITE_ERRORS,
    example=CONTACTS_EXAMPLE,
)
def put_contacts(
    db: Db,
    fmd: CurrentFmd,
    now: Now,
    reply: Reply,
    response: Response,
    body: Annotated[Document | list[Any], JsonBody(examples=[[{**CONTACT, "canales": ["whatsapp"]}]])],
    if_match: IfMatch = None,
) -> "Answer[ModelOut]":
    """The given list replaces all contacts."""
    contacts = _contacts(body)
    if not isinstance(contacts, list):
        raise InvalidDocument([{"type": "list_type", "loc": (), "msg": ""}])
    expected = expected_versions(if_match, "emergencia")
    saved = change_contacts(db, fmd, contacts, now, merges=False, expected=expected)
    return reply(model_out(response, "emergencia", saved))


def _contacts(body: Document | list[Any]) -> Document | list[Any]:
    """`{"contactos": …}` as in the model itself is understood too."""
    inner = body["contactos"] if isinstance(body, dict) and set(body) == {"contactos"} else body
    return inner if isinstance(inner, dict | list) else body
