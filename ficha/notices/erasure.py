"""Erases the notices of a record, and what they said."""

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from ficha.messaging.erasure import erase_messages_about
from ficha.notices.notice_delivery import ABOUT
from ficha.notices.notices import ReadNotice


def erase_notices(session: Session, record_id: int) -> None:
    ids = session.scalars(select(ReadNotice.id).where(ReadNotice.record_id == record_id)).all()
    erase_messages_about(session, [f"{ABOUT}{notice_id}" for notice_id in ids])
    session.execute(delete(ReadNotice).where(ReadNotice.record_id == record_id))
