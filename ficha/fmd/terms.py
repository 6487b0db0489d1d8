"""The catalogue of common emergency terms: a word in any of three languages gives a code, and a code gives words.

`terms.csv` holds the terms and `kinds.csv` the field each is meant for; both are read on first use. Every code was
looked up in a published list, never written from memory.
"""

import csv
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from ficha.fmd.spelling import distance, folded, trigrams, words_in
from ficha.fmd.translations import Translated

ATTRIBUTION = (
    "This catalogue contains codes of the SNOMED CT Global Patient Set (GPS), © SNOMED International, used under the"
    " Creative Commons Attribution 4.0 International Licence. SNOMED CT is a registered trademark of SNOMED"
    " International. ATC codes are those of the WHO Collaborating Centre for Drug Statistics Methodology; CVX codes"
    " are those of the CDC. The Spanish, English and Portuguese words are ours."
)

# Only this many words are compared letter by letter: the others have too little in common with what was typed.
CANDIDATES = 25
MAX_WORDS = 8
MAX_LETTERS = 40


class Term(NamedTuple):
    modelo: str
    sistema: str
    codigo: str
    words: Translated
    campo: str


@dataclass(frozen=True)
class Index:
    """The terms, and the places of the terms that contain each word."""

    terms: tuple[Term, ...]
    texts: tuple[str, ...]
    by_code: Mapping[tuple[str, str], Mapping[str, Term]]
    by_word: Mapping[str, set[int]]
    by_trigram: Mapping[str, set[str]]


def all_terms() -> tuple[Term, ...]:
    return _index().terms


def lookup(sistema: str, codigo: str, model: str = "") -> Translated | None:
    """The words of a code, preferably those of `model`: a drug may have another name as an allergen."""
    by_model = _index().by_code.get((sistema, codigo))
    if by_model is None:
        return None
    term = by_model.get(model) or next(iter(by_model.values()))
    return term.words


def class_of(codigo: str) -> Translated | None:
    """The words of the smallest ATC group around a code that has none of its own."""
    by_code = _index().by_code
    groups = (by_code.get(("atc", codigo[:length])) for length in (5, 4, 3) if length < len(codigo))
    found = next(filter(None, groups), None)
    return next(iter(found.values())).words if found else None


def search(q: str, model: str = "", limit: int = 20, campo: str = "") -> list[Term]:
    """The best matches first. Accents, case, word order and a letter or two do not matter; a code's beginning works."""
    index = _index()
    scores = _scores(index, q)
    ranked = sorted(scores, key=lambda place: (-scores[place], len(index.terms[place].words.es), place))
    chosen: dict[tuple[str, str], Term] = {}
    for term in (index.terms[place] for place in ranked):
        if term.modelo == (model or term.modelo) and term.campo == (campo or term.campo):
            chosen.setdefault((term.sistema, term.codigo), term)
    return list(chosen.values())[:limit]


def _scores(index: Index, q: str) -> dict[int, int]:
    """A score for each term that has something like every word typed, or a code that begins like that."""
    scores: dict[int, int] = {}
    phrase = folded(q).strip()
    per_word = [_scores_of_word(index, word) for word in words_in(q)[:MAX_WORDS]]
    if per_word:
        for place in set.intersection(*map(set, per_word)):
            scores[place] = sum(found[place] for found in per_word) + 10 * (phrase in index.texts[place])
    code = q.strip().upper()
    if len(code) >= 2 and any(letter.isdigit() for letter in code):
        for place, term in enumerate(index.terms):
            if term.codigo.startswith(code):
                scores[place] = 1000 if term.codigo == code else 500
    return scores


def _scores_of_word(index: Index, typed: str) -> dict[int, int]:
    scores: dict[int, int] = {}
    for word, score in _spellings(index, typed[:MAX_LETTERS]):
        for place in index.by_word[word]:
            scores[place] = max(score, scores.get(place, 0))
    return scores


def _spellings(index: Index, typed: str) -> Iterator[tuple[str, int]]:
    """Words that `typed` may stand for: that word, its beginning, a part of it or, failing that, it misspelt."""
    begins = False
    for word in index.by_word:
        if word.startswith(typed):
            begins = True
            yield word, 100 if word == typed else 80
        elif len(typed) > 2 and typed in word:
            yield word, 60
    if not begins:
        yield from _misspelt(index, typed)


def _misspelt(index: Index, typed: str) -> Iterator[tuple[str, int]]:
    errors_allowed = (len(typed) + 1) // 4
    shared: Counter[str] = Counter()
    for trigram in trigrams(typed):
        shared.update(index.by_trigram.get(trigram, ()))
    for word, _ in shared.most_common(CANDIDATES if errors_allowed else 0):
        # The word may not be typed to its end, so at most one letter more than was typed is compared.
        errors = distance(typed, word[: len(typed) + 1], errors_allowed)
        if errors <= errors_allowed:
            yield word, 50 - 10 * errors


@cache
def _index() -> Index:
    kinds = {(row["modelo"], row["sistema"], row["codigo"]): row["campo"] for row in _rows("kinds.csv")}
    terms = []
    by_code: dict[tuple[str, str], dict[str, Term]] = {}
    by_word: dict[str, set[int]] = {}
    by_trigram: dict[str, set[str]] = {}
    for place, row in enumerate(_rows("terms.csv")):
        name = (row["modelo"], row["sistema"], row["codigo"])
        term = Term(*name, Translated(row["es"], row["en"], row["pt"]), kinds[name])
        terms.append(term)
        by_code.setdefault(name[1:], {})[term.modelo] = term
        for word in words_in(" ".join(term.words)):
            by_word.setdefault(word, set()).add(place)
    for word in by_word:
        for trigram in trigrams(word):
            by_trigram.setdefault(trigram, set()).add(word)
    return Index(tuple(terms), tuple(folded(" ".join(term.words)) for term in terms), by_code, by_word, by_trigram)


def _rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(files("ficha.fmd").joinpath(name).read_text("utf-8").splitlines()))
