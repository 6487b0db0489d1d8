"""Who walks a journey through the pages: one cheap phone in the usual run; in a storm phones of two widths, with and
without scripts, in every language."""

import os
from itertools import product
from typing import Any, NamedTuple

import pytest

from ficha.accounts.accounts import Idioma

LOCALES = {Idioma.ES: "es-VE", Idioma.EN: "en-US", Idioma.PT: "pt-BR"}


class Journey(NamedTuple):
    width: int
    language: Idioma
    scripts: bool

    @property
    def browsing(self) -> dict[str, Any]:
        """What `Visitor.at` is told: `visitor.at(path, **journey.browsing)`."""
        return {"width": self.width, "scripts": self.scripts, "locale": LOCALES[self.language]}

    def __str__(self) -> str:
        return f"{self.width}-{self.language}-{'scripts' if self.scripts else 'plain'}"


ALL = [Journey(*each) for each in product((390, 320), Idioma, (False, True))]
ONE = [Journey(390, Idioma.ES, True)]
JOURNEYS = pytest.mark.parametrize("journey", ALL if "FICHA_STORM" in os.environ else ONE, ids=str)
