"""Texts that can be read in three languages but are carried once: what the catalogue knows stands there by name.

A reference is `{the Spanish words}`. Whoever reads it looks the words up in the table that comes with the viewer; one
that the viewer does not know is still readable Spanish, where a bare code would be nothing. It costs no more than the
code: the Spanish words lie in the dictionary of the compression, so either takes about three bytes.
"""

from collections.abc import Mapping
from functools import cache

from ficha.fmd.sign_conditions import sign_table
from ficha.fmd.terms import all_terms
from ficha.fmd.translations import Translated

# Braces in what somebody wrote are references to themselves, and every line stays one line.
ESCAPES = str.maketrans({"{": "{(}", "}": "{)}", "\n": " ", "\r": " "})
# Tells apart words that are the same in Spanish and not in the others. It is not shown.
NAMESAKE = "~"


@cache
def references() -> Mapping[str, Translated]:
    """Every reference there is: those of the stop signs, then the terms."""
    signs = sign_table()
    known = [Translated(**line["words"]) for rule in signs["rules"] for line in rule["lines"]]
    known += [Translated(**words) for words in signs["phrases"].values()]
    known += [term.words for term in all_terms()]
    named: dict[str, Translated] = {}
    for words in dict.fromkeys(known):
        name = words.es
        while name in named:
            name += NAMESAKE
        named[name] = words
    return named


def referring(words: Translated) -> str:
    """The text with references, from which all three can be made again; failing that, the Spanish one as it is."""
    es, en, pt = words
    parts: list[str] = []
    while es:
        found = _beginning(es, en, pt)
        if found:
            name, known = found
            parts.append(f"{{{name}}}")
            es, en, pt = es[len(known.es) :], en[len(known.en) :], pt[len(known.pt) :]
        elif es[0] == en[:1] == pt[:1]:
            parts.append(as_written(es[0]))
            es, en, pt = es[1:], en[1:], pt[1:]
        else:
            return as_written(words.es)
    return "".join(parts) if not en and not pt else as_written(words.es)


def as_written(text: str) -> str:
    """Somebody's own words, which nobody translates."""
    return text.translate(ESCAPES)


def _beginning(es: str, en: str, pt: str) -> tuple[str, Translated] | None:
    """The longest known words with which all three texts begin."""
    for name, words in _by_beginning().get(es[:2], ()):
        if es.startswith(words.es) and en.startswith(words.en) and pt.startswith(words.pt):
            return name, words
    return None


@cache
def _by_beginning() -> Mapping[str, list[tuple[str, Translated]]]:
    ordered = sorted(references().items(), key=lambda pair: -sum(map(len, pair[1])))
    found: dict[str, list[tuple[str, Translated]]] = {}
    for name, words in ordered:
        found.setdefault(words.es[:2], []).append((name, words))
    return found
