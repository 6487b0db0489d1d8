"""How many records of an institution's people protect, in words, for the console and for the institution's own page."""

from collections.abc import Sequence
from typing import NamedTuple

from starlette.requests import Request

from ficha.core.transaction import Transaction
from ficha.fmd.dates_and_amounts import zoned_text
from ficha.statistics.protection import GroupProtection, PublishedFigure, protection_of
from ficha.statistics.small_counts import Withheld
from ficha.web.kit.language import language_of, translator
from ficha.web.kit.rendering import service_zone
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("kit", "protection")


class GroupWords(NamedTuple):
    title: str
    facts: Sequence[tuple[str, str]]


class ProtectionWords(NamedTuple):
    """`groups` are empty where nothing may be told, and `lead` says why."""

    title: str
    lead: str
    groups: Sequence[GroupWords]


def protection_words(tx: Transaction, request: Request, institution_id: int) -> ProtectionWords:
    """Counts, none of fewer than ten people: of those who let the institution see their record, and of the others."""
    language = language_of(request)
    t = translator(language, PHRASES)
    found = protection_of(tx, institution_id)
    if not found:
        return ProtectionWords(t("protection"), t("protection_none"), ())

    def told(figure: PublishedFigure) -> str:
        number, people = figure
        if isinstance(number, Withheld):
            return t(f"told_{number}")
        return t("told_nothing") if number is None else t("told_number", number=number, people=people)

    def words_of(group: GroupProtection) -> GroupWords:
        lacks = [(t(f"lack_{name}"), told(figure)) for name, figure in group.lacks.items()]
        title = t("group_open" if group.is_open else "group_never")
        return GroupWords(title, [(t("protect"), told(group.protect)), *lacks])

    as_of = zoned_text(min(group.as_of for group in found), service_zone(request), language)
    return ProtectionWords(t("protection"), t("protection_lead", as_of=as_of), [words_of(group) for group in found])
