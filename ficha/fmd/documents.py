"""Turns a document that a caller sent into the one that is stored: validated, with the server's values filled in."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from ficha.fmd.base import Document, FmdModel
from ficha.fmd.catalog import CATALOG, Catalog
from ficha.fmd.faults import InvalidDocument, Path
from ficha.fmd.model_parts import Fact, Fuente, new_fact_id
from ficha.fmd.values import WriteContext

Faults = list[Mapping[str, Any]]

# What a fact has besides what it says: who said it when, what the server computes, and the order of calling.
_BESIDES = {*Fact.model_fields, "telefono_e164", "prioridad"}


def prepare_document(
    model: type[FmdModel],
    document: object,
    previous: Mapping[str, Any] | None,
    now: datetime,
    fuente: Fuente | None = None,
    catalog: Catalog = CATALOG,
    *,
    confirms: bool = True,
) -> Document:
    """The document as it is stored. Raises InvalidDocument.

    `previous` is what is stored now: a fact keeps the id it has there, and any other id is refused. New facts
    that say nothing else are confirmed today, by `fuente`, and so is a fact that says something else than before: the
    doctor who confirmed the old dose did not confirm the new one. Not so where it does not `confirms`: dates and
    sources are given with the change, or it only codes what was said. Fields with their default value are left out.
    """
    before = previous if isinstance(previous, Mapping) else {}  # What is stored may be damaged.
    try:
        entry = model.model_validate(document, context=WriteContext(now.date(), catalog.names, before))
    except ValidationError as error:
        raise InvalidDocument.of(error) from None
    faults = _assign_fact_ids(entry, fact_ids(previous), now, fuente)
    if faults:
        raise InvalidDocument(faults)
    if confirms:
        _confirm_changed_facts(entry, before, now, fuente)
    return entry.model_dump(mode="json", exclude_defaults=True)


def fact_ids(document: object) -> set[str]:
    """The ids of all facts of a stored document, damaged or not."""
    return set(_stored_facts(document))


def facts_in(value: object) -> list[Mapping[str, Any]]:
    """The items of a stored list, damaged or not, that may be facts. None for what is no list."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def _stored_facts(document: object) -> dict[str, Mapping[str, Any]]:
    values = document.values() if isinstance(document, Mapping) else ()
    return {fact["id"]: fact for value in values for fact in facts_in(value) if isinstance(fact.get("id"), str)}


def _assign_fact_ids(entry: FmdModel, known: set[str], now: datetime, fuente: Fuente | None) -> Faults:
    """Gives new facts an id, a date and a source. Returns the faults of ids that were sent and may not be."""
    faults: Faults = []
    seen: set[str] = set()
    for path, fact in _facts_of(entry):
        if fact.id is None:
            continue
        if fact.id in seen:
            faults.append(_fault(path, "id_repetido", "Dos elementos llevan el mismo id."))
        elif fact.id not in known:
            faults.append(_fault(path, "id_desconocido", "Ese id no existe. Los elementos nuevos van sin id."))
        seen.add(fact.id)
    for _, fact in _facts_of(entry):
        if fact.id is None:
            fact.id = new_fact_id(known | seen)
            fact.confirmado_en = fact.confirmado_en or now.date().isoformat()
            fact.fuente = fact.fuente or fuente
            seen.add(fact.id)
    return faults


def _confirm_changed_facts(entry: FmdModel, before: Mapping[str, Any], now: datetime, fuente: Fuente | None) -> None:
    """A date or a source that the writer changed as well stands."""
    stored = _stored_facts(before)
    for _, fact in _facts_of(entry):
        old = stored.get(fact.id or "")
        if old is None or _says_the_same(fact, old):
            continue
        if (fact.confirmado_en, fact.fuente) == (old.get("confirmado_en"), old.get("fuente")):
            fact.confirmado_en, fact.fuente = now.date().isoformat(), fuente


def _says_the_same(fact: Fact, old: Mapping[str, Any]) -> bool:
    try:
        known = type(fact).model_validate(old, extra="ignore")  # As it would be written today.
    except ValidationError:
        return False
    return fact.model_dump(exclude=_BESIDES) == known.model_dump(exclude=_BESIDES)


def _facts_of(entry: FmdModel) -> Iterator[tuple[Path, Fact]]:
    for name in type(entry).model_fields:
        value = getattr(entry, name)
        if isinstance(value, list):
            yield from (((name, index), item) for index, item in enumerate(value) if isinstance(item, Fact))


def _fault(path: Path, kind: str, text: str) -> Mapping[str, Any]:
    return {"type": kind, "loc": (*path, "id"), "msg": text}
