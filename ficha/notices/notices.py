"""Telling the owner that somebody opened the record: who, when, and from where roughly."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from ipaddress import ip_address, ip_network

from sqlalchemy import Index, String, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from ficha.audit.log import Fact
from ficha.core.db import Base, BigId, Utc
from ficha.events.events import publish
from ficha.fmd.grants import owner_and_guardians
from ficha.fmd.records import Record
from ficha.fmd.translations import Translated
from ficha.jobs.queue import put

DELIVER = "aviso.lectura"
NETWORK = Translated("la red {}", "the network {}", "a rede {}")
NOWHERE = Translated("un lugar desconocido", "an unknown place", "um lugar desconhecido")
# Enough to tell one's own street from another country, not enough to find a house.
V4_BITS, V6_BITS = 24, 48


class ReaderKind(StrEnum):
    TAG = "tag"
    GLASS = "glass"


class ReadNotice(Base):
    """One opening that the owner is told of. `mail` is how far its mail has come, where one goes."""

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
    session: Session,
    record_id: int,
    how: ReaderKind,
    at: datetime,
    *,
    reader: str,
    origin: str,
    repeat_within: timedelta,
) -> bool:
    """Puts the notice aside in the caller's transaction, which holds the record's row. A page that is looked at
    again within minutes is the same look; broken glass is told each time."""
    record = session.get(Record, record_id)
    if record is None or record.erased_at is not None:
        return False
    if how is not ReaderKind.GLASS and _told_lately(session, record_id, how, at, repeat_within):
        return False
    notice = ReadNotice(record_id=record_id, how=how, reader=reader[:60], origin=origin[:60], at=at)
    session.add(notice)
    session.flush()
    payload = {"fmd_code": record_id, "how": how, "at": at.isoformat()}
    publish(session, "access.opened", payload, at, accounts=owner_and_guardians(session, record, at))
    put(session, DELIVER, {"notice_id": notice.id}, key=f"{DELIVER}:{notice.id}")
    return True


def queue_notices(session: Session, facts: Sequence[Fact], repeat_within: timedelta) -> None:
    """For the read log, in the very transaction in which openings enter it: each is told of once, or not at all
    together with its entry. Broken glass was told of when it broke."""
    for fact in facts:
        if fact.actor == ReaderKind.TAG:
            queue_notice(
                session,
                fact.record_id,
                ReaderKind.TAG,
                fact.at,
                reader=fact.actor,
                origin=fact.origin,
                repeat_within=repeat_within,
            )


def network_said(origin: str, language: str) -> str:
    """There is no map of networks here, so the network itself is named, and not the machine."""
    try:
        address = ip_address(origin)
    except ValueError:
        return NOWHERE.in_language(language)
    bits = V4_BITS if address.version == 4 else V6_BITS
    return NETWORK.in_language(language).format(ip_network(f"{address}/{bits}", strict=False))


def _told_lately(session: Session, record_id: int, how: ReaderKind, at: datetime, repeat_within: timedelta) -> bool:
    """On both sides: the files of a process that died are written late, and so out of order."""
    near = select(ReadNotice.id).where(
        ReadNotice.record_id == record_id,
        ReadNotice.how == how,
        ReadNotice.at > at - repeat_within,
        ReadNotice.at < at + repeat_within,
    )
    return session.scalar(near.limit(1)) is not None
