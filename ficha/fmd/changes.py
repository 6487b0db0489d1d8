"""Changes a record: each change is validated, encrypted, versioned and noted in one transaction."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from ficha.core.errors import FichaError, NotFound, Source
from ficha.core.transaction import Transaction
from ficha.fmd.access import MayNotManage, OpenFmd
from ficha.fmd.base import Document, Door, FmdModel, has_data
from ficha.fmd.catalog import CATALOG, TEMPLATES, Catalog
from ficha.fmd.consent import visible_documents
from ficha.fmd.documents import fact_ids, facts_in, prepare_document
from ficha.fmd.entries import EntryVersion, open_document
from ficha.fmd.faults import InvalidDocument
from ficha.fmd.fields import form_of
from ficha.fmd.merge import merge_contacts, merge_patch
from ficha.fmd.statements import update_record
from ficha.fmd.stored_documents import DocumentsToChange, StoredDocument, documents_to_change, save_version
from ficha.products.statements import activate_codes

StoredDocuments = Mapping[str, StoredDocument]


def with_hidden_facts(fmd: OpenFmd, model: type[FmdModel], wanted: Any, before: StoredDocuments) -> Any:
    """`wanted` with what the writer may not see put back: who does not see a fact cannot remove it, nor by removing
    the whole model, and what she sees and removes is gone.

    Raises MayNotManage if the writer may not see the model at all.
    """
    name = model.about.wire
    old: Document = before[name].document if name in before else {}
    seen = _visible(fmd, before)
    if model.about.door is Door.P or (old and name not in seen):
        raise MayNotManage
    shown = seen.get(name, {})
    hidden = fact_ids(old) - fact_ids(shown)
    if wanted is not None and not isinstance(wanted, Mapping):
        return wanted
    kept = dict(wanted or {})
    for field, value in old.items():
        present = fact_ids({field: kept.get(field)})
        missing = [fact for fact in facts_in(value) if fact.get("id") in hidden and fact["id"] not in present]
        if missing:
            kept[field] = [*(kept.get(field) or []), *missing]
        elif field not in shown:
            kept.setdefault(field, value)
    return kept


def visible_to_writer(fmd: OpenFmd, before: StoredDocuments, answer: dict[str, StoredDocument]) -> StoredDocuments:
    """The answer with only what the writer may see."""
    if fmd.rights.door is Door.P:
        return answer
    seen = _visible(fmd, {**before, **answer})
    return {name: replace(entry, document=seen.get(name, {})) for name, entry in answer.items()}


def _visible(fmd: OpenFmd, stored: StoredDocuments) -> dict[str, Document]:
    return visible_documents({name: entry.document for name, entry in stored.items()}, fmd.rights.door)


CONTACTS = "emergencia"

# Versions one of which the caller read: the change is made only if it is still the current one. None allows any.
Expected = Collection[int] | None


class VersionMismatch(FichaError):
    """Somebody else changed the record since the caller read it; nothing was written."""

    status = 412
    code = "version_distinta"
    message = "La ficha cambió desde que usted la leyó. Léala de nuevo y repita el cambio."
    source = Source("header", "If-Match")


class EmptyPatch(FichaError):
    status = 422
    code = "sin_cambios"
    message = "La petición no nombra ningún modelo."


def patch_models(
    tx: Transaction,
    fmd: OpenFmd,
    patches: Mapping[str, Any],
    now: datetime,
    *,
    expected: Expected = None,
    catalog: Catalog = CATALOG,
    confirms: bool = True,
) -> StoredDocuments:
    """Merges patches into several models, all or none. `expected` are versions of the record.

    Raises VersionMismatch, EmptyPatch or InvalidDocument.
    """
    fmd.must_change()
    _check_version(fmd.record.version, expected)
    if not patches:
        raise EmptyPatch
    models = _known(patches, catalog)
    before = _before(tx, fmd, models)
    after: dict[str, Document] = {}
    faults: list[Mapping[str, Any]] = []
    for name, model in models.items():
        old = _document(before, name)
        try:
            after[name] = _prepared(
                fmd, model, merge_patch(old, patches[name]), before, now, catalog, confirms=confirms
            )
        except InvalidDocument as invalid:
            faults += invalid.under(name).faults
    if faults:
        raise InvalidDocument(faults)
    return _write(tx, fmd, before, after, now)


def change_model(
    tx: Transaction,
    fmd: OpenFmd,
    model: type[FmdModel],
    document: Any,
    now: datetime,
    *,
    merges: bool,
    expected: Expected = None,
    catalog: Catalog = CATALOG,
    confirms: bool = True,
) -> StoredDocument:
    """Changes one model: `document` is a merge patch if `merges`, else the whole new document.

    Raises VersionMismatch or InvalidDocument.
    """
    fmd.must_change()
    name = model.about.wire
    before = _before(tx, fmd, [name])
    _check_version(_version(before, name), expected)
    wanted = merge_patch(_document(before, name), document) if merges else document
    after = {name: _prepared(fmd, model, wanted, before, now, catalog, confirms=confirms)}
    return _write(tx, fmd, before, after, now)[name]


def restore_model(
    tx: Transaction, fmd: OpenFmd, model: type[FmdModel], version: int, now: datetime, *, expected: Expected = None
) -> StoredDocument:
    """Writes an earlier version of a model again, as its newest. Facts have the ids of then, so that what the owner
    decided about each still holds; the photo stays that of today, for there is no other.

    Raises NotFound, VersionMismatch, or InvalidDocument if the rules of today refuse it.
    """
    fmd.must_manage()
    name = model.about.wire
    row = tx.orm.get(EntryVersion, (fmd.id, name, version))
    if row is None:
        raise NotFound
    before = _before(tx, fmd, [name])
    _check_version(_version(before, name), expected)
    past = open_document(fmd.key, fmd.id, name, version, row.sealed)
    try:
        wanted = model.read(past).model_dump(mode="json", exclude_defaults=True) if past else {}
    except ValidationError as error:
        raise InvalidDocument.of(error) from None
    for photo in [field.name for field in form_of(model) if field.widget == "photo"]:
        wanted.pop(photo, None)
        wanted |= {photo: of_today} if (of_today := _document(before, name).get(photo)) else {}
    after = prepare_document(model, wanted, past, now, fmd.fuente) if wanted else {}
    return _write(tx, fmd, before, {name: after}, now)[name]


def change_contacts(
    tx: Transaction,
    fmd: OpenFmd,
    changes: Mapping[str, Any] | Sequence[Any],
    now: datetime,
    *,
    merges: bool,
    expected: Expected = None,
) -> StoredDocument:
    """Changes the emergency contacts: merged by their ids, or replaced as a whole. Raises VersionMismatch."""
    fmd.must_change()
    model = CATALOG.find(CONTACTS)
    assert model is not None
    before = _before(tx, fmd, [CONTACTS])
    _check_version(_version(before, CONTACTS), expected)
    old = _document(before, CONTACTS)
    try:
        contacts = merge_contacts(old.get("contactos", []), changes) if merges else changes
    except InvalidDocument as invalid:
        raise invalid.under("contactos") from None
    after = {CONTACTS: _prepared(fmd, model, {**old, "contactos": contacts}, before, now, CATALOG)}
    return _write(tx, fmd, before, after, now)[CONTACTS]


def change_relacion(tx: Transaction, fmd: OpenFmd, relacion: str, now: datetime, *, expected: Expected = None) -> None:
    """Raises VersionMismatch."""
    fmd.must_manage()
    _check_version(fmd.record.version, expected)
    fmd.record = fmd.record._replace(relacion=relacion, version=fmd.record.version + 1)
    fmd.check_quota()
    update_record(tx, fmd.record)
    fmd.note(tx, "record.changed", ["relacion"], now)


def change_template(
    tx: Transaction, fmd: OpenFmd, template_type: str, now: datetime, *, expected: Expected = None
) -> None:
    """Sets which sections the form asks for. Sections that hold data stay. Raises VersionMismatch."""
    fmd.must_manage()
    _check_version(fmd.record.version, expected)
    model = CATALOG.find("modulo")
    assert model is not None
    fmd.record = fmd.record._replace(template_type=template_type)
    update_record(tx, fmd.record)  # It may be that of now, and then nothing below is written.
    before = _before(tx, fmd, ["modulo"])
    switches = {"modulos": TEMPLATES[template_type].switches()}
    _write(tx, fmd, before, {"modulo": _prepared(fmd, model, switches, before, now, CATALOG)}, now)


def _known(patches: Mapping[str, Any], catalog: Catalog) -> dict[str, type[FmdModel]]:
    models = {name: catalog.find(name) for name in patches}
    unknown = [
        {"type": "extra_forbidden", "loc": (name,), "msg": ""} for name, model in models.items() if model is None
    ]
    if unknown:
        raise InvalidDocument(unknown)
    return {name: model for name, model in models.items() if model is not None}


def _before(tx: Transaction, fmd: OpenFmd, names: Iterable[str]) -> DocumentsToChange:
    """What is stored now: these models, or all of them if consent decides what the writer sees."""
    return documents_to_change(tx, fmd.id, fmd.key, list(names) if fmd.rights.door is Door.P else None)


def _document(before: StoredDocuments, name: str) -> Document:
    return before[name].document if name in before else {}


def _check_version(current: int, expected: Expected) -> None:
    if expected is not None and current not in expected:
        raise VersionMismatch


def _version(before: StoredDocuments, name: str) -> int:
    return before[name].version if name in before else 0


def _prepared(
    fmd: OpenFmd,
    model: type[FmdModel],
    wanted: Any,
    before: StoredDocuments,
    now: datetime,
    catalog: Catalog,
    *,
    confirms: bool = True,
) -> Document:
    """The document to store. One that is emptied needs none of the required fields."""
    old = _document(before, model.about.wire)
    if fmd.rights.door is not Door.P:
        wanted = with_hidden_facts(fmd, model, wanted, before)
    if wanted in ({}, None):
        return {}
    return prepare_document(model, wanted, old, now, fmd.fuente, catalog, confirms=confirms)


def _write(
    tx: Transaction, fmd: OpenFmd, before: DocumentsToChange, after: Mapping[str, Document], now: datetime
) -> StoredDocuments:
    """Stores the documents that differ from what was stored: the same document again makes no new version. Whoever
    shows one that is not new notes that it was read."""
    changed = {name: document for name, document in after.items() if document != _document(before, name)}
    unchanged = {name: before.get(name, StoredDocument({}, 0, now)) for name in after if name not in changed}
    if not changed:
        return visible_to_writer(fmd, before, unchanged)
    change, size, saved = fmd.record.version + 1, fmd.record.stored_bytes, {}
    for name, document in changed.items():
        last = _version(before, name)
        size += save_version(tx, fmd.id, change, fmd.key, name, last, document, str(fmd.actor), now)
        saved[name] = StoredDocument(document, last + 1, now, is_new=True)
    fmd.record = fmd.record._replace(version=change, stored_bytes=size)
    fmd.check_quota()
    update_record(tx, fmd.record)
    if fmd.has_claimed_codes and any(has_data(document) for document in changed.values()):
        activate_codes(tx, fmd.id)
    fmd.note(tx, "record.changed", sorted(changed), now, after=before.log_end)
    return visible_to_writer(fmd, before, {**unchanged, **saved})
