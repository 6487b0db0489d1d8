"""A proposal in words: what the document says, and what the record says of the same."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from pydantic import ValidationError

from ficha.exchange.imports.comparison import Effect, compared
from ficha.exchange.imports.content import Proposal
from ficha.exchange.imports.proposals import field_of
from ficha.exchange.ips.narrative import NarrativeFact, detail_texts, narrative_fact
from ficha.fmd.base import Door, FmdModel
from ficha.fmd.catalog import CATALOG
from ficha.fmd.dates_and_amounts import date_text
from ficha.fmd.responder.record_reader import RecordReader


class ProposalWords(NamedTuple):
    number: int
    effect: str
    decision: str
    words: Sequence[str]
    now: Sequence[str]
    day: str


def proposal_words(
    number: int, proposal: Proposal, documents: Mapping[str, Any], today: date, language: str
) -> ProposalWords:
    model = CATALOG.find(proposal.model)
    assert model is not None, proposal.model
    result = compared(proposal.fact, documents.get(proposal.model, {}))
    now = result.now if result.effect in (Effect.DIFFERENT, Effect.CONTRADICTS) else None
    field = proposal.field if result.effect is not Effect.CONTRADICTS else ""
    return ProposalWords(
        number,
        result.effect,
        proposal.decision,
        _words(model, proposal.field, proposal.value, today, language),
        _words(model, field, now, today, language) if now else [],
        date_text(proposal.date, language),
    )


def _words(model: type[FmdModel], field: str, value: Mapping[str, Any], today: date, language: str) -> list[str]:
    """Every fact as one line."""
    wire = model.about.wire
    if not field:
        reader = RecordReader({wire: dict(value)}, Door.P, today, language)
        told = [narrative_fact(reader, model, name) for name in value if field_of(model, name)]
        return [_line(one) for one in told if one is not None]
    listed = field_of(model, field)
    assert listed is not None and listed.shape is not None
    try:
        item = listed.shape.model_validate(value, extra="ignore")
    except ValidationError:
        return []
    one = narrative_fact(RecordReader({}, Door.P, today, language), model, item)
    return [_line(one)] if one is not None else []


def _line(fact: NarrativeFact) -> str:
    said = detail_texts(fact.details)
    if fact.details and not fact.details[0][0]:  # A field and what it says.
        return "; ".join([f"{fact.title}: {said[0]}", *said[1:]])
    return "; ".join([fact.title, *said])
