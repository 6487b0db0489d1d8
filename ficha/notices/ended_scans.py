"""Somebody scanned a tag that had ended: an entry in the record's log, and a notice to its owner, who alone is told."""

from datetime import datetime

from ficha.audit import log as audit
from ficha.core.db import Database, is_unavailable
from ficha.core.log import log
from ficha.core.transaction import Transaction
from ficha.fmd.statements import lock_record_row
from ficha.notices.notices import ReaderKind, queue_notice
from ficha.products.codes import NOTED_AGAIN_AFTER, EndedScan, mark_noted

# Nobody opened anything: the actor is not that of a sticker that opened its record.
SCANNED_ENDED, ANYBODY = "code.scanned_ended", audit.Actor("public")


def note_ended_scan(tx: Transaction, scan: EndedScan, now: datetime, *, origin: str) -> None:
    """At most one entry a day for a tag and one notice a day for a record, however often and wherever it is scanned:
    this locks the record's row before it looks. Does nothing for the tag of an erased record."""
    if scan.record_id is None or not scan.is_due(now):
        return
    record = lock_record_row(tx, scan.record_id)
    if record is None or record.erased_at is not None or not mark_noted(tx, scan, now):
        return
    audit.note(tx, record.id, ANYBODY, SCANNED_ENDED, [scan.code], now, via="tag", origin=origin)
    queue_notice(
        tx,
        record.id,
        ReaderKind.ENDED,
        now,
        reader=scan.why,
        origin=origin,
        repeat_within=NOTED_AGAIN_AFTER,
    )


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
