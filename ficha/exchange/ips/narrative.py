"""What a section tells people, in the reader's language: every fact with all it says, as XHTML that FHIR allows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from ficha.core.text_types import safe
from ficha.fmd.base import FmdModel, Shape
from ficha.fmd.fhir_parts import Resource
from ficha.fmd.fields import ShapeField, fields_of
from ficha.fmd.model_parts import Coded
from ficha.fmd.responder import phrases
from ficha.fmd.responder.allergies import risk_of
from ficha.fmd.responder.conditions import pregnancy_details
from ficha.fmd.responder.generic import field_text, labelled_texts
from ficha.fmd.responder.record_reader import RecordReader
from ficha.fmd.translations import Translated

# Said by the title of a fact that is nothing but a term.
TERM_FIELDS = frozenset({"texto", "sistema", "codigo"})


# Fields told in the words of the responder page, because their own would promise too much.
SAID_SAFER = frozenset({"compatible_rm", "criticidad"})
ALLERGY_MODELS = frozenset({"alergiasm", "alergiasa"})
# Told as on the responder page, which says where its due date is long past.
PREGNANCY = "embarazo"
# Ids of ours, which say nothing to people.
SILENT = frozenset({"documento_id"})


class NarrativeFact(NamedTuple):
    """A fact as people read it: what it is, and labels with what they say."""

    title: str
    details: Sequence[tuple[str, str]] = ()


class NarrativeSection(NamedTuple):
    """`sentences` say why there is nothing, or that something is not shown."""

    code: str
    title: str
    facts: Sequence[NarrativeFact] = ()
    sentences: Sequence[str] = ()


def narrative_fact(record: RecordReader, model: type[FmdModel], told: Shape | str) -> NarrativeFact | None:
    """A fact of the model, or one field of it: where that holds others, each of them with its label."""
    wire = model.about.wire
    if isinstance(told, str):
        return _told_field(record, model, told)
    item: dict[str, Any] = told.model_dump(mode="json", exclude_none=True)
    kept = {name: value for name, value in item.items() if name not in SAID_SAFER}
    safer = [("", record.translate(words)) for words in _safer_words(wire, item)]
    if isinstance(told, Coded):
        title = record.term_text(item, wire)
        rest = {name: value for name, value in kept.items() if name not in TERM_FIELDS}
        return _fact(title.words, [*safer, *labelled_texts(record, wire, type(told), rest)]) if title else None
    (_, words), *details = labelled_texts(record, wire, type(told), kept)
    return _fact(words, [*safer, *details])


def _safer_words(wire: str, item: Mapping[str, Any]) -> Iterator[Translated]:
    risk = risk_of(item) if wire in ALLERGY_MODELS else None
    if risk is not None:
        yield risk
    if "compatible_rm" in item:
        yield phrases.MRI_SAFE if item["compatible_rm"] else phrases.MRI_UNSAFE


def _told_field(record: RecordReader, model: type[FmdModel], name: str) -> NarrativeFact | None:
    wire, field = model.about.wire, _field(model, name)
    value = record.document(wire).get(name)
    label = record.translate(field.shown.label)
    if name == PREGNANCY:
        return _fact(label, [("", said.words) for said in pregnancy_details(record)])
    notes = [("", record.translate(field.shown.help))] if field.shown.help else []
    if field.shape and isinstance(value, dict):
        inner = {key: part for key, part in value.items() if key not in SILENT}
        return _fact(label, [*labelled_texts(record, wire, field.shape, inner), *notes])
    words = field_text(record, wire, field, value)
    return _fact(label, [("", words), *notes]) if words else None


@cache
def _field(model: type[FmdModel], name: str) -> ShapeField:
    return next(field for field in fields_of(model) if field.name == name)


def _fact(title: str, details: Sequence[tuple[str, str]]) -> NarrativeFact:
    return NarrativeFact(title[:1].upper() + title[1:], details)


def narrative(section: NarrativeSection, language: str) -> Resource:
    about = f'xmlns="http://www.w3.org/1999/xhtml" lang="{language}" xml:lang="{language}"'
    return {"status": "generated", "div": f"<div {about}>{narrative_body(section)}</div>"}


def narrative_body(section: NarrativeSection) -> str:
    lines = "".join(f"<li>{_line(fact)}</li>" for fact in section.facts)
    said = "".join(f"<p>{safe(sentence)}</p>" for sentence in section.sentences)
    return f"<ul>{lines}</ul>{said}" if lines else said


def _line(fact: NarrativeFact) -> str:
    details = safe("; ".join(detail_texts(fact.details)))
    return f"<b>{safe(fact.title)}</b>; {details}" if details else f"<b>{safe(fact.title)}</b>"


def detail_texts(details: Iterable[tuple[str, str]]) -> list[str]:
    return [f"{label}: {words}" if label else words for label, words in details]
