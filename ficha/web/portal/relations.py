"""Whose a record is, as its keeper says it: what `relacion` is on the wire, and its words."""

from starlette.requests import Request

from ficha.web.kit.language import language_of
from ficha.web.kit.texts import page_texts

RELATIONS = page_texts("portal", "relations")


def relation_choices(request: Request, present: str) -> list[tuple[str, str]]:
    """To choose from. What is there now stands among them, be it another word, or none yet."""
    language = language_of(request)
    known = [(value, words.in_language(language)) for value, words in RELATIONS.items()]
    return known if present in RELATIONS else [(present, present or "–"), *known]
