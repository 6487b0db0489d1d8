"""A concept of FHIR as one of our coded terms."""

from collections.abc import Mapping
from typing import Any

from ficha.fmd.fhir_codes import SYSTEMS
from ficha.fmd.fhir_reading import Coding, codings, said, word
from ficha.fmd.model_parts import Sistema, is_well_formed
from ficha.fmd.terms import class_of, lookup

SISTEMAS = {url: sistema for sistema in Sistema for name, url in SYSTEMS.items() if name == sistema}
LONGEST = 200


def coded(concept: object, language: str, model: str = "") -> dict[str, Any] | None:
    """Of several codes one that our catalogue knows, else ATC, by whose groups the rules know what a medicine does,
    else the first of a system that we know. A code of another system stays in the text, with its system named. None if
    it says nothing."""
    found = codings(concept)
    known = [(sistema, one) for one in found if (sistema := _sistema(one))]
    known.sort(key=lambda pair: (lookup(pair[0], pair[1].code) is None, pair[0] != Sistema.ATC))
    chosen = known[0] if known else None
    if chosen is None:
        other = next((one for one in found if one.code), None)
        text = said(concept)
        if other is not None:
            text = f"{text} ({other.system.rpartition('/')[2]} {other.code})".strip()
        return {"texto": one_line(text)} if text else None
    sistema, one = chosen
    text = word(concept, "text") or one.display or said(concept) or _words(sistema, one.code, language, model)
    return {"texto": one_line(text), "sistema": sistema.value, "codigo": one.code}


def texts(concepts: list[Mapping[str, Any]]) -> str | None:
    return one_line(", ".join(filter(None, map(said, concepts)))) or None


def one_line(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _sistema(one: Coding) -> Sistema | None:
    sistema = SISTEMAS.get(one.system)
    return sistema if sistema is not None and is_well_formed(sistema, one.code) else None


def _words(sistema: Sistema, code: str, language: str, model: str) -> str:
    """Of a code that came without any, as on a card."""
    found = lookup(sistema, code, model) or (class_of(code) if sistema == Sistema.ATC else None)
    return found.in_language(language) if found else f"{sistema.words.in_language(language)} {code}"
