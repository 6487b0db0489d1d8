"""A proposal against the record as it is now: new, already there, or different; and what the record would say then."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ficha.exchange.imports.proposals import ProposedFact, field_of
from ficha.fmd.base import AbsenceField, Document, FmdModel
from ficha.fmd.catalog import CATALOG
from ficha.fmd.fields import ShapeField, fields_of
from ficha.fmd.model_parts import Absence
from ficha.fmd.terms import folded
from ficha.fmd.translations import Choice

# What the server writes, and who said it when: two facts that differ in these alone are one.
ABOUT_FACTS = frozenset({"id", "confirmado_en", "fuente", "telefono_e164"})
# Which fields tell two items of a list apart, where it is not what each must have.
NAMED_BY: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("salud", "cirugias"): ("texto", "fecha"),
    ("vacuna", "vacunas"): ("vacuna", "fecha"),
    ("cardiologico", "dispositivos"): ("tipo", "modelo", "fecha_implante"),
    ("emergencia", "contactos"): ("nombre",),
    ("consideracion", "consideraciones"): ("tipo", "descripcion"),
}


class Effect(Choice):
    """What accepting would do."""

    NEW = "nuevo", "Nuevo", "New", "Novo"
    SAME = "igual", "Ya está en la ficha", "Already in the record", "Já está na ficha"
    DIFFERENT = (
        "distinto",
        "Distinto de lo que dice la ficha",
        "Differs from what the record says",
        "Diferente do que diz a ficha",
    )
    CONTRADICTS = (
        "contradice",
        "Contradice lo que dice la ficha",
        "Contradicts what the record says",
        "Contradiz o que diz a ficha",
    )


@dataclass(frozen=True)
class Compared:
    """`now`: what the record says of it; None where it says nothing. `patch`: what changes in the document."""

    effect: Effect
    now: dict[str, Any] | None
    patch: Document


def compared(fact: ProposedFact, document: Mapping[str, Any], about: Mapping[str, Any] | None = None) -> Compared:
    """`about`: when and by whom an item would be confirmed."""
    model = CATALOG.find(fact.model)
    assert model is not None, fact.model
    return _item(model, fact, document, about or {}) if fact.field else _values(model, fact, document)


def _item(model: type[FmdModel], fact: ProposedFact, document: Mapping[str, Any], about: Mapping[str, Any]) -> Compared:
    field = field_of(model, fact.field)
    assert field is not None and field.shape is not None
    stored = document.get(fact.field)
    there = [one for one in stored if isinstance(one, Mapping)] if isinstance(stored, list) else []
    value = {name: part for name, part in fact.value.items() if name not in ABOUT_FACTS}
    names = NAMED_BY.get((fact.model, fact.field)) or tuple(_required(field))
    like = [one for one in there if all(_agree(one.get(name), value.get(name)) for name in names)]
    if any(_says(one, value) for one in like):
        return Compared(Effect.SAME, dict(next(one for one in like if _says(one, value))), {})
    if not like:
        cleared = {name: None for name in _absences_of(model, fact.field) if name in document}
        return Compared(Effect.NEW, None, {fact.field: [*there, {**value, **about}], **cleared})
    old = like[0]
    changed = {**_joined(old, value), **about}
    return Compared(Effect.DIFFERENT, dict(old), {fact.field: [changed if one is old else one for one in there]})


def _values(model: type[FmdModel], fact: ProposedFact, document: Mapping[str, Any]) -> Compared:
    now = {name: document[name] for name in fact.value if document.get(name) not in (None, "", [], {})}
    for mark in (field.shown for field in fields_of(model)):
        if isinstance(mark, AbsenceField) and _name_of(model, mark) in fact.value:
            return _absence(fact, document, now, mark.list_field)
    if all(name in now and _covers(now[name], part) for name, part in fact.value.items()):
        return Compared(Effect.SAME, now, {})
    changed = {
        name: _joined(now[name], part)
        if isinstance(part, Mapping) and isinstance(now.get(name), Mapping)
        else _with_more(now[name], part)
        if isinstance(part, list) and isinstance(now.get(name), list)
        else part
        for name, part in fact.value.items()
    }
    return Compared(Effect.DIFFERENT if now else Effect.NEW, now or None, changed)


def _absence(fact: ProposedFact, document: Mapping[str, Any], now: dict[str, Any], field: str) -> Compared:
    """What is listed is not denied, and what was answered is not unasked."""
    if document.get(field):
        return Compared(Effect.CONTRADICTS, {field: document[field]}, {})
    if now and (now == fact.value or Absence.NO_PREGUNTADO in fact.value.values()):
        return Compared(Effect.SAME, now, {})
    return Compared(Effect.DIFFERENT if now else Effect.NEW, now or None, dict(fact.value))


def _required(field: ShapeField) -> list[str]:
    assert field.shape is not None
    return [one.name for one in fields_of(field.shape) if one.required]


def _absences_of(model: type[FmdModel], list_field: str) -> list[str]:
    marks = ((one.name, one.shown) for one in fields_of(model))
    return [name for name, mark in marks if isinstance(mark, AbsenceField) and mark.list_field == list_field]


def _name_of(model: type[FmdModel], mark: AbsenceField) -> str:
    return next(one.name for one in fields_of(model) if one.shown is mark)


def _agree(one: Any, other: Any) -> bool:
    """Whether both may mean the same thing: what one of them leaves open does not tell them apart."""
    return one in (None, "") or other in (None, "") or _covers(one, other) or _covers(other, one)


def _says(item: Mapping[str, Any], value: Mapping[str, Any]) -> bool:
    """All that is proposed."""
    return _covers({name: part for name, part in item.items() if name not in ABOUT_FACTS}, value)


def _covers(known: Any, new: Any) -> bool:
    """Whether `new` adds nothing. Terms are the same by their code, in whichever words; 2019-04 says more than 2019."""
    if isinstance(known, Mapping) and isinstance(new, Mapping):
        if known.get("codigo") and new.get("codigo"):
            is_term = (known["codigo"], known.get("sistema")) == (new["codigo"], new.get("sistema"))
            rest = {name: part for name, part in new.items() if name not in ("texto", "sistema", "codigo")}
            return is_term and all(_covers(known.get(name), part) for name, part in rest.items())
        return all(_covers(known.get(name), part) for name, part in new.items())
    if isinstance(known, list) and isinstance(new, list):
        return all(any(_covers(one, part) for one in known) for part in new)
    if isinstance(known, str) and isinstance(new, str):
        return _key(known) == _key(new) or (_is_partial(new) and known.startswith(f"{new}-"))
    return bool(known == new)


def _joined(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """What is new in the place of what was there; what it does not speak of stays."""
    joined = dict(old)
    for name, part in new.items():
        was = old.get(name)
        if was is not None and _covers(was, part):
            continue
        joined[name] = _with_more(was, part) if isinstance(was, list) and isinstance(part, list) else part
    return joined


def _with_more(known: list[Any], new: list[Any]) -> list[Any]:
    return [*known, *(one for one in new if not any(_covers(old, one) for old in known))]


def _key(text: str) -> str:
    return " ".join(folded(text).split())


def _is_partial(text: str) -> bool:
    return len(text) in (4, 7) and text[:4].isdecimal()
