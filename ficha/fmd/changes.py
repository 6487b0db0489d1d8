"""Changing a record: every change is validated, encrypted, versioned and logged in one transaction, or not made."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import update
from sqlalchemy.orm import Session

from ficha.core.errors import FichaError, Source
from ficha.fmd.access import MayNotManage, OpenFmd
from ficha.fmd.base import Document, Door, FmdModel, has_data
from ficha.fmd.catalog import CATALOG, TEMPLATES, Catalog
from ficha.fmd.consent import visible
from ficha.fmd.documents import fact_ids, prepare
from ficha.fmd.entries import Stored, save, stored
from ficha.fmd.faults import InvalidDocument
from ficha.fmd.merge import merge_contacts, merge_patch
from ficha.products.product import Product, ProductState

CONTACTS = "emergencia"


class VersionMismatch(FichaError):
    """Somebody else was quicker; nothing was written."""

    status = 412
    code = "version_distinta"
    message = "La ficha cambió desde que usted la leyó. Léala de nuevo y repita el cambio."
    source = Source("header", "If-Match")


class EmptyPatch(FichaError):
    status = 422
    code = "sin_cambios"
    message = "La petición no nombra ningún modelo."


def patch_models(
    session: Session,
    fmd: OpenFmd,
    patches: Mapping[str, Any],
    now: datetime,
    *,
    expected: int | None = None,
    catalog: Catalog = CATALOG,
) -> dict[str, Stored]:
    """Merge patches for several models: all of them or none. `expected` is the record's version the caller knows."""
    fmd.must_change()
    if expected is not None and expected != fmd.record.version:
        raise VersionMismatch
    if not patches:
        raise EmptyPatch
    models = _known(patches, catalog)
    before = _before(session, fmd, models)
    after: dict[str, Document] = {}
    faults: list[Mapping[str, Any]] = []
    for name, model in models.items():
        old = _document(before, name)
        try:
            after[name] = _prepared(fmd, model, merge_patch(old, patches[name]), before, now, catalog)
        except InvalidDocument as invalid:
            faults += invalid.under(name).faults
    if faults:
        raise InvalidDocument(faults)
    return _write(session, fmd, before, after, now)


def change_model(
    session: Session,
    fmd: OpenFmd,
    model: type[FmdModel],
    document: Any,
    now: datetime,
    *,
    merges: bool,
    expected: int | None = None,
    catalog: Catalog = CATALOG,
) -> Stored:
    """One model: a merge patch when `merges`, else the whole document anew."""
    fmd.must_change()
    name = model.about.wire
    before = _before(session, fmd, [name])
    if expected is not None and expected != (before[name].version if name in before else 0):
        raise VersionMismatch
    wanted = merge_patch(_document(before, name), document) if merges else document
    after = {name: _prepared(fmd, model, wanted, before, now, catalog)}
    return _write(session, fmd, before, after, now)[name]


def change_contacts(
    session: Session, fmd: OpenFmd, changes: Mapping[str, Any] | Sequence[Any], now: datetime, *, merges: bool
) -> Stored:
    """The emergency contacts: merged one by one by their id, or replaced as a whole."""
    fmd.must_change()
    model = CATALOG.find(CONTACTS)
    assert model is not None
    before = _before(session, fmd, [CONTACTS])
    old = _document(before, CONTACTS)
    try:
        contacts = merge_contacts(old.get("contactos", []), changes) if merges else changes
    except InvalidDocument as invalid:
        raise invalid.under("contactos") from None
    after = {CONTACTS: _prepared(fmd, model, {**old, "contactos": contacts}, before, now, CATALOG)}
    return _write(session, fmd, before, after, now)[CONTACTS]


def change_relacion(session: Session, fmd: OpenFmd, relacion: str, now: datetime) -> None:
    fmd.must_manage()
    fmd.record.relacion = relacion
    fmd.record.version += 1
    fmd.note(session, "record.changed", ["relacion"], now)


def change_template(session: Session, fmd: OpenFmd, template_type: str, now: datetime) -> None:
    """Chooses which sections the form asks for. It hides nothing that holds data."""
    fmd.must_manage()
    model = CATALOG.find("modulo")
    assert model is not None
    fmd.record.template_type = template_type
    before = _before(session, fmd, ["modulo"])
    switches = {"modulos": TEMPLATES[template_type].switches()}
    _write(session, fmd, before, {"modulo": _prepared(fmd, model, switches, before, now, CATALOG)}, now)


def _known(patches: Mapping[str, Any], catalog: Catalog) -> dict[str, type[FmdModel]]:
    models = {name: catalog.find(name) for name in patches}
    unknown = [
        {"type": "extra_forbidden", "loc": (name,), "msg": ""} for name, model in models.items() if model is None
    ]
    if unknown:
        raise InvalidDocument(unknown)
    return {name: model for name, model in models.items() if model is not None}


def _before(session: Session, fmd: OpenFmd, names: Iterable[str]) -> dict[str, Stored]:
    """What is stored now: the models in question, and all of them where consent decides what the writer sees."""
    return stored(session, fmd.id, fmd.key, names if fmd.rights.door is Door.P else None)


def _document(before: Mapping[str, Stored], name: str) -> Document:
    return before[name].document if name in before else {}


def _prepared(
    fmd: OpenFmd, model: type[FmdModel], wanted: Any, before: Mapping[str, Stored], now: datetime, catalog: Catalog
) -> Document:
    """What is to be stored. A model that is emptied needs none of its required fields."""
    name = model.about.wire
    old = _document(before, name)
    if fmd.rights.door is not Door.P:
        wanted = _with_hidden(fmd, model, old, wanted, before)
    if wanted in ({}, None):
        return {}
    return prepare(model, wanted, old, now, fmd.fuente, catalog)


def _with_hidden(fmd: OpenFmd, model: type[FmdModel], old: Document, wanted: Any, before: Mapping[str, Stored]) -> Any:
    """Who does not see a fact cannot remove it: what is hidden from this door is put back."""
    name = model.about.wire
    seen = visible({other: entry.document for other, entry in before.items()}, fmd.rights.door)
    if model.about.door is Door.P or (old and name not in seen):
        raise MayNotManage
    hidden = fact_ids(old) - fact_ids(seen.get(name, {}))
    if not hidden or not isinstance(wanted, Mapping):
        return wanted
    kept = dict(wanted)
    for field, items in old.items():
        if isinstance(items, list):
            present = fact_ids({field: kept.get(field)})
            missing = [
                item
                for item in items
                if isinstance(item, Mapping) and item.get("id") in hidden and item["id"] not in present
            ]
            kept[field] = [*(kept.get(field) or []), *missing] if missing else kept.get(field, items)
    return kept


def _write(
    session: Session, fmd: OpenFmd, before: Mapping[str, Stored], after: Mapping[str, Document], now: datetime
) -> dict[str, Stored]:
    """Saves what really changed: the same document again makes no new version."""
    changed = {name: document for name, document in after.items() if document != _document(before, name)}
    unchanged = {name: before.get(name, Stored({}, 0, now)) for name in after if name not in changed}
    if not changed:
        return _shown(fmd, before, unchanged)
    fmd.record.version += 1
    saved = {
        name: Stored(document, save(session, fmd.record, fmd.key, name, document, str(fmd.actor), now), now)
        for name, document in changed.items()
    }
    if any(has_data(document) for document in changed.values()):
        _activate_codes(session, fmd.id)
    fmd.note(session, "record.changed", sorted(changed), now)
    return _shown(fmd, before, {**unchanged, **saved})


def _shown(fmd: OpenFmd, before: Mapping[str, Stored], answer: dict[str, Stored]) -> dict[str, Stored]:
    """Who writes is told only what she may see."""
    if fmd.rights.door is Door.P:
        return answer
    documents = {name: entry.document for name, entry in {**before, **answer}.items()}
    seen = visible(documents, fmd.rights.door)
    return {name: replace(entry, document=seen.get(name, {})) for name, entry in answer.items()}


def _activate_codes(session: Session, record_id: int) -> None:
    """A claimed code becomes active when there is something to show behind it."""
    session.execute(
        update(Product)
        .where(Product.record_id == record_id, Product.state == ProductState.CLAIMED)
        .values(state=ProductState.ACTIVE)
    )
