"""The logos of services as carnets show them: fetched once when the address is set, made anew from their pixels."""

from datetime import datetime
from hashlib import sha256

from sqlalchemy import ForeignKey, LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.db import Base, BigId, Utc
from ficha.core.transaction import Transaction
from ficha.jobs.queue import put

FETCH_LOGO = "servicio.logo"


class ServiceLogo(Base):
    """`content` is a PNG of our own making, at most 400 pixels a side."""

    __tablename__ = "service_logos"

    service_id: Mapped[int] = mapped_column(
        BigId, ForeignKey("services.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    # Of the address that it came from: a logo of another one is never shown.
    url_hash: Mapped[bytes] = mapped_column(LargeBinary(32))
    content: Mapped[bytes] = mapped_column(LargeBinary)
    fetched_at: Mapped[datetime] = mapped_column(Utc)


def follow_url(tx: Transaction, service_id: int, url: str | None) -> None:
    """After the service was saved. The logo of another address goes at once; a job fetches what is missing, also when
    an earlier one gave up: to save the service again is to try again."""
    kept = tx.orm.get(ServiceLogo, service_id)
    if kept is not None and (url is None or kept.url_hash != url_hash(url)):
        tx.orm.delete(kept)
        kept = None
    if url is not None and kept is None:
        put(tx, FETCH_LOGO, {"service_id": service_id}, key=f"{FETCH_LOGO}:{service_id}")


def keep_logo(tx: Transaction, service_id: int, url: str, content: bytes, now: datetime) -> None:
    tx.orm.merge(ServiceLogo(service_id=service_id, url_hash=url_hash(url), content=content, fetched_at=now))


def logo_of(tx: Transaction, service_id: int, url: str | None) -> bytes | None:
    """None while it is not fetched."""
    kept = None if url is None else tx.orm.get(ServiceLogo, service_id)
    return kept.content if kept is not None and url is not None and kept.url_hash == url_hash(url) else None


def url_hash(url: str) -> bytes:
    return sha256(url.encode()).digest()
