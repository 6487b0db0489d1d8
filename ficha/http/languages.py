"""Which of our languages a request asks for, and the sentences of errors in it."""

import csv
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path

from ficha.accounts.accounts import Idioma
from ficha.fmd.translations import Translated

# A row for each sentence, found by its Spanish words, which stand where the error is declared.
FILE = Path(__file__).with_name("error_sentences.csv")
OURS: Mapping[str, Idioma] = {one.value: one for one in Idioma}


@lru_cache(maxsize=256)  # Browsers send few different ones, and every page asks.
def preferred_language(header: str) -> Idioma:
    """The language of ours with the highest weight; of equals, the first in the header."""
    best, weight = Idioma.ES, 0.0
    for choice in header.split(",")[:20]:
        tag, _, rest = choice.strip().partition(";")
        name = tag.partition("-")[0].strip().lower()
        asked_weight = _weight(rest)
        if name in OURS and asked_weight > weight:
            best, weight = OURS[name], asked_weight
    return best


def _weight(rest: str) -> float:
    name, _, number = rest.strip().partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        return float(number)
    except ValueError:
        return 0.0


@cache
def error_sentences() -> Mapping[str, Translated]:
    """By their Spanish words."""
    with FILE.open(encoding="utf-8", newline="") as opened:
        return {row["es"]: Translated(row["es"], row["en"], row["pt"]) for row in csv.DictReader(opened, strict=True)}


def told_in(language: Idioma, sentence: str) -> str:
    """What an error says, in this language. One that the table does not have stays Spanish; a test asks for all."""
    known = None if language is Idioma.ES else error_sentences().get(getattr(sentence, "template", sentence))
    if known is None:
        return sentence
    values: Mapping[str, object] = getattr(sentence, "values", {})
    return known.in_language(language).format(**values) if values else known.in_language(language)
