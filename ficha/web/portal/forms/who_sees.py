"""Who sees what, in the form of consent: one control for each section and each fact, with its consequence in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ficha.accounts.accounts import Idioma
from ficha.fmd.base import Document, has_data
from ficha.fmd.catalog import CATALOG
from ficha.fmd.consent import CONSENT
from ficha.fmd.responder.generic import titled_facts
from ficha.fmd.responder.record_reader import RecordReader
from ficha.web.kit.language import translator
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("portal", "form")


@dataclass(frozen=True)
class Control:
    """`key` is the model, or the model and a fact of it, as the record's consent names them. `now` is what holds; empty
    for a fact that follows its section. `usual` says what holds when nothing is chosen."""

    key: str
    words: str
    now: str
    usual: str


def controls(
    documents: Mapping[str, Document], reader: RecordReader, language: Idioma
) -> list[tuple[Control, list[Control]]]:
    """Of each section with data its control, and those of its facts."""
    t = translator(language, PHRASES)
    decided: Mapping[str, Any] = documents.get(CONSENT, {}).get("visibilidad") or {}
    sections = []
    for model in CATALOG:
        wire = model.about.wire
        if not has_data(documents.get(wire)) or wire == CONSENT:
            continue
        usual = t("as_usual", words=t(f"door_{model.about.door}").lower())
        now = str(decided.get(wire, "")) or model.about.door.value
        whole = Control(wire, model.about.title.in_language(language), now, usual)
        facts = [
            Control(key := f"{wire}/{fact}", words, str(decided.get(key, "")), t("as_section"))
            for fact, words in titled_facts(reader, model)
        ]
        sections.append((whole, facts))
    return sections
