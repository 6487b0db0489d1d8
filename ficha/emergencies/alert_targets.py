"""Whom alerts may reach. A number or mailbox that an owner typed belongs to somebody who may never have agreed.

Until that person answers, one record sends it one alert, and later one question whether she agrees. Whoever declines
gets nothing more from that record. Many records together cannot flood one number or mailbox, and a record that is
opened and ended again and again alerts ever more slowly, but never not at all.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import LargeBinary, String, delete, func, select, update
from sqlalchemy.orm import Mapped, Session, mapped_column

from ficha.core.db import Base, BigId, Utc
from ficha.core.secrets import Secrets
from ficha.core.settings import Settings
from ficha.emergencies.emergency import Emergency
from ficha.emergencies.ladder import STAFF_CHANNEL
from ficha.emergencies.step_rows import EmergencyRow, StepOfMessage
from ficha.emergencies.steps import OVER, NewStep, Step

# What counts when many records, or one record many times, alert.
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
LONGEST_QUIET = timedelta(hours=2)


class AlertTarget(Base):
    """What a number or mailbox got from a record, and whether its person agreed. `target` is a keyed hash: addresses
    are only compared."""

    __tablename__ = "alert_targets"

    record_id: Mapped[int] = mapped_column(BigId, primary_key=True)
    target: Mapped[bytes] = mapped_column(LargeBinary(32), primary_key=True, index=True)
    # Of the last alert, so that an answer to it is found.
    emergency_id: Mapped[int] = mapped_column(BigId, index=True)
    contact_id: Mapped[str] = mapped_column(String(8))
    channel: Mapped[str] = mapped_column(String(10))
    alerted_at: Mapped[datetime] = mapped_column(Utc)
    asked_at: Mapped[datetime | None] = mapped_column(Utc)
    confirmed_at: Mapped[datetime | None] = mapped_column(Utc)
    refused_at: Mapped[datetime | None] = mapped_column(Utc)


class Reach(StrEnum):
    """What may be sent to a target. All but the first two are reasons why nothing is."""

    ALERT = "alert"
    QUESTION = "question"
    REFUSED = "no_acepta"
    UNCONFIRMED = "sin_confirmar"
    LIMIT = "limite"


def reserve_target(
    session: Session,
    secrets: Secrets,
    settings: Settings,
    emergency: Emergency | EmergencyRow,
    contact_id: str,
    channel: str,
    address: str,
    now: datetime,
) -> Reach:
    """What may be sent to this address now; it is written down as sent. The caller has locked the record's row."""
    target = secrets.keyed_hash("alert-target", f"{channel}:{address.casefold()}")
    known = session.get(AlertTarget, (emergency.record_id, target))
    reach = _reach(session, settings, known, target, now)
    if reach not in (Reach.ALERT, Reach.QUESTION):
        return reach
    if known is None:
        known = AlertTarget(record_id=emergency.record_id, target=target)
        session.add(known)
    known.emergency_id, known.contact_id, known.channel, known.alerted_at = emergency.id, contact_id, channel, now
    if reach is Reach.QUESTION:
        known.asked_at = now
    session.flush()
    return reach


def note_answer(
    session: Session, emergency_id: int, contact_id: str, channel: str, now: datetime, *, is_refused: bool
) -> None:
    """The person who was reached by this channel agrees by any answer, or declines. It says nothing about the contact's
    other addresses, which may be somebody else's."""
    session.execute(
        update(AlertTarget)
        .where(
            AlertTarget.emergency_id == emergency_id,
            AlertTarget.contact_id == contact_id,
            AlertTarget.channel == channel,
        )
        .values(confirmed_at=None if is_refused else now, refused_at=now if is_refused else None)
    )


def forget_alert(session: Session, step: Step | NewStep | StepOfMessage) -> None:
    """What could not be sent does not count: the next emergency alerts this address as if for the first time."""
    session.execute(
        delete(AlertTarget).where(
            AlertTarget.emergency_id == step.emergency_id,
            AlertTarget.contact_id == step.contact_id,
            AlertTarget.channel == step.channel,
            AlertTarget.confirmed_at.is_(None),
            AlertTarget.refused_at.is_(None),
        )
    )


def quiet_until(session: Session, settings: Settings, emergency: EmergencyRow, now: datetime) -> datetime:
    """From when on this emergency may alert. Others of the same record that alerted within a day hold it back: one by
    ten minutes after it began to, and each further one twice as long."""
    began = func.min(Step.started_at)
    earlier: Sequence[datetime] = session.scalars(
        select(began)
        .join(Emergency, Emergency.id == Step.emergency_id)
        .where(Emergency.record_id == emergency.record_id, Emergency.id != emergency.id)
        .where(Step.channel != STAFF_CHANNEL, Step.state.not_in(OVER), Step.started_at > now - DAY)
        .group_by(Emergency.id)
    ).all()
    if not earlier:
        return now
    quiet = timedelta(minutes=settings.alert_quiet_minutes) * (1 << min(len(earlier) - 1, 10))
    return max(earlier) + min(quiet, LONGEST_QUIET)


def _reach(session: Session, settings: Settings, known: AlertTarget | None, target: bytes, now: datetime) -> Reach:
    if known is not None and known.refused_at is not None:
        return Reach.REFUSED
    if known is not None and known.confirmed_at is not None:
        return Reach.LIMIT if _count(session, target, now - HOUR) >= settings.alerts_per_confirmed else Reach.ALERT
    if known is not None and known.asked_at is not None:
        return Reach.UNCONFIRMED
    if _count(session, target, now - DAY) >= settings.alerts_per_unconfirmed:
        return Reach.LIMIT
    return Reach.ALERT if known is None else Reach.QUESTION


def _count(session: Session, target: bytes, since: datetime) -> int:
    """How many records alerted this number or mailbox since then."""
    query = select(func.count()).select_from(AlertTarget)
    return session.scalar(query.where(AlertTarget.target == target, AlertTarget.alerted_at > since)) or 0
