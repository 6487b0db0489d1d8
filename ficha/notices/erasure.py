"""Erases the notices of a record, and what they said."""

from sqlalchemy import delete, select

from ficha.core.transaction import Transaction
from ficha.messaging.erasure import erase_messages_about
from ficha.notices.notice_delivery import ABOUT
from ficha.notices.notices import ReadNotice


def erase_notices(tx: Transaction, record_id: int) -> None:
    ids = tx.orm.scalars(select(ReadNotice.id).where(ReadNotice.record_id == record_id)).all()
    erase_messages_about(tx, [f"{ABOUT}{notice_id}" for notice_id in ids])
    tx.orm.execute(delete(ReadNotice).where(ReadNotice.record_id == record_id))
