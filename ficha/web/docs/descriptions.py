"""The descriptions of the OpenAPI document in the reader's language: `descriptions.json` has each in Spanish and
Portuguese, by its English words; a test asks for all. One that is not there stays English, and the page says so."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from ficha.accounts.accounts import Idioma
from ficha.fmd.translations import Translated


class Description(NamedTuple):
    text: str
    language: Idioma


def described(english: str, language: Idioma) -> Description:
    english = " ".join(english.split())
    known = _translations().get(english)
    if known is None:
        return Description(english, Idioma.EN)
    return Description(known.in_language(language), language)


@cache
def _translations() -> Mapping[str, Translated]:
    said = json.loads(files("ficha.web.docs").joinpath("descriptions.json").read_text("utf-8"))
    return {english: Translated(es, english, pt) for english, (es, pt) in said.items()}
