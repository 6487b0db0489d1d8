"""Changing the medical record. Reading it is in reads.py."""

from typing import Annotated, Any

from fastapi import Body as JsonBody
from fastapi import Response
from pydantic import BaseModel, Field

from ficha.api.accounts.people import Body
from ficha.api.examples import answer_example
from ficha.api.fmd.reads import ModelState
from ficha.api.operations import Operations
from ficha.core.text_types import Etiqueta
from ficha.fmd.catalog import TEMPLATES
from ficha.fmd.changes import change_contacts, change_model, change_relacion, change_template, patch_models
from ficha.fmd.entries import StoredDocument
from ficha.fmd.faults import InvalidDocument
from ficha.http.dependencies import Db, Now, Reply
from ficha.http.envelope import Answer, Resource
from ficha.http.etags import IfMatch, etag, expected_version
from ficha.http.fmd_dependencies import CurrentFmd, NamedModel

operations = Operations("fmd", prefix="/fmd")

Document = dict[str, Any]
EXAMPLE = {"condiciones": [{"condicion": {"texto": "Epilepsia", "sistema": "snomed", "codigo": "84757009"}}]}


class ChangedModels(BaseModel):
    version: int = Field(description="Version of the whole record; its ETag.")
    models: dict[str, ModelState]


class Settled(BaseModel):
    relacion: str
    template_type: str
    version: int


ModelOut = Resource[ModelState]
RecordOut = Resource[ChangedModels]
SettledOut = Resource[Settled]


class Relationship(Body):
    relacion: Etiqueta = Field(examples=["madre"])


class TemplateType(Body):
    template_type: str = Field(pattern=f"^({'|'.join(TEMPLATES)})$", examples=["estudiante"])


def state_of(entry: StoredDocument) -> ModelState:
    return ModelState(
        version=entry.version, updated_at=entry.updated_at if entry.version else None, data=entry.document
    )


def model_example(model: str = "salud", data: Document = EXAMPLE) -> Document:
    state = {"version": 3, "updated_at": "2026-11-15T12:00:00+00:00", "data": data}
    return answer_example({"type": "fmd_model", "id": model, "attributes": state})


RECORD_EXAMPLE: Document = answer_example(
    {
        "type": "fmd",
        "id": 1904221833,
        "attributes": {
            "version": 12,
            "models": {"salud": {"version": 3, "updated_at": "2026-11-15T12:00:00+00:00", "data": EXAMPLE}},
        },
    }
)
SETTLED_EXAMPLE: Document = answer_example(
    {
        "type": "fmd",
        "id": 1904221833,
        "attributes": {"relacion": "madre", "template_type": "estudiante", "version": 13},
    }
)
WRITES = (400, 401, 403, 404, 412, 415, 419, 422)


@operations.patch("/{code}", "FMD Patch", door="bearer", seed="FMD Patch", errors=WRITES, example=RECORD_EXAMPLE)
def patch_record(
    db: Db,
    fmd: CurrentFmd,
    now: Now,
    reply: Reply,
    response: Response,
    body: Annotated[Document, JsonBody(examples=[{"salud": EXAMPLE, "cuerpo": {"peso_kg": 61}}])],
    if_match: IfMatch = None,
) -> Answer[RecordOut]:
    """Merge patches (RFC 7396) for several models at once: all are saved, or none. `null` empties a model."""
    saved = patch_models(db, fmd, body, now, expected=expected_version(if_match, "r"))
    response.headers["ETag"] = etag("r", fmd.record.version)
    models = {name: state_of(entry) for name, entry in saved.items()}
    changed = ChangedModels(version=fmd.record.version, models=models)
    return reply(Resource(type="fmd", id=fmd.id, attributes=changed))


@operations.patch(
    "/{code}/relationship", "Relationship", door="bearer", seed="Relationship", errors=WRITES, example=SETTLED_EXAMPLE
)
def patch_relationship(db: Db, fmd: CurrentFmd, now: Now, reply: Reply, body: Relationship) -> Answer[SettledOut]:
    """Who keeps this record, seen from its person."""
    change_relacion(db, fmd, body.relacion, now)
    return reply(_settled(fmd))


@operations.patch(
    "/{code}/template-type",
    "FMD Patch Template Type",
    door="bearer",
    seed="FMD Patch Template Type",
    errors=WRITES,
    example=SETTLED_EXAMPLE,
)
def patch_template_type(db: Db, fmd: CurrentFmd, now: Now, reply: Reply, body: TemplateType) -> Answer[SettledOut]:
    """Chooses which sections the form asks for, and in which order."""
    change_template(db, fmd, body.template_type, now)
    return reply(_settled(fmd))


CONTACT = {"nombre": "María Rojas", "relacion": "madre", "cod_telefono": "+58", "telefono": "4125551111"}
CONTACTS_EXAMPLE = model_example("emergencia", {"contactos": [{"id": "k7M2qX9a", **CONTACT, "canales": ["whatsapp"]}]})


@operations.patch(
    "/{code}/emergency-contacts",
    "FMD Patch Emergency Contacts",
    door="bearer",
    seed="FMD Patch Emergency Contacts",
    errors=WRITES,
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
        JsonBody(examples=[{"k7M2qX9a": {"prioridad": 1}, "p3Zt8Rw1": None}, [{**CONTACT, "canales": ["whatsapp"]}]]),
    ],
) -> Answer[ModelOut]:
    """Merges contacts by their `id`: `{id: changes}`, `{id: null}` removes; in a list, those without `id` are added."""
    saved = change_contacts(db, fmd, _contacts(body), now, merges=True)
    return reply(_model_out(response, "emergencia", saved))


@operations.put(
    "/{code}/emergency-contacts",
    "FMD Update Emergency Contacts",
    door="bearer",
    seed="FMD Update Emergency Contacts",
    errors=WRITES,
    example=CONTACTS_EXAMPLE,
)
def put_contacts(
    db: Db,
    fmd: CurrentFmd,
    now: Now,
    reply: Reply,
    response: Response,
    body: Annotated[Document | list[Any], JsonBody(examples=[[{**CONTACT, "canales": ["whatsapp"]}]])],
) -> Answer[ModelOut]:
    """The given list replaces all contacts."""
    contacts = _contacts(body)
    if not isinstance(contacts, list):
        raise InvalidDocument([{"type": "list_type", "loc": (), "msg": ""}])
    saved = change_contacts(db, fmd, contacts, now, merges=False)
    return reply(_model_out(response, "emergencia", saved))


@operations.patch("/{code}/{model}", "Patch one model", door="bearer", errors=WRITES, example=model_example())
def patch_model(
    db: Db,
    fmd: CurrentFmd,
    model: NamedModel,
    now: Now,
    reply: Reply,
    response: Response,
    body: Annotated[Document, JsonBody(examples=[EXAMPLE])],
    if_match: IfMatch = None,
) -> Answer[ModelOut]:
    """A merge patch (RFC 7396) for one model."""
    name = model.about.wire
    saved = change_model(db, fmd, model, body, now, merges=True, expected=expected_version(if_match, name))
    return reply(_model_out(response, name, saved))


@operations.put("/{code}/{model}", "Put one model", door="bearer", errors=WRITES, example=model_example())
def put_model(
    db: Db,
    fmd: CurrentFmd,
    model: NamedModel,
    now: Now,
    reply: Reply,
    response: Response,
    body: Annotated[Document, JsonBody(examples=[EXAMPLE])],
    if_match: IfMatch = None,
) -> Answer[ModelOut]:
    """The whole model anew. Facts that keep their `id` keep their name; an empty object empties the model."""
    name = model.about.wire
    saved = change_model(db, fmd, model, body, now, merges=False, expected=expected_version(if_match, name))
    return reply(_model_out(response, name, saved))


def _contacts(body: Document | list[Any]) -> Document | list[Any]:
    """`{"contactos": …}` as in the model itself is understood too."""
    inner = body["contactos"] if isinstance(body, dict) and set(body) == {"contactos"} else body
    return inner if isinstance(inner, dict | list) else body


def _model_out(response: Response, name: str, entry: StoredDocument) -> ModelOut:
    response.headers["ETag"] = etag(name, entry.version)
    return Resource(type="fmd_model", id=name, attributes=state_of(entry))


def _settled(fmd: CurrentFmd) -> SettledOut:
    record = fmd.record
    return Resource(
        type="fmd",
        id=record.id,
        attributes=Settled(relacion=record.relacion, template_type=record.template_type, version=record.version),
    )
