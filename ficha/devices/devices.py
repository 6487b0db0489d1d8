"""Devices that a person registered for notifications. What reaches one is sealed: whoever has it could write there."""

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import ForeignKey, LargeBinary, delete, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.accounts.accounts import Account
from ficha.channels.webpush.encryption import Device
from ficha.core.db import Base, BigId, Utc
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction

SECRET = "push-device"  # noqa: S105  The name of the secret.


class PushSubscription(Base):
    __tablename__ = "push_subscriptions"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id, ondelete="CASCADE"), index=True)
    # A keyed hash of its address, by which the same device is known again.
    device: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    sealed: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(Utc)

    def opened(self, secrets: Secrets) -> Device:
        return Device(**json.loads(secrets.unseal(SECRET, self.sealed, _place(self.device))))


def register_device(
    tx: Transaction, secrets: Secrets, account_id: int, device: Device, most: int, now: datetime
) -> PushSubscription:
    """A device that is known already is the account's from now on: its browser has one person at a time. Of more than
    `most`, the oldest go."""
    device_hash = secrets.keyed_hash(SECRET, device.endpoint)
    sealed = secrets.seal(SECRET, json.dumps(asdict(device)).encode(), _place(device_hash))
    query = select(PushSubscription).where(PushSubscription.device == device_hash).with_for_update()
    found = tx.orm.scalars(query).one_or_none()
    if found is None:
        found = PushSubscription(account_id=account_id, device=device_hash, sealed=sealed, created_at=now)
        tx.orm.add(found)
    else:
        found.account_id, found.sealed, found.created_at = account_id, sealed, now
    tx.orm.flush()
    newest = select(PushSubscription.id).where(PushSubscription.account_id == account_id)
    kept = tx.orm.scalars(newest.order_by(PushSubscription.created_at.desc(), PushSubscription.id.desc()).limit(most))
    tx.orm.execute(
        delete(PushSubscription).where(
            PushSubscription.account_id == account_id, PushSubscription.id.not_in(kept.all())
        )
    )
    return found


def devices_of(tx: Transaction, account_ids: Collection[int]) -> Sequence[PushSubscription]:
    query = select(PushSubscription).where(PushSubscription.account_id.in_(account_ids))
    return tx.orm.scalars(query.order_by(PushSubscription.id)).all()


def remove_device(tx: Transaction, account_id: int, subscription_id: int) -> None:
    """The person turns notifications off there. Of another account nothing is removed."""
    tx.orm.execute(
        delete(PushSubscription).where(
            PushSubscription.id == subscription_id, PushSubscription.account_id == account_id
        )
    )


def remove_endpoint(tx: Transaction, secrets: Secrets, account_id: int, endpoint: str) -> None:
    """The same for the device that names its own address."""
    device = secrets.keyed_hash(SECRET, endpoint)
    tx.orm.execute(
        delete(PushSubscription).where(PushSubscription.device == device, PushSubscription.account_id == account_id)
    )


def forget_device(tx: Transaction, subscription_id: int) -> None:
    """Its push service says that it is gone."""
    tx.orm.execute(delete(PushSubscription).where(PushSubscription.id == subscription_id))


def _place(device_hash: bytes) -> str:
    return f"push:{device_hash.hex()}"
