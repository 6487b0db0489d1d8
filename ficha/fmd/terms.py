"""The catalogue of common emergency terms: a word in any of three languages gives a code, and a code gives words.

`terms.csv` holds the terms and `kinds.csv` the field each is meant for; `medicine_names.csv` holds other names of
medicines: of the trade, of salts and of common speech. All are read on first use. Every code was looked up in a
published list, never written from memory; which substance a name of the trade means was not, and a pharmacist should
read that file. A name that means different substances by country or box has no code there, and the file says why.
"""

import csv
import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import takewhile
from typing import NamedTuple

from ficha.fmd.translations import Translated

_WORD = re.compile(r"[0-9a-z]+")
# How much is in a pill says nothing of what it is. Two numbers do: a combination writes them as 160/12.5.
_DOSE = re.compile(r"(?<!\S)[0-9]+(?:[.,][0-9]+)?\s?(?:mg|mcg|ug|g|ml|ui|iu|%)?(?!\S)")


def folded(text: str) -> str:
    """Lower case, without accents."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def words_in(text: str) -> list[str]:
    """The words, each once. Joining words of one or two letters count only when there is nothing else."""
    words = list(dict.fromkeys(_WORD.findall(folded(text))))
    return [word for word in words if len(word) > 2 or word.isdigit()] or words


def name_key(text: str) -> str:
    """A name as it is compared: without accents, capitals, hyphens or a dose."""
    return " ".join(_WORD.findall(_DOSE.sub(" ", folded(text)))) if "/" not in text else folded(text)


def trigrams(word: str) -> set[str]:
    """Runs of three letters, the beginning marked: what two spellings of a word have in common."""
    marked = f"^^{word}$"
    return {marked[at : at + 3] for at in range(len(marked) - 2)}


def distance(one: str, other: str, limit: int) -> int:
    """Letters to add, drop, change or swap with the neighbour to get from one word to the other.

    Anything above `limit` is only known to be above it.
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one):
        last, row = row, [i + 1]
        for j, b in enumerate(other):
            if a == b:
                cost = last[j]
            elif i and j and a == other[j - 1] and one[i - 1] == b:
                cost = min(before[j - 1], last[j], last[j + 1], row[j]) + 1
            else:
                cost = min(last[j], last[j + 1], row[j]) + 1
            row.append(cost)
        if min(row) > limit:
            return limit + 1
        before = last
    return row[-1]


# Only this many words are compared letter by letter: the others have too little in common with what was typed.
CANDIDATES = 25
MAX_WORDS = 8
MAX_LETTERS = 40
SHORTEST_NAME = 3
# What is added to a word for several of it: a class is named so.
PLURALS = ("", "s", "es")


class Term(NamedTuple):
    modelo: str
    sistema: str
    codigo: str
    words: Translated
    campo: str
    # The name by which a search found it, if not by its words.
    nombre: str = ""

    @property
    def rank(self) -> int:
        """A class before its members: their codes are longer. Other lists do not tell."""
        return len(self.codigo) if self.sistema == "atc" else 0


@dataclass(frozen=True)
class Index:
    """The terms, and the indexes of the terms that contain each word."""

    terms: tuple[Term, ...]
    # The words of each, a line for each language.
    texts: tuple[str, ...]
    by_code: Mapping[tuple[str, str], Mapping[str, Term]]
    by_word: Mapping[str, set[int]]
    by_trigram: Mapping[str, set[str]]
    # Other names of medicines, in order, and what each means: how it is written, and the code or nothing.
    names: Sequence[str]
    by_name: Mapping[str, tuple[str, str]]
    by_atc: Mapping[str, Sequence[int]]


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
    """The best matches first, a class before its members. Accents, case, word order and a letter or two do not matter;
    a code's beginning works. A medicine is found by its other names too, but only as they are written or begin: names
    of the trade are too much alike for guesses. One that may mean several substances finds nothing."""
    index = _index()
    known = index.by_name.get(name_key(q))
    if known is not None and not known[1]:
        return []
    names = _names(index, q)
    scores = _scores(index, q, is_name=known is not None)
    found_by: dict[int, str] = {}
    for at, (name, score) in names.items():
        if score > scores.get(at, 0):
            scores[at] = score
            found_by[at] = name if folded(name) not in index.texts[at] else ""
    terms = index.terms
    chosen: dict[tuple[str, str], Term] = {}
    for at in sorted(scores, key=lambda at: (-scores[at], terms[at].rank, len(terms[at].words.es), at)):
        term = terms[at]
        if term.modelo == (model or term.modelo) and term.campo == (campo or term.campo):
            chosen.setdefault((term.sistema, term.codigo), term._replace(nombre=found_by.get(at, "")))
    return list(chosen.values())[:limit]


def _names(index: Index, q: str) -> dict[int, tuple[str, int]]:
    """The medicines with exactly this name or, failing that, with one that begins so: that name, and a score."""
    typed = name_key(q)
    if typed in index.by_name:
        found, score = [typed], 200
    else:
        begun = index.names[bisect_left(index.names, typed) :] if len(typed) >= SHORTEST_NAME else ()
        found, score = list(takewhile(lambda name: name.startswith(typed), begun)), 80
    by_term: dict[int, tuple[str, int]] = {}
    for name, code in map(index.by_name.__getitem__, found):
        for at in index.by_atc[code] if code else ():
            by_term.setdefault(at, (name, score))
    return by_term


def _scores(index: Index, q: str, *, is_name: bool) -> dict[int, int]:
    """A score for each term that has something like every word typed, or a code that begins like that. What is the name
    of something is not taken for a misspelt word."""
    scores: dict[int, int] = {}
    phrase = folded(q).strip()
    per_word = [_scores_of_word(index, word, is_name=is_name) for word in words_in(q)[:MAX_WORDS]]
    if per_word:
        for at in set.intersection(*map(set, per_word)):
            text = index.texts[at]
            whole = 10 * (phrase in text) + 10 * (f"\n{phrase}" in text)
            scores[at] = sum(found[at] for found in per_word) + whole
    code = q.strip().upper()
    if len(code) >= 2 and any(letter.isdigit() for letter in code):
        for at, term in enumerate(index.terms):
            if term.codigo.startswith(code):
                scores[at] = 1000 if term.codigo == code else 500
    return scores


def _scores_of_word(index: Index, typed: str, *, is_name: bool) -> dict[int, int]:
    scores: dict[int, int] = {}
    for word, score in _spellings(index, typed[:MAX_LETTERS], is_name=is_name):
        for at in index.by_word[word]:
            scores[at] = max(score, scores.get(at, 0))
    return scores


def _spellings(index: Index, typed: str, *, is_name: bool) -> Iterator[tuple[str, int]]:
    """Words that `typed` may stand for: that word or its plural, its beginning, a part of it or, failing that, it
    misspelt."""
    begins = is_name
    for word in index.by_word:
        if word.startswith(typed):
            begins = True
            yield word, 100 if word[len(typed) :] in PLURALS else 80
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
    for at, row in enumerate(_rows("terms.csv")):
        name = (row["modelo"], row["sistema"], row["codigo"])
        term = Term(*name, Translated(row["es"], row["en"], row["pt"]), kinds[name])
        terms.append(term)
        by_code.setdefault(name[1:], {})[term.modelo] = term
        for word in words_in(" ".join(term.words)):
            by_word.setdefault(word, set()).add(at)
    for word in by_word:
        for trigram in trigrams(word):
            by_trigram.setdefault(trigram, set()).add(word)
    texts = tuple("".join(f"\n{folded(words)}" for words in term.words) for term in terms)
    by_name = {name_key(row["nombre"]): (row["nombre"], row["codigo"]) for row in _rows("medicine_names.csv")}
    by_atc: dict[str, list[int]] = {}
    for at, term in enumerate(terms):
        if term.sistema == "atc":
            by_atc.setdefault(term.codigo, []).append(at)
    return Index(tuple(terms), texts, by_code, by_word, by_trigram, sorted(by_name), by_name, by_atc)


def _rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(files("ficha.fmd").joinpath(name).read_text("utf-8").splitlines()))
