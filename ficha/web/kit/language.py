"""Which language a page speaks: the one asked for in the address, else the browser's, else Spanish."""

from collections import ChainMap
from collections.abc import Callable, Mapping
from typing import NamedTuple

from starlette.requests import Request

from ficha.accounts.accounts import Idioma

PARAMETER = "l"


class Phrase(NamedTuple):
    """One thing to say, in every language we speak: leaving one out does not type-check."""

    es: str
    en: str
    pt: str


Phrases = Mapping[str, Phrase]
Say = Callable[..., str]


def asked_language(request: Request) -> Idioma | None:
    """What the visible switch puts in the address, so that it needs no cookie."""
    asked = request.query_params.get(PARAMETER, "")
    return Idioma(asked) if asked in set(Idioma) else None


def language_of(request: Request) -> Idioma:
    return asked_language(request) or _preferred(request.headers.get("accept-language", ""))


def speaker(language: Idioma, *tables: Phrases) -> Say:
    """A function that says what a key stands for, filling in values where the phrase has places for them."""

    known = ChainMap(*map(dict, tables))

    def say(key: str, **values: object) -> str:
        phrase: str = getattr(known[key], language.value)
        return phrase.format(**values) if values else phrase

    return say


def _preferred(header: str) -> Idioma:
    """The best of ours by weight; of equals, the one named first."""
    best, weight = Idioma.ES, 0.0
    for choice in header.split(",")[:20]:
        tag, _, rest = choice.strip().partition(";")
        name = tag.partition("-")[0].strip().lower()
        heard = _weight(rest)
        if name in set(Idioma) and heard > weight:
            best, weight = Idioma(name), heard
    return best


def _weight(rest: str) -> float:
    name, _, number = rest.strip().partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        return float(number)
    except ValueError:
        return 0.0
