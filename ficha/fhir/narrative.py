"""What a section tells people, in the reader's language: every fact with all it says, as XHTML that FHIR allows."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from ficha.fmd.base import FmdModel, Shape
from ficha.fmd.fhir_parts import Resource
from ficha.fmd.model_parts import Coded
from ficha.fmd.responder.generic import labelled_texts
from ficha.fmd.responder.record_reader import RecordReader

# Said by the title of a fact that is nothing but a term.
TERM_FIELDS = frozenset({"texto", "sistema", "codigo"})


class ToldFact(NamedTuple):
    """A fact as people read it: what it is, and labels with what they say."""

    title: str
    details: Sequence[tuple[str, str]] = ()


class ToldSection(NamedTuple):
    """`sentences` say why there is nothing, or that something is not shown."""

    code: str
    title: str
    facts: Sequence[ToldFact] = ()
    sentences: Sequence[str] = ()


def told_fact(record: RecordReader, model: type[FmdModel], told: Shape | str) -> ToldFact | None:
    """A fact of the model, or one field of it."""
    wire = model.about.wire
    if isinstance(told, str):
        found = list(labelled_texts(record, wire, model, record.document(wire), {told}))
        return ToldFact(found[0][0], (("", found[0][1]),)) if found else None
    item: Mapping[str, Any] = told.model_dump(mode="json", exclude_none=True)
    if isinstance(told, Coded):
        title = record.term_text(item, wire)
        rest = {name: value for name, value in item.items() if name not in TERM_FIELDS}
        return ToldFact(title.words, tuple(labelled_texts(record, wire, type(told), rest))) if title else None
    (_, words), *details = labelled_texts(record, wire, type(told), item)
    return ToldFact(words, details)


def narrative(section: ToldSection, language: str) -> Resource:
    lines = "".join(f"<li>{_line(fact)}</li>" for fact in section.facts)
    said = "".join(f"<p>{escape(sentence)}</p>" for sentence in section.sentences)
    listed = f"<ul>{lines}</ul>" if lines else ""
    div = f'<div xmlns="http://www.w3.org/1999/xhtml" lang="{language}" xml:lang="{language}">{listed}{said}</div>'
    return {"status": "generated", "div": div}


def _line(fact: ToldFact) -> str:
    return "; ".join([f"<b>{escape(fact.title)}</b>", *(escape(text) for text in detail_texts(fact.details))])


def detail_texts(details: Iterable[tuple[str, str]]) -> list[str]:
    return [f"{label}: {words}" if label else words for label, words in details]
