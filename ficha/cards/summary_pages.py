"""The patient summary as PDF: what the document's narrative tells, section by section, for a hospital's files."""

from datetime import datetime
from typing import Any

from ficha.cards import printing
from ficha.cards.printing import PrintTemplate, printable
from ficha.exchange.ips.document import TITLE, SummaryDocument
from ficha.exchange.ips.narrative import NarrativeSection, detail_texts
from ficha.exchange.ips.page import NAMELESS, made_on
from ficha.fmd.fhir_codes import ALERTS


def drawn_summary(made: SummaryDocument, language: str, now: datetime) -> bytes:
    """As many pages as it needs, as PDF/A."""
    return printing.archive_pdf(PrintTemplate.SUMMARY, summary_data(made, language, now), now)


def summary_data(made: SummaryDocument, language: str, now: datetime) -> dict[str, Any]:
    """What the template is given."""
    who = made.who
    return {
        "lang": language,
        "title": TITLE.in_language(language),
        "name": printable(who.name or NAMELESS.in_language(language)),
        "traits": printable(" · ".join([*who.traits, *([who.languages] if who.languages else [])])),
        "sections": [_section(section) for section in made.sections],
        "made": printable(made_on(language, now)),
    }


def _section(section: NarrativeSection) -> dict[str, Any]:
    return {
        "title": printable(section.title),
        "alert": section.code == ALERTS,
        "facts": [
            {"title": printable(fact.title), "rest": printable("; ".join(detail_texts(fact.details)))}
            for fact in section.facts
        ],
        "sentences": [printable(sentence) for sentence in section.sentences],
    }
