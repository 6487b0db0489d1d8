"""Imports every table, so that migrations see them all."""

from typing import Any

from ficha.accounts.accounts import Account
from ficha.accounts.browser import BrowserSession
from ficha.accounts.codes import OneTimeCode
from ficha.accounts.tokens import Token
from ficha.audit.log import AuditEntry
from ficha.core.secrets import Secret
from ficha.fmd.codes import Product
from ficha.fmd.entries import Entry, EntryVersion
from ficha.fmd.glass import BrokenGlass
from ficha.fmd.grants import Grant
from ficha.fmd.records import Record
from ficha.http.idempotency import KeptAnswer
from ficha.jobs.leased import LeasedJob
from ficha.jobs.schedule import ScheduleRow

TABLES = (
    Account,
    AuditEntry,
    BrokenGlass,
    BrowserSession,
    Entry,
    EntryVersion,
    Grant,
    KeptAnswer,
    LeasedJob,
    OneTimeCode,
    Product,
    Record,
    ScheduleRow,
    Secret,
    Token,
)


def is_ours(_object: Any, name: str | None, kind: str, _reflected: bool, _compare_to: Any) -> bool:
    """Procrastinate keeps tables of its own on PostgreSQL; its schema is not ours to compare."""
    return not (kind == "table" and name is not None and name.startswith("procrastinate_"))
