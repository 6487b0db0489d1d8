"""Every phrase of every page is there in three languages, with the same places for values."""

import importlib
import pkgutil
from collections.abc import Iterator
from string import Formatter

from ficha import web
from ficha.accounts.accounts import Idioma
from ficha.fmd.translations import Translated
from ficha.web.console.sections import MenuSection


def phrases() -> Iterator[tuple[str, Translated]]:
    """Those of the pages, and those that a declared resource brings to its pages."""
    for module in pkgutil.walk_packages(web.__path__, "ficha.web."):
        for value in vars(importlib.import_module(module.name)).values():
            table = value.phrases if isinstance(value, MenuSection) else value
            if isinstance(table, dict):
                yield from ((f"{module.name}: {key}", one) for key, one in table.items() if isinstance(one, Translated))


def test_nothing_is_left_untranslated() -> None:
    found = list(phrases())
    assert len(found) > 300
    for name, phrase in found:
        texts = [phrase.in_language(language) for language in Idioma]
        assert all(text.strip() for text in texts), name
        places = [{field for _, field, _, _ in Formatter().parse(text) if field is not None} for text in texts]
        assert places[0] == places[1] == places[2], name
