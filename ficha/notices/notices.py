"""Notices that somebody opened a record or scanned a tag that had ended, or that a contact has another number: stored,
published and queued for delivery."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from ipaddress import ip_address, ip_network

from sqlalchemy import ColumnElement, Index, String, and_, bindparam, delete, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.accounts.tokens import Caller
from ficha.audit import log as audit
from ficha.audit.chain import LoggedFact
from ficha.core.crypto import Keyring
from ficha.core.db import Base, BigId, Database, Utc, is_unavailable
from ficha.core.list_parameters import one_of
from ficha.core.log import log
from ficha.core.prepared import Prepared
from ficha.core.transaction import Transaction
from ficha.fmd.grants import OwnedRecord
from ficha.fmd.record_events import RecordOpening, publish_access, publish_openings
from ficha.fmd.records import Record
from ficha.fmd.statements import living_records, lock_record_row
from ficha.fmd.translations import Translated
from ficha.jobs.queue import put
from ficha.messaging.message_content import erase_messages_about
from ficha.messaging.opened_messages import OpenedMessage, open_message
from ficha.messaging.tables import Message
from ficha.products.codes import NOTED_AGAIN_AFTER, EndedScan, mark_noted

DELIVER = "aviso.lectura"
# Begins the name of every message about a notice.
ABOUT = "aviso:"
NETWORK = Translated("la red {}", "the network {}", "a rede {}")
NOWHERE = Translated("un lugar desconocido", "an unknown place", "um lugar desconhecido")
# Enough to tell one's own network from another country's, not enough to find a person.
V4_BITS, V6_BITS = 24, 48


class ReaderKind(StrEnum):
    TAG = "tag"
    GLASS = "glass"
    STAFF = "staff"
    NOTE = "note"  # Staff opened a note about an emergency.
    ENDED = "ended"  # Nothing was opened: somebody scanned a tag that had ended.
    MOVED = "moved"  # Nothing was opened: a contact has another number.


# Of which the owner alone is told, by mail.
BY_MAIL = (ReaderKind.ENDED, ReaderKind.MOVED)


class ReadNotice(Base):
    """One opening of a record of which the owner is told. `mail` is the state of its mail, where one is sent.

    `reader` is an id, such as `glass:7` for the first who broke the glass: names are sealed where they are kept. For an
    ended tag it is why it ended, for a contact the id that she has in the record."""

    __tablename__ = "read_notices"
    __table_args__ = (Index("ix_read_notices_record_how_at", "record_id", "how", "at"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    record_id: Mapped[int] = mapped_column(BigId)
    how: Mapped[str] = mapped_column(String(10))
    reader: Mapped[str] = mapped_column(String(60))
    origin: Mapped[str] = mapped_column(String(60))
    at: Mapped[datetime] = mapped_column(Utc)
    told_at: Mapped[datetime | None] = mapped_column(Utc)
    mail: Mapped[str | None] = mapped_column(String(10))


def queue_notice(
    tx: Transaction,
    record_id: int,
    how: ReaderKind,
    at: datetime,
    *,
    reader: str,
    origin: str,
    repeat_within: timedelta,
) -> bool:
    """Stores and queues a notice in the caller's transaction, which has locked the record's row.

    False if the record was erased, or if a notice of the same kind is near in time. Of broken glass the owner is told
    each time; what comes soon after a notice is joined in the next one."""
    record = tx.orm.get(Record, record_id)
    if record is None or record.erased_at is not None:
        return False
    if how in (ReaderKind.TAG, ReaderKind.ENDED) and _is_repeated(tx, record_id, how, at, repeat_within):
        return False
    if how is ReaderKind.MOVED and _is_repeated(tx, record_id, how, at, repeat_within, reader):
        return False
    waits = and_(ReadNotice.told_at.is_(None), ReadNotice.at > at - 2 * repeat_within)
    if how is ReaderKind.GLASS and _newest(tx, record_id, waits) is not None:
        publish_access(tx, record, how, how, at)
        return False
    told = _newest(tx, record_id, ReadNotice.told_at > at - repeat_within) if how is ReaderKind.GLASS else None
    due = None if told is None or told.told_at is None else told.told_at + repeat_within
    _add_notice(tx, record, how, at, reader=reader, origin=origin, due=due)
    return True


def open_reserved_message(
    tx: Transaction, keyring: Keyring, caller: Caller, message: Message, why: str, now: datetime, *, origin: str
) -> OpenedMessage | None:
    """Staff opens a message about a person: that goes into the record's log, and the owner is told, each time. None for
    a message that concerns no record. Raises NotFound if the record was erased."""
    opened = open_message(tx, keyring, caller, message, why, now, origin=origin)
    if opened is not None:
        kind, never = ReaderKind.STAFF, timedelta()
        reader = f"{kind}:{opened.id}"
        queue_notice(tx, opened.record_id, kind, now, reader=reader, origin=origin, repeat_within=never)
    return opened


def queue_notices(tx: Transaction, facts: Sequence[LoggedFact], repeat_within: timedelta) -> None:
    """Queues the notices of scans, in the transaction in which the read log stores them: both are committed or neither.
    Breaking the glass queued its own. Reads by others without a notice are events: of one reader at once, one.

    However many facts there are, three statements read what is known of their records, and one writes the events."""
    opened = [fact for fact in facts if fact.via != "owner"]
    records = living_records(tx, {fact.record_id for fact in opened})
    noticed = _noticed_scans(tx, [fact for fact in opened if fact.actor == ReaderKind.TAG], repeat_within)
    others: dict[tuple[int, str, str], RecordOpening] = {}
    for fact in opened:
        record = records.get(fact.record_id)
        if record is None:
            continue
        times = noticed.setdefault(fact.record_id, [])
        if fact.actor == ReaderKind.TAG and not any(abs(fact.at - at) < repeat_within for at in times):
            _add_notice(tx, record, ReaderKind.TAG, fact.at, reader=fact.actor, origin=fact.origin)
            times.append(fact.at)
        else:
            others[fact.record_id, fact.actor, fact.via] = RecordOpening(record, fact.actor, fact.via, fact.at)
    publish_openings(tx, list(others.values()))


def named_openings(tx: Transaction, *, how: ReaderKind | None = None, before: int, limit: int) -> list[ReadNotice]:
    """That somebody broke the glass of a record, or staff opened a message or a note about it: newest first, below the
    id `before`. A scan of a sticker is not among them: it is no cause for alarm."""
    kinds = (ReaderKind.GLASS, ReaderKind.STAFF, ReaderKind.NOTE) if how is None else (how,)
    query = select(ReadNotice).where(ReadNotice.how.in_(kinds), ReadNotice.id < before)
    return list(tx.orm.scalars(query.order_by(ReadNotice.id.desc()).limit(limit)))


def erase_notices(tx: Transaction, record_id: int) -> None:
    """Those of a record, and what they said."""
    gone = tx.orm.scalars(delete(ReadNotice).where(ReadNotice.record_id == record_id).returning(ReadNotice.id)).all()
    erase_messages_about(tx, [f"{ABOUT}{notice_id}" for notice_id in gone])


def network_text(origin: str, language: str) -> str:
    """The network of an address in words, without the machine in it."""
    try:
        address = ip_address(origin)
    except ValueError:
        return NOWHERE.in_language(language)
    bits = V4_BITS if address.version == 4 else V6_BITS
    return NETWORK.in_language(language).format(ip_network(f"{address}/{bits}", strict=False))


def _add_notice(
    tx: Transaction,
    record: OwnedRecord,
    how: ReaderKind,
    at: datetime,
    *,
    reader: str,
    origin: str,
    due: datetime | None = None,
) -> None:
    notice = ReadNotice(record_id=record.id, how=how, reader=reader[:60], origin=origin[:60], at=at)
    tx.orm.add(notice)
    tx.orm.flush()
    if how not in BY_MAIL:
        publish_access(tx, record, how, how, at)
    put(tx, DELIVER, {"notice_id": notice.id}, at=due, key=f"{DELIVER}:{notice.id}")


_notices = Base.metadata.tables[ReadNotice.__tablename__]
_NOTICED_SCANS = Prepared(
    select(_notices.c.record_id, _notices.c.at).where(
        one_of(_notices.c.record_id, "records"),
        _notices.c.how == ReaderKind.TAG,
        _notices.c.at > bindparam("after"),
        _notices.c.at < bindparam("before"),
    )
)


def _noticed_scans(tx: Transaction, scans: Sequence[LoggedFact], repeat_within: timedelta) -> dict[int, list[datetime]]:
    """By record, when the scans were of which there is a notice, as far as they are near one of these in time."""
    noticed: dict[int, list[datetime]] = {}
    if scans:
        after = min(fact.at for fact in scans) - repeat_within
        before = max(fact.at for fact in scans) + repeat_within
        ids = {fact.record_id for fact in scans}
        for record_id, at in tx.all(_NOTICED_SCANS, records=ids, after=after, before=before):
            noticed.setdefault(record_id, []).append(at)
    return noticed


def _newest(tx: Transaction, record_id: int, which: ColumnElement[bool]) -> ReadNotice | None:
    """The newest notice of broken glass of which this holds."""
    query = select(ReadNotice).where(ReadNotice.record_id == record_id, ReadNotice.how == ReaderKind.GLASS, which)
    return tx.orm.scalars(query.order_by(ReadNotice.id.desc()).limit(1)).one_or_none()


def _is_repeated(
    tx: Transaction, record_id: int, how: ReaderKind, at: datetime, repeat_within: timedelta, reader: str = ""
) -> bool:
    """Whether a notice of this kind, of this reader if one is given, is near in time, before or after: facts of a
    killed process are stored late."""
    near = select(ReadNotice.id).where(
        ReadNotice.record_id == record_id,
        ReadNotice.how == how,
        ReadNotice.at > at - repeat_within,
        ReadNotice.at < at + repeat_within,
    )
    if reader:
        near = near.where(ReadNotice.reader == reader)
    return tx.orm.scalar(near.limit(1)) is not None


# Nobody opened anything: the actor is not that of a sticker that opened its record.
SCANNED_ENDED, ANYBODY = "code.scanned_ended", audit.Actor("public")


def note_ended_scan(tx: Transaction, scan: EndedScan, now: datetime, *, origin: str) -> None:
    """An entry in the record's log, and a notice to its owner, who alone is told. At most one entry a day for a tag and
    one notice a day for a record, however often and wherever it is scanned: this locks the record's row before it
    looks. Does nothing for the tag of an erased record."""
    if scan.record_id is None or not scan.is_due(now):
        return
    record = lock_record_row(tx, scan.record_id)
    if record is None or record.erased_at is not None or not mark_noted(tx, scan, now):
        return
    audit.note(tx, record.id, ANYBODY, SCANNED_ENDED, [scan.code], now, via="tag", origin=origin)
    queue_notice(tx, record.id, ReaderKind.ENDED, now, reader=scan.why, origin=origin, repeat_within=NOTED_AGAIN_AFTER)


def note_ended_scan_if_due(database: Database, scan: EndedScan, now: datetime, *, origin: str) -> None:
    """The same in a transaction of its own, which is begun only if there is something to write. Where the database
    takes nothing now, the next scan is noted: nothing was shown, and whom to call must not wait for it."""
    if not scan.is_due(now):
        return
    try:
        with database.writing() as tx:
            note_ended_scan(tx, scan, now, origin=origin)
    except Exception as error:
        if not is_unavailable(error):
            raise
        log().warning("ended_scan.not_noted", error=type(error).__name__)
