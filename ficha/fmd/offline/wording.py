"""Texts that a sticker holds once and a viewer shows in three languages: known words are written as references.

A reference is `{the Spanish words}`. The viewer looks the words up in its table; those that it does not know are still
readable Spanish, while a bare code would not be. A reference is as short as a code: the Spanish words are in the
dictionary of the compression, so either takes about three bytes.

A date is `{@20270201}`: the viewer writes it in its language.
"""

import re
from collections.abc import Mapping
from functools import cache

from ficha.fmd.dates_and_amounts import date_text
from ficha.fmd.models.choices import TipoVoluntad
from ficha.fmd.models.health import TipoConsideracion
from ficha.fmd.responder import phrases
from ficha.fmd.rules.rule_files import sign_table
from ficha.fmd.terms import all_terms
from ficha.fmd.translations import Translated

# Braces that somebody wrote become references to themselves, and line breaks become spaces.
ESCAPES = str.maketrans({"{": "{(}", "}": "{)}", "\n": " ", "\r": " "})
# Added to words that are the same in Spanish but differ in another language. It is not shown.
SAME_IN_SPANISH = "~"
DATE = "@"
WRITTEN_DATE = re.compile(r"([0-9]{2})/([0-9]{2})/([0-9]{4})")


@cache
def references() -> Mapping[str, Translated]:
    """All references: those of the stop signs, then the terms, then kinds of needs and wishes. A later one never takes
    the name of an earlier one, which printed stickers hold."""
    signs = sign_table()
    known = [Translated(**line["words"]) for rule in signs["rules"] for line in rule["lines"]]
    known += [Translated(**words) for words in signs["phrases"].values()]
    # Words that stickers printed earlier hold.
    known += [Translated(**words) for words in signs["former_words"]]
    known += [term.words for term in all_terms()]
    known += [kind.words for kind in (*TipoConsideracion, *TipoVoluntad)]
    known += [phrases.OTHER_NEED, phrases.DIRECTIVE]
    named: dict[str, Translated] = {}
    for words in dict.fromkeys(known):
        name = words.es
        while name in named:
            name += SAME_IN_SPANISH
        named[name] = words
    return named


def with_references(words: Translated) -> str:
    """The text with references, from which all three languages can be made; if that fails, the Spanish text."""
    es, en, pt = words
    parts: list[str] = []
    while es:
        found = _date(es, en, pt) or _beginning(es, en, pt)
        if found:
            name, known = found
            parts.append(f"{{{name}}}")
            es, en, pt = es[len(known.es) :], en[len(known.en) :], pt[len(known.pt) :]
        elif es[0] == en[:1] == pt[:1]:
            parts.append(escaped(es[0]))
            es, en, pt = es[1:], en[1:], pt[1:]
        else:
            return escaped(words.es)
    return "".join(parts) if not en and not pt else escaped(words.es)


def escaped(text: str) -> str:
    """Somebody's own words, which are not translated, without the characters that references use."""
    return text.translate(ESCAPES)


def _date(es: str, en: str, pt: str) -> tuple[str, Translated] | None:
    """A date with which all three texts begin."""
    written = WRITTEN_DATE.match(es)
    if written is None:
        return None
    day, month, year = written.groups()
    digits = f"{year}-{month}-{day}"
    words = Translated(*(date_text(digits, language) for language in ("es", "en", "pt")))
    is_that = words.es and es.startswith(words.es) and en.startswith(words.en) and pt.startswith(words.pt)
    return (DATE + digits.replace("-", ""), words) if is_that else None


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
