"""Compares words as people type them: without accents, with letters missing, doubled or changed."""

import re
import unicodedata

_WORD = re.compile(r"[0-9a-z]+")


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


def trigrams(word: str) -> set[str]:
    """Runs of three letters, the beginning marked: what two spellings of a word have in common."""
    marked = f"^^{word}$"
    return {marked[place : place + 3] for place in range(len(marked) - 2)}


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
