"""Health Links of a record: the table, making one, and the ways in which they end.

Of the link itself only the hash of its secret is kept. Its key is sealed with the record's key, so that what the record
says at that moment can be encrypted for whoever opens it, and is destroyed when the link ends (decision 44).
"""

import hashlib
import hmac
import secrets
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import ForeignKey, LargeBinary, delete, func, select, update
from sqlalchemy.orm import Mapped, mapped_column

from ficha.accounts.accounts import Account
from ficha.core.crypto import new_key, seal, unseal
from ficha.core.db import Base, BigId, Utc
from ficha.core.errors import FichaError, NotFound, Source
from ficha.core.transaction import Transaction
from ficha.exchange.jose import to_base64url
from ficha.fmd.access import MayNotManage, OpenFmd
from ficha.fmd.grants import Grant, GrantKind, live_grant_of
from ficha.fmd.records import Record

MAX_DURATION = timedelta(days=366)
# Wrong passcodes for the whole life of a link: of a million, ten find one in a hundred thousand links.
PASSCODE_ATTEMPTS = 10
# 256 bits, as the specification asks.
SECRET_BYTES = 32
# At once, of one record.
MOST_LIVE = 50
# So long a link that ended is shown, with who opened it. The log of the record keeps it for ever.
SHOWN_FOR = timedelta(days=365)


class HealthLinkState(StrEnum):
    LIVE = "live"
    USED = "used"  # Once only, and it was opened.
    BLOCKED = "blocked"  # By wrong passcodes.
    EXPIRED = "expired"
    ENDED = "ended"


class HealthLinkEndOutOfRange(FichaError):
    status = 422
    code = "fin_de_enlace_fuera_de_rango"
    message = "El enlace debe terminar en el futuro, y dentro de un año como máximo."
    source = Source("pointer", "/ends_at")


class TooManyHealthLinks(FichaError):
    status = 409
    code = "demasiados_enlaces"
    message = "Esta ficha tiene demasiados enlaces abiertos. Termine alguno antes de crear otro."


class HealthLink(Base):
    __tablename__ = "health_links"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    record_id: Mapped[int] = mapped_column(ForeignKey(Record.id), index=True)
    # Who made it: it opens the record only while that account may share it, as its owner or by this guardian's grant.
    created_by: Mapped[int | None] = mapped_column(ForeignKey(Account.id, ondelete="SET NULL"), index=True)
    given_by: Mapped[int | None] = mapped_column(ForeignKey(Grant.id, ondelete="CASCADE"), index=True)
    secret_hash: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    # With the record's key. None once the link has ended.
    sealed_key: Mapped[bytes | None] = mapped_column(LargeBinary)
    sealed_label: Mapped[bytes] = mapped_column(LargeBinary)
    has_passcode: Mapped[bool]
    # Keyed with the record's key: a passcode is short, and whoever has the table alone cannot try them. Without one it
    # is that of the empty text.
    passcode_hash: Mapped[bytes] = mapped_column(LargeBinary(32))
    attempts_left: Mapped[int]
    once: Mapped[bool]
    long_term: Mapped[bool]
    direct: Mapped[bool]
    created_at: Mapped[datetime] = mapped_column(Utc)
    ends_at: Mapped[datetime] = mapped_column(Utc, index=True)
    ended_at: Mapped[datetime | None] = mapped_column(Utc)
    openings: Mapped[int] = mapped_column(server_default="0")
    opened_at: Mapped[datetime | None] = mapped_column(Utc)

    def state(self, now: datetime) -> HealthLinkState:
        if self.ended_at is not None and self.ended_at < self.ends_at:
            return HealthLinkState.ENDED
        if self.once and self.openings:
            return HealthLinkState.USED
        if self.attempts_left <= 0:
            return HealthLinkState.BLOCKED
        return HealthLinkState.EXPIRED if self.ends_at <= now else HealthLinkState.LIVE

    def label(self, record_key: bytes) -> str:
        return unseal(record_key, self.sealed_label, label_sealing_context(self.secret_hash)).decode()


class NewHealthLink(NamedTuple):
    """What its maker chose. Who checks the combinations is the caller: U never goes with P, once never with L."""

    label: str
    ends_at: datetime
    passcode: str | None = None
    once: bool = False
    long_term: bool = False
    direct: bool = False


class IssuedHealthLink(NamedTuple):
    """Secret and key are told once, here."""

    link: HealthLink
    secret: str
    key: str


def create_health_link(
    tx: Transaction, fmd: OpenFmd, account_id: int, asked: NewHealthLink, now: datetime, *, secret: str = ""
) -> IssuedHealthLink:
    """For the owner and her guardians. `secret` is a new one unless it is given.

    Raises MayNotManage, HealthLinkEndOutOfRange or TooManyHealthLinks."""
    fmd.must_manage()
    giver = None if fmd.via == "owner" else live_grant_of(tx, fmd.id, account_id, now)
    if fmd.via != "owner" and (giver is None or giver.kind != GrantKind.GUARDIAN):
        raise MayNotManage  # His right ended while he waited for the record.
    if not now < asked.ends_at <= now + MAX_DURATION:
        raise HealthLinkEndOutOfRange
    if _count_live(tx, fmd.id, now) >= MOST_LIVE:
        raise TooManyHealthLinks
    secret, key = secret or to_base64url(secrets.token_bytes(SECRET_BYTES)), new_key()
    hashed = secret_hash_of(secret)
    link = HealthLink(
        record_id=fmd.id,
        created_by=account_id,
        given_by=giver.id if giver else None,
        secret_hash=hashed,
        sealed_key=seal(fmd.key, key, key_sealing_context(hashed)),
        sealed_label=seal(fmd.key, asked.label.encode(), label_sealing_context(hashed)),
        has_passcode=asked.passcode is not None,
        passcode_hash=passcode_hash(fmd.key, hashed, asked.passcode or ""),
        attempts_left=PASSCODE_ATTEMPTS,
        once=asked.once,
        long_term=asked.long_term,
        direct=asked.direct,
        created_at=now,
        ends_at=asked.ends_at,
    )
    tx.orm.add(link)
    tx.orm.flush()
    tx.orm.refresh(link)
    fmd.note(tx, "link.created", [f"link:{link.id}"], now)
    return IssuedHealthLink(link, secret, to_base64url(key))


def health_links_of(tx: Transaction, record_id: int) -> list[HealthLink]:
    """The newest first, those that ended too."""
    query = select(HealthLink).where(HealthLink.record_id == record_id)
    return list(tx.orm.scalars(query.order_by(HealthLink.id.desc())))


def end_health_link(tx: Transaction, fmd: OpenFmd, link_id: int, now: datetime) -> HealthLink:
    """It opens nothing from now on. Of one that has ended already nothing changes. Raises MayNotManage or NotFound."""
    fmd.must_manage()
    query = select(HealthLink).where(HealthLink.id == link_id, HealthLink.record_id == fmd.id)
    link = tx.orm.scalars(query.with_for_update()).one_or_none()
    if link is None:
        raise NotFound
    if link.ended_at is None:
        link.ended_at, link.sealed_key = now, None
        tx.orm.flush()
        fmd.note(tx, "link.ended", [f"link:{link.id}"], now)
    return link


def end_all_health_links(tx: Transaction, record_id: int, now: datetime) -> None:
    """The right of who gave them has ended: the record is somebody else's."""
    live = update(HealthLink).where(HealthLink.record_id == record_id, HealthLink.ended_at.is_(None))
    tx.orm.execute(live.values(ended_at=now, sealed_key=None))


def erase_health_links(tx: Transaction, record_id: int) -> None:
    """Of an erased record, with the words of who opened them."""
    tx.orm.execute(delete(HealthLink).where(HealthLink.record_id == record_id))


def secret_hash_of(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def passcode_hash(record_key: bytes, hashed_secret: bytes, passcode: str) -> bytes:
    told = b"health link passcode:" + hashed_secret + passcode.encode("utf-8", "surrogatepass")
    return hmac.digest(record_key, told, "sha256")


def key_sealing_context(hashed_secret: bytes) -> str:
    return f"health link:{hashed_secret.hex()}:key"


def label_sealing_context(hashed_secret: bytes) -> str:
    return f"health link:{hashed_secret.hex()}:label"


def _count_live(tx: Transaction, record_id: int, now: datetime) -> int:
    live = (HealthLink.record_id == record_id, HealthLink.ended_at.is_(None), HealthLink.ends_at > now)
    return tx.orm.scalar(select(func.count()).select_from(HealthLink).where(*live)) or 0
