"""How many records of an institution's people protect, in words, for the console and for the institution's own page."""

from collections.abc import Sequence
from typing import NamedTuple

from starlette.requests import Request

from ficha.core.transaction import Transaction
from ficha.fmd.dates_and_amounts import zoned_text
from ficha.statistics.floor import Told, Untold
from ficha.statistics.protection import protection_of
from ficha.web.kit.language import language_of, translator
from ficha.web.kit.rendering import desk_zone
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("kit", "protection")


class ProtectionWords(NamedTuple):
    """`facts` are empty where nothing may be told. `lead` says why, or of when they are."""

    title: str
    lead: str
    facts: Sequence[tuple[str, str]]


def protection_words(tx: Transaction, request: Request, institution_id: int) -> ProtectionWords:
    """Counts, none of fewer than ten people."""
    t = translator(language_of(request), PHRASES)
    found = protection_of(tx, institution_id)
    if found is None:
        return ProtectionWords(t("protection"), t("protection_none"), ())

    def told(number: Told) -> str:
        if isinstance(number, Untold):
            return t(f"told_{number}")
        return t("told_nothing") if number is None else t("told_number", number=number, people=found.people)

    as_of = zoned_text(found.renewed_at, desk_zone(request), language_of(request))
    lacks = [(t(f"lack_{name}"), told(number)) for name, number in found.lacks.items()]
    return ProtectionWords(
        t("protection"), t("protection_lead", as_of=as_of), [(t("protect"), told(found.protect)), *lacks]
    )
