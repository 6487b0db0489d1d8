"""What is told to each webhook: made from the events after the last that was looked at for it, in order for each
record, tried for three days, listed and replayed. Ids and times only; who may see the record is asked again before each
call."""

import json
import random
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import ColumnElement, ForeignKey, Index, Integer, String, delete, exists, or_, select, update
from sqlalchemy.orm import Mapped, aliased, mapped_column

from ficha.channels.webhook_calls import CallEnd
from ficha.core.db import Base, BigId, Utc, partial_index
from ficha.core.errors import NotFound
from ficha.core.transaction import Transaction
from ficha.events.events import STAFF, StreamedEvent
from ficha.fmd.grants import Grant, grant_is_live
from ficha.fmd.records import Record
from ficha.institutions.institution import Institution
from ficha.institutions.members import Member, MemberState
from ficha.webhooks.webhooks import Webhook

TRIED_FOR = timedelta(days=3)
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=30), timedelta(hours=6)
# A delivery that was taken and whose end nobody wrote down is taken again after this: its process died.
LEASE = timedelta(minutes=2)
# What has ended is listed for so long.
KEPT = timedelta(days=14)
# So many failed calls in a row, and the receiver is left alone for a while, whatever waits for it.
PATIENCE = 3
SHORTEST_REST, LONGEST_REST = timedelta(seconds=30), timedelta(minutes=10)


class DeliveryState(StrEnum):
    PENDING = "pending"
    DELIVERED = "delivered"
    GIVEN_UP = "given_up"


IS_PENDING = f"state = '{DeliveryState.PENDING}'"


class WebhookDelivery(Base):
    """No foreign key to the record: erasing that deletes these rows."""

    __tablename__ = "webhook_deliveries"
    __table_args__ = (
        Index("ix_webhook_deliveries_webhook", "webhook_id", "id"),
        partial_index("ix_webhook_deliveries_due", "webhook_id", "next_at", where=IS_PENDING),
        # Whether an earlier one of the same record waits.
        partial_index("ix_webhook_deliveries_order", "webhook_id", "record_id", "id", where=IS_PENDING),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    webhook_id: Mapped[int] = mapped_column(ForeignKey(Webhook.id, ondelete="CASCADE"))
    kind: Mapped[str] = mapped_column(String(40))
    at: Mapped[datetime] = mapped_column(Utc)
    record_id: Mapped[int | None] = mapped_column(BigId, index=True)
    # The name that the receiver has for the record.
    reference: Mapped[str | None] = mapped_column(String(20))
    # The number of the emergency or the message.
    subject_id: Mapped[int | None] = mapped_column(BigId)
    state: Mapped[str] = mapped_column(String(10))
    attempts: Mapped[int] = mapped_column(Integer)
    next_at: Mapped[datetime] = mapped_column(Utc)
    tried_until: Mapped[datetime] = mapped_column(Utc)
    # Of the last call. What the receiver said besides its status is not kept.
    called_at: Mapped[datetime | None] = mapped_column(Utc)
    status: Mapped[int | None] = mapped_column(Integer)
    fault: Mapped[str | None] = mapped_column(String(20))
    milliseconds: Mapped[int | None] = mapped_column(Integer)

    def body(self) -> bytes:
        """The same at each attempt and replay."""
        subject = None if self.subject_id is None else {"type": self.kind.partition(".")[0], "id": self.subject_id}
        told = {"id": self.id, "kind": self.kind, "at": self.at.isoformat(), "record": self.reference, "about": subject}
        return json.dumps(told, separators=(",", ":")).encode()


class SeenRecord(NamedTuple):
    """A record that an institution may see now, by the code that it issued, and whose it is."""

    record_id: int
    code: str
    owner_id: int | None


def seen_records(
    tx: Transaction, institution_id: int, record_ids: Collection[int], now: datetime
) -> dict[int, SeenRecord]:
    """Of these, the ones whose owner or guardian lets the open institution see them at this moment."""
    query = (
        select(Member.record_id, Member.bp_code, Record.account_id)
        .join(Institution, Institution.id == Member.institution_id)
        .join(Record, Record.id == Member.record_id)
        .where(Member.institution_id == institution_id, Institution.is_active, Member.state == MemberState.ACCEPTED)
        .where(Member.record_id.in_(record_ids), _consents(Member.record_id, now))
    )
    return {row.record_id: SeenRecord._make(row) for row in tx.orm.execute(query)} if record_ids else {}


def take_events(tx: Transaction, hook_id: int, events: Sequence[StreamedEvent], read_after: object) -> None:
    """Puts what is for it among these events aside, in their order, unless somebody else did meanwhile."""
    hook = tx.orm.scalars(select(Webhook).where(Webhook.id == hook_id).with_for_update()).one_or_none()
    if hook is None or not hook.is_active or hook.position != read_after:
        return
    hook.position = events[-1].position
    now = tx.now()
    wanted = [event for event in events if event.kind in hook.kinds and not event.payload.get("simulacro")]
    if hook.institution_id is None:
        told = [
            (event, None if (record := event.payload.get("fmd_code")) is None else str(record))
            for event in wanted
            if event.audience == STAFF
        ]
    else:
        records = {int(event.payload["fmd_code"]) for event in wanted if "fmd_code" in event.payload}
        seen = seen_records(tx, hook.institution_id, records, now)
        # An event has a row for each of its audiences; the owner's stands for all of them.
        told = [
            (event, found.code)
            for event in wanted
            if (found := seen.get(event.payload.get("fmd_code", 0))) is not None
            and event.audience.account_id is not None
            and event.audience.account_id == found.owner_id
        ]
    tx.orm.add_all([_new_delivery(hook, event, reference, now) for event, reference in told])


def _new_delivery(hook: Webhook, event: StreamedEvent, reference: str | None, now: datetime) -> WebhookDelivery:
    return WebhookDelivery(
        webhook_id=hook.id,
        kind=event.kind,
        at=event.at,
        record_id=event.payload.get("fmd_code"),
        reference=reference,
        subject_id=event.payload.get("id"),
        state=DeliveryState.PENDING,
        attempts=0,
        next_at=now,
        tried_until=now + TRIED_FOR,
    )


def _is_first_in_line() -> ColumnElement[bool]:
    """No earlier one of the same record waits for the same receiver."""
    earlier = aliased(WebhookDelivery)
    return ~exists().where(
        earlier.webhook_id == WebhookDelivery.webhook_id,
        earlier.record_id == WebhookDelivery.record_id,
        earlier.state == DeliveryState.PENDING,
        earlier.id < WebhookDelivery.id,
    )


def _due(hook_id: int, now: datetime) -> ColumnElement[bool]:
    is_due = (WebhookDelivery.state == DeliveryState.PENDING) & (WebhookDelivery.next_at <= now)
    return (WebhookDelivery.webhook_id == hook_id) & is_due & _is_first_in_line()


def has_due(tx: Transaction, hook_id: int) -> bool:
    return tx.orm.scalar(select(WebhookDelivery.id).where(_due(hook_id, tx.now())).limit(1)) is not None


def claim_due(tx: Transaction, hook: Webhook, most: int) -> list[WebhookDelivery]:
    """Takes what is to be told to it now. What an institution may no longer see is deleted instead."""
    now = tx.now()
    query = select(WebhookDelivery).where(_due(hook.id, now)).order_by(WebhookDelivery.next_at, WebhookDelivery.id)
    found = list(tx.orm.scalars(query.limit(most).with_for_update(skip_locked=True)))
    if hook.institution_id is not None:
        seen = seen_records(tx, hook.institution_id, {each.record_id for each in found if each.record_id}, now)
        unseen = [each.id for each in found if each.record_id not in seen]
        tx.orm.execute(delete(WebhookDelivery).where(WebhookDelivery.id.in_(unseen)))
        found = [each for each in found if each.record_id in seen]
    for each in found:
        each.next_at = now + LEASE
    return found


def write_end(tx: Transaction, hook_id: int, delivery_id: int, end: CallEnd) -> None:
    """How a call ended: told, to be tried again later, or given up. A receiver that fails again and again is left alone
    for a growing while, so that it takes no turn from the others."""
    now = tx.now()
    hook = tx.orm.scalars(select(Webhook).where(Webhook.id == hook_id).with_for_update()).one_or_none()
    delivery = tx.orm.get(WebhookDelivery, delivery_id, with_for_update=True)
    if hook is None or delivery is None:
        return  # Deleted meanwhile.
    delivery.attempts += 1
    delivery.called_at, delivery.status, delivery.fault, delivery.milliseconds = now, *end
    if end.is_accepted:
        delivery.state, hook.failures, hook.rests_until = DeliveryState.DELIVERED, 0, None
        return
    if now >= delivery.tried_until:
        delivery.state = DeliveryState.GIVEN_UP
    delivery.next_at = min(now + _grown(FIRST_PAUSE, LONGEST_PAUSE, delivery.attempts), delivery.tried_until)
    hook.failures += 1
    if hook.failures >= PATIENCE:
        hook.rests_until = now + _grown(SHORTEST_REST, LONGEST_REST, hook.failures - PATIENCE + 1)


def _grown(first: timedelta, longest: timedelta, times: int) -> timedelta:
    """Twice as long each time, less up to a quarter by chance, so that what failed together does not come together."""
    doubled = first * (1 << min(times - 1, 20))
    return min(longest, doubled) * (1 - random.random() / 4)  # noqa: S311


def deliveries_of(
    tx: Transaction, hook: Webhook, *, before: int, limit: int, state: DeliveryState | None = None
) -> Sequence[WebhookDelivery]:
    """Newest first, below the id `before`; of an institution's, those of records that it may see now."""
    query = select(WebhookDelivery).where(WebhookDelivery.webhook_id == hook.id, WebhookDelivery.id < before)
    query = query.where(*_still_seen(hook, tx.now()))
    if state is not None:
        query = query.where(WebhookDelivery.state == state)
    return tx.orm.scalars(query.order_by(WebhookDelivery.id.desc()).limit(limit)).all()


def replay(tx: Transaction, hook: Webhook, delivery_id: int) -> WebhookDelivery:
    """It is told again, under the same id, and tried for three days anew. Raises NotFound."""
    query = select(WebhookDelivery).where(WebhookDelivery.webhook_id == hook.id, WebhookDelivery.id == delivery_id)
    found = tx.orm.scalars(query.where(*_still_seen(hook, tx.now())).with_for_update()).one_or_none()
    if found is None:
        raise NotFound
    now = tx.now()
    found.state, found.attempts, found.next_at, found.tried_until = DeliveryState.PENDING, 0, now, now + TRIED_FOR
    hook.rests_until = None
    return found


def end_deliveries(tx: Transaction, now: datetime) -> None:
    """Gives up what was tried for long enough, and deletes what ended long ago."""
    is_over = (WebhookDelivery.state == DeliveryState.PENDING) & (WebhookDelivery.tried_until <= now)
    tx.orm.execute(update(WebhookDelivery).where(is_over).values(state=DeliveryState.GIVEN_UP))
    is_old = (WebhookDelivery.state != DeliveryState.PENDING) & (WebhookDelivery.tried_until <= now - KEPT)
    tx.orm.execute(delete(WebhookDelivery).where(is_old))


def erase_deliveries(tx: Transaction, record_id: int) -> None:
    tx.orm.execute(delete(WebhookDelivery).where(WebhookDelivery.record_id == record_id))


def _consents(record_id: object, now: datetime) -> ColumnElement[bool]:
    """Whether the institution of the query has a grant to the record."""
    return exists().where(Grant.record_id == record_id, Grant.account_id == Institution.account_id, grant_is_live(now))


def _still_seen(hook: Webhook, now: datetime) -> list[ColumnElement[bool]]:
    if hook.institution_id is None:
        return []
    is_its = (Institution.id == hook.institution_id) & Institution.is_active
    seen = exists().where(is_its, _consents(WebhookDelivery.record_id, now)).correlate(WebhookDelivery)
    return [or_(WebhookDelivery.record_id.is_(None), seen)]
