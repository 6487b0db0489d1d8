"""Moments and days on the pages of the family: in the zone that a record names, else in that of the reader's number."""

from collections.abc import Callable
from datetime import datetime

from starlette.requests import Request

from ficha.core.transaction import Transaction
from ficha.emergencies.statements import zone_of_account
from ficha.fmd.access import OpenFmd
from ficha.fmd.dates_and_amounts import day_text, moment_text, zone_text
from ficha.fmd.stored_documents import documents_of, zone_of
from ficha.web.kit.language import language_of


def zone_for(tx: Transaction, fmd: OpenFmd, account_id: int) -> str:
    """The zone that the record names, else that of the number of who reads; empty where neither is known."""
    named = zone_of(documents_of(tx, fmd.id, fmd.key, ["preferencia"]))
    return named or zone_of_account(tx, account_id)


def moment_texts(request: Request, tx: Transaction, account_id: int, now: datetime) -> Callable[[datetime], str]:
    """ "hoy a las 14:22 (Caracas)", for the pages of an account."""
    zone, language = zone_of_account(tx, account_id), language_of(request).value
    return lambda at: f"{moment_text(at, now, zone, language)} ({zone_text(zone)})"


def day_texts(request: Request, tx: Transaction, account_id: int) -> Callable[[datetime], str]:
    """ "16/11/2026", for the pages of an account."""
    zone, language = zone_of_account(tx, account_id), language_of(request).value
    return lambda at: day_text(at, zone, language)
