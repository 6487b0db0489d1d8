"""Moments and days on the pages of the family, in the zone of whoever reads: that of her number, else the one that the
record names, else that of her browser's country."""

from collections.abc import Callable
from datetime import datetime

from starlette.requests import Request

from ficha.core.transaction import Transaction
from ficha.emergencies.statements import zone_of_account
from ficha.fmd.access import OpenFmd
from ficha.fmd.dates_and_amounts import day_text, moment_text, zone_text
from ficha.fmd.stored_documents import documents_of, zone_of
from ficha.web.kit.language import language_of, zone_here


def zone_for(request: Request, tx: Transaction, fmd: OpenFmd, account_id: int) -> str:
    own = zone_of_account(tx, account_id)
    return own or zone_of(documents_of(tx, fmd.id, fmd.key, ["preferencia"])) or zone_here(request)


def moment_texts(request: Request, tx: Transaction, account_id: int, now: datetime) -> Callable[[datetime], str]:
    """ "hoy a las 14:22 (Caracas)", for the pages of an account."""
    zone, language = zone_of_account(tx, account_id) or zone_here(request), language_of(request).value
    return lambda at: f"{moment_text(at, now, zone, language)} ({zone_text(zone)})"


def day_texts(request: Request, tx: Transaction, account_id: int) -> Callable[[datetime], str]:
    """ "16/11/2026", for the pages of an account."""
    zone, language = zone_of_account(tx, account_id) or zone_here(request), language_of(request).value
    return lambda at: day_text(at, zone, language)
