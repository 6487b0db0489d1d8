"""Imports every table, so that migrations see them all."""

from typing import Any

from ficha.accounts.accounts import Account
from ficha.accounts.browser import BrowserSession
from ficha.accounts.codes import OneTimeCode
from ficha.accounts.tokens import Token
from ficha.audit.log import AuditEntry
from ficha.core.secrets import Secret
from ficha.emergencies.decoys import Decoy, TypedHit
from ficha.emergencies.emergency import Emergency
from ficha.emergencies.notices import ReadNotice
from ficha.emergencies.steps import CalledContact, Step
from ficha.events.events import Event
from ficha.fmd.codes import Product
from ficha.fmd.entries import Entry, EntryVersion
from ficha.fmd.glass import BrokenGlass
from ficha.fmd.grants import Grant
from ficha.fmd.records import Record
from ficha.http.idempotency import KeptAnswer
from ficha.jobs.leased import LeasedJob
from ficha.jobs.schedule import ScheduleRow
from ficha.messaging.budgets import Budget
from ficha.messaging.files import FilePiece, KeptFile
from ficha.messaging.messages import Message
from ficha.messaging.notifications import Notification
from ficha.messaging.statuses import KnownStatus
from ficha.messaging.templates import KnownTemplate
from ficha.messaging.threads import Thread
from ficha.messaging.uploads import Upload

TABLES = (
    Account,
    AuditEntry,
    BrokenGlass,
    BrowserSession,
    Budget,
    CalledContact,
    Decoy,
    Emergency,
    Entry,
    EntryVersion,
    Event,
    FilePiece,
    Grant,
    KeptAnswer,
    KeptFile,
    KnownStatus,
    KnownTemplate,
    LeasedJob,
    Message,
    Notification,
    OneTimeCode,
    Product,
    ReadNotice,
    Record,
    ScheduleRow,
    Secret,
    Step,
    Thread,
    Token,
    TypedHit,
    Upload,
)


def is_ours(_object: Any, name: str | None, kind: str, _reflected: bool, _compare_to: Any) -> bool:
    """Procrastinate keeps tables of its own on PostgreSQL; its schema is not ours to compare."""
    return not (kind == "table" and name is not None and name.startswith("procrastinate_"))
