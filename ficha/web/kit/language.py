"""The language of a page: the one asked for in the address, else the browser's, else Spanish."""

from collections import ChainMap
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import SimpleNamespace

from starlette.requests import Request

from ficha.accounts.accounts import Idioma
from ficha.core.phones import zone_of_country
from ficha.fmd.responder.emergency_numbers import BY_COUNTRY
from ficha.fmd.translations import Translated
from ficha.http.languages import OURS, preferred_language

PARAMETER = "l"
# What a form says as `do` where only the language of its page is changed: it is drawn again with what was typed.
LANGUAGE_STEP = "idioma"
REGION_LETTERS = 2
# Each in its own words, for who chooses one.
LANGUAGE_NAMES = {Idioma.ES: "Español", Idioma.EN: "English", Idioma.PT: "Português"}


Phrases = Mapping[str, Translated]
Texts = SimpleNamespace
Translate = Callable[..., str]


def asked_language(request: Request) -> Idioma | None:
    """The language that the switch on the page put into the address, so that it needs no cookie."""
    return OURS.get(request.query_params.get(PARAMETER, ""))


def language_of(request: Request) -> Idioma:
    return asked_language(request) or preferred_language(request.headers.get("accept-language", ""))


def language_in(form: Mapping[str, str], request: Request) -> Idioma:
    """The language of the page that a form was sent from."""
    chosen = form.get(PARAMETER, "")
    return Idioma(chosen) if chosen in set(Idioma) else language_of(request)


def region_of(request: Request) -> str:
    return region_in(request.headers.get("accept-language", ""))


@lru_cache(maxsize=256)  # As preferred_language.
def region_in(header: str) -> str:
    """The country of the phone: that of the first language of the browser that names one we know; else empty."""
    for choice in header.split(",")[:20]:
        region = choice.partition(";")[0].strip().rpartition("-")[2].upper()
        if len(region) == REGION_LETTERS and region in BY_COUNTRY and "-" in choice:
            return region
    return ""


def zone_here(request: Request) -> str:
    """Where nothing better is known of who reads: the zone of the phone's country, else that of the service."""
    return zone_of_country(region_of(request)) or str(request.app.state.parts.settings.time_zone)


def translator(language: Idioma, *tables: Phrases) -> Translate:
    """A function that returns the text of a key, with `values` in the places that the phrase has for them."""

    known = ChainMap(*map(dict, tables))

    def translate(key: str, **values: object) -> str:
        text = known[key].in_language(language)
        return text.format(**values) if values else text

    return translate


def texts_by_language(phrases: Phrases) -> dict[Idioma, Texts]:
    """The same phrases as attributes, for templates that are rendered too often to call a function for each."""
    return {
        language: Texts(**{key: phrase.in_language(language) for key, phrase in phrases.items()}) for language in Idioma
    }
