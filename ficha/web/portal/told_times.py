"""Moments on the pages of an account, in the zone of its number."""

from collections.abc import Callable
from datetime import datetime

from starlette.requests import Request

from ficha.core.transaction import Transaction
from ficha.emergencies.statements import zone_of_account
from ficha.fmd.local_time import day_text, moment_text, zone_text
from ficha.web.kit.language import language_of


def moments_of(request: Request, tx: Transaction, account_id: int, now: datetime) -> Callable[[datetime], str]:
    """ "hoy a las 14:22 (Caracas)"."""
    zone, language = zone_of_account(tx, account_id), language_of(request).value
    return lambda at: f"{moment_text(at, now, zone, language)} ({zone_text(zone)})"


def days_of(request: Request, tx: Transaction, account_id: int) -> Callable[[datetime], str]:
    """ "16 nov 2026"."""
    zone, language = zone_of_account(tx, account_id), language_of(request).value
    return lambda at: day_text(at, zone, language)
