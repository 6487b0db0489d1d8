"""Changing a medical record: several models at once, one model, the emergency contacts, its relationship, its template.
And a model as operations answer it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from fastapi import Body as JsonBody
from fastapi import Depends, Response
from pydantic import ConfigDict, Field

from ficha.api.bodies import Body
from ficha.api.examples import answer_example, attributes_example, resource_example
from ficha.api.operations import Operations
from ficha.audit.read_log import ReadLog
from ficha.core.deferred_model import DeferredModel
from ficha.core.text_types import Etiqueta
from ficha.core.transaction import Transaction
from ficha.fmd.access import OpenFmd
from ficha.fmd.base import FmdModel
from ficha.fmd.catalog import TEMPLATES
from ficha.fmd.changes import change_contacts, change_model, change_relacion, change_template, patch_models
from ficha.fmd.faults import InvalidDocument
from ficha.fmd.stored_documents import StoredDocument
from ficha.http import envelope
from ficha.http.dependencies import Db, Now, Parts, Reply
from ficha.http.envelope import Answer, Moment, Resource, filled
from ficha.http.etags import IfMatch, OnlyNew, etag, expected_versions
from ficha.http.fmd_dependencies import CurrentFmd, NamedModel, ReadingFmd
from ficha.http.record_schemas import DOCUMENT, NAME, by_model, named

Document = dict[str, Any]


class ModelState(DeferredModel):
    model_config = ConfigDict(json_schema_extra=by_model(data=DOCUMENT))

    version: int = Field(description="0 when it was never saved.")
    updated_at: Moment | None
    data: dict[str, Any]


class ChangedModels(DeferredModel):
    version: int = Field(description="Version of the whole record; its ETag.")
    models: dict[str, ModelState]


class Settled(DeferredModel):
    relacion: str
    template_type: str
    version: int


class ModelOut(Resource[ModelState]):
    model_config = ConfigDict(json_schema_extra=by_model(id=NAME, attributes="ModelState"))


RecordOut = Resource[ChangedModels]
SettledOut = Resource[Settled]


class Relationship(Body):
    relacion: Etiqueta = Field(examples=["madre"])


class TemplateType(Body):
    template_type: str = Field(pattern=f"^({'|'.join(TEMPLATES)})$", examples=["estudiante"])


# Every operation of this file may answer these.
operations = Operations("fmd", prefix="/fmd", callers="bearer", errors=(403, 404, 409, 412, 415, 422))

DOCUMENT_EXAMPLE = {"condiciones": [{"condicion": {"texto": "Epilepsia", "sistema": "snomed", "codigo": "84757009"}}]}
STATE_EXAMPLE = attributes_example(ModelState, version=3, updated_at="2026-11-15T12:00:00+00:00", data=DOCUMENT_EXAMPLE)
MODEL_EXAMPLE = {"type": "fmd_model", "id": "salud", "attributes": STATE_EXAMPLE}
RECORD_EXAMPLE = answer_example(
    resource_example("fmd", 1904221833, ChangedModels, version=12, models={"salud": STATE_EXAMPLE})
)
SETTLED_EXAMPLE = answer_example(
    resource_example("fmd", 1904221833, Settled, relacion="madre", template_type="estudiante", version=13)
)
CONTACT = {"nombre": "María Rojas", "relacion": "madre", "cod_telefono": "+58", "telefono": "4125551111"}
CONTACTS = {"contactos": [{"id": "k7M2qX9a", **CONTACT, "canales": ["whatsapp"]}]}
CONTACTS_EXAMPLE = answer_example(
    {"type": "fmd_model", "id": "emergencia", "attributes": STATE_EXAMPLE | {"data": CONTACTS}}
)


def state_of(entry: StoredDocument) -> ModelState:
    updated_at = entry.updated_at if entry.version else None
    return ModelState(version=entry.version, updated_at=updated_at, data=entry.document)


@dataclass(frozen=True)
class RecordChange:
    """What each of these operations asks for, and how it answers: with the new version as ETag."""

    db: Transaction
    fmd: OpenFmd
    read_log: ReadLog
    now: datetime
    reply: envelope.Reply
    response: Response
    if_match: str | None
    only_new: bool

    def model(self, model: type[FmdModel], document: Document, *, merges: bool) -> Answer[ModelOut]:
        name = model.about.wire
        expected = self._expected(name)
        saved = change_model(self.db, self.fmd, model, document, self.now, merges=merges, expected=expected)
        return self._saved(name, saved)

    def contacts(self, contacts: Document | list[Any], *, merges: bool) -> Answer[ModelOut]:
        expected = self._expected("emergencia")
        saved = change_contacts(self.db, self.fmd, contacts, self.now, merges=merges, expected=expected)
        return self._saved("emergencia", saved)

    def note_read(self, saved: Mapping[str, StoredDocument]) -> None:
        """What the change left as it was is shown too, so it is noted like any other read, before it is answered. What
        was written stands in the log as a change."""
        unchanged = sorted(name for name, entry in saved.items() if not entry.is_new)
        if unchanged:
            ReadingFmd(self.fmd, self.read_log).note("record.read", unchanged, self.now)

    def record_versions(self) -> frozenset[int] | None:
        """None of them where only what is new may be written: the record is there."""
        return frozenset() if self.only_new else expected_versions(self.if_match, "r")

    def _expected(self, name: str) -> frozenset[int] | None:
        """A model that was never saved has the version 0."""
        expected = expected_versions(self.if_match, name)
        if not self.only_new:
            return expected
        return frozenset({0}) if expected is None else expected & {0}

    def settled(self) -> Answer[SettledOut]:
        record = self.fmd.record
        self.response.headers["ETag"] = etag("r", record.version)
        return self.reply(Resource(type="fmd", id=record.id, attributes=filled(Settled, record)))

    def _saved(self, name: str, entry: StoredDocument) -> Answer[ModelOut]:
        self.note_read({name: entry})
        self.response.headers["ETag"] = etag(name, entry.version)
        return self.reply(ModelOut(type="fmd_model", id=name, attributes=state_of(entry)))


def record_change(
    db: Db,
    fmd: CurrentFmd,
    parts: Parts,
    now: Now,
    reply: Reply,
    response: Response,
    only_new: OnlyNew,
    if_match: IfMatch = None,
) -> RecordChange:
    return RecordChange(db, fmd, parts.read_log, now, reply, response, if_match, only_new)


Changing = Annotated[RecordChange, Depends(record_change)]
ModelBody = Annotated[Document, JsonBody(examples=[DOCUMENT_EXAMPLE], json_schema_extra=named("AnyModel"))]
ModelPatch = Annotated[Document, JsonBody(examples=[DOCUMENT_EXAMPLE], json_schema_extra=named("AnyModelPatch"))]
RecordPatch = Annotated[
    Document,
    JsonBody(examples=[{"salud": DOCUMENT_EXAMPLE, "cuerpo": {"peso_kg": 61}}], json_schema_extra=named("RecordPatch")),
]
Contacts = Annotated[
    Document | list[Any],
    JsonBody(examples=[[{**CONTACT, "canales": ["whatsapp"]}]], json_schema_extra=named("Contacts")),
]
ContactsPatch = Annotated[
    Document | list[Any],
    JsonBody(
        examples=[[{**CONTACT, "canales": ["whatsapp"]}], {"k7M2qX9a": {"prioridad": 1}, "p3Zt8Rw1": None}],
        json_schema_extra=named("ContactsPatch"),
    ),
]


@operations.patch("/{code}", "FMD Patch", seed=True, example=RECORD_EXAMPLE)
def patch_record(changing: Changing, body: RecordPatch) -> "Answer[RecordOut]":
    """Merge patches (RFC 7396) for several models at once: all are saved, or none. `null` empties a model."""
    fmd = changing.fmd
    saved = patch_models(changing.db, fmd, body, changing.now, expected=changing.record_versions())
    changing.note_read(saved)
    changing.response.headers["ETag"] = etag("r", fmd.record.version)
    models = {name: state_of(entry) for name, entry in saved.items()}
    changed = ChangedModels(version=fmd.record.version, models=models)
    return changing.reply(Resource(type="fmd", id=fmd.id, attributes=changed))


@operations.patch("/{code}/relationship", "Relationship", seed=True, example=SETTLED_EXAMPLE)
def patch_relationship(changing: Changing, body: Relationship) -> "Answer[SettledOut]":
    """Who keeps this record, seen from its person."""
    expected = changing.record_versions()
    change_relacion(changing.db, changing.fmd, body.relacion, changing.now, expected=expected)
    return changing.settled()


@operations.patch("/{code}/template-type", "FMD Patch Template Type", seed=True, example=SETTLED_EXAMPLE)
def patch_template_type(changing: Changing, body: TemplateType) -> "Answer[SettledOut]":
    """Chooses which sections the form asks for, and in which order."""
    expected = changing.record_versions()
    change_template(changing.db, changing.fmd, body.template_type, changing.now, expected=expected)
    return changing.settled()


@operations.patch("/{code}/emergency-contacts", "FMD Patch Emergency Contacts", seed=True, example=CONTACTS_EXAMPLE)
def patch_contacts(changing: Changing, body: ContactsPatch) -> "Answer[ModelOut]":
    """Merges contacts by their `id`: `{id: changes}`, `{id: null}` removes; in a list, those without `id` are added."""
    return changing.contacts(_contacts(body), merges=True)


@operations.put("/{code}/emergency-contacts", "FMD Update Emergency Contacts", seed=True, example=CONTACTS_EXAMPLE)
def put_contacts(changing: Changing, body: Contacts) -> "Answer[ModelOut]":
    """The given list replaces all contacts."""
    contacts = _contacts(body)
    if not isinstance(contacts, list):
        raise InvalidDocument([{"type": "list_type", "loc": (), "msg": ""}])
    return changing.contacts(contacts, merges=False)


# After those above: a model's name would match them too.
@operations.patch("/{code}/{model}", "Patch one model", example=answer_example(MODEL_EXAMPLE))
def patch_model(changing: Changing, model: NamedModel, body: ModelPatch) -> "Answer[ModelOut]":
    """A merge patch (RFC 7396) for one model."""
    return changing.model(model, body, merges=True)


@operations.put("/{code}/{model}", "Put one model", example=answer_example(MODEL_EXAMPLE))
def put_model(changing: Changing, model: NamedModel, body: ModelBody) -> "Answer[ModelOut]":
    """The whole model anew. Facts that keep their `id` keep their name; an empty object empties the model."""
    return changing.model(model, body, merges=False)


def _contacts(body: Document | list[Any]) -> Document | list[Any]:
    """`{"contactos": …}` as in the model itself is understood too. Raises InvalidDocument if nothing stands in it."""
    inner = body["contactos"] if isinstance(body, dict) and set(body) == {"contactos"} else body
    if not isinstance(inner, dict | list):
        raise InvalidDocument([{"type": "list_type", "loc": ("contactos",), "msg": ""}])
    return inner
