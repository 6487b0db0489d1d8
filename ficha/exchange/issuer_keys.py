"""The keys with which this service signs what it issues for others. Whoever checks it finds the public ones at
`/.well-known/jwks.json`: those that sign, and the older ones for as long as what they signed is in use."""

from datetime import datetime, timedelta
from typing import NamedTuple, cast

from joserfc.jwk import ECKey
from sqlalchemy import String, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.crypto import Keyring
from ficha.core.db import Base, Database, Utc
from ficha.core.secrets import HasDataKey
from ficha.core.transaction import Transaction
from ficha.exchange.jose import ALGORITHM, CURVE, from_base64url, to_base64url

# Longer than anybody is asked to keep the list of keys (an hour), so that a key is known before it signs.
LEAD = timedelta(days=1)
# Health Cards ask for a new key each year at least.
YEAR = timedelta(days=365)


class IssuerKey(HasDataKey, Base):
    """Its data key is the private number, which is destroyed when the key signs no more. Rows stay."""

    __tablename__ = "issuer_keys"

    kid: Mapped[str] = mapped_column(String(43), primary_key=True)
    x: Mapped[str] = mapped_column(String(43))
    y: Mapped[str] = mapped_column(String(43))
    created_at: Mapped[datetime] = mapped_column(Utc)
    # Somebody else had it: it is published no more, and nothing that it signed counts.
    withdrawn_at: Mapped[datetime | None] = mapped_column(Utc)

    @property
    def key_bound_to(self) -> str:
        return f"issuer key:{self.kid}"

    @property
    def public(self) -> dict[str, str]:
        return {
            "kty": "EC",
            "kid": self.kid,
            "use": "sig",
            "alg": ALGORITHM,
            "crv": CURVE,
            "x": self.x,
            "y": self.y,
        }


class IssuerSigningKey(NamedTuple):
    kid: str
    private: ECKey


class NoSuchIssuerKey(Exception):
    """No key of that name is published."""


def issuer_keys(tx: Transaction) -> list[IssuerKey]:
    """Those that are published, oldest first."""
    query = select(IssuerKey).where(IssuerKey.withdrawn_at.is_(None)).order_by(IssuerKey.created_at, IssuerKey.kid)
    return list(tx.orm.scalars(query))


def signing_key(tx: Transaction, keyring: Keyring, now: datetime) -> IssuerSigningKey:
    """The newest that has been published for a day, else the oldest; its elders sign no more, and their private halves
    are destroyed. Adds one if there is none, or none of this year: needs a writing transaction. All processes choose
    the same, by the rows alone."""
    published = issuer_keys(tx)
    key = _chosen(published, now)
    if key is None or published[-1].created_at <= now - YEAR:
        published.append(add_issuer_key(tx, keyring, now))
        key = key or published[-1]
    for elder in published[: published.index(key)]:
        elder.destroy_key()
    private = to_base64url(key.open_key(keyring))
    return IssuerSigningKey(
        key.kid, ECKey.import_key({"kty": "EC", "crv": CURVE, "x": key.x, "y": key.y, "d": private})
    )


def ensure_issuer_key(database: Database, keyring: Keyring, now: datetime) -> bool:
    """For those who only read: creates the first key, and only then takes a write transaction. Says whether it did."""
    with database.reading() as tx:
        if issuer_keys(tx):
            return False
    with database.writing() as tx:
        signing_key(tx, keyring, now)
    return True


def add_issuer_key(tx: Transaction, keyring: Keyring, now: datetime) -> IssuerKey:
    """Published from now on; it signs after `LEAD`, or at once where no other can."""
    made = _new_key()
    parts = cast(dict[str, str], made.as_dict(private=True))
    key = IssuerKey(kid=made.thumbprint(), x=parts["x"], y=parts["y"], created_at=now)
    key.store_key(keyring, from_base64url(parts["d"]))
    tx.orm.add(key)
    tx.orm.flush()
    return key


def _new_key() -> ECKey:
    """Its name is typed after a command, where a hyphen would begin an option: one name in 64 has it in front."""
    made = ECKey.generate_key(CURVE)
    return _new_key() if made.thumbprint().startswith("-") else made


def withdraw_issuer_key(tx: Transaction, kid: str, now: datetime) -> None:
    """A key that somebody else has: it is published no more from now on. Raises NoSuchIssuerKey."""
    key = tx.orm.get(IssuerKey, kid)
    if key is None or key.withdrawn_at is not None:
        raise NoSuchIssuerKey(kid)
    key.withdrawn_at = now
    key.destroy_key()
    tx.orm.flush()


def name_of_signing_key(tx: Transaction, now: datetime) -> str | None:
    """Of the key that signs now; None if there is none yet."""
    key = _chosen(issuer_keys(tx), now)
    return None if key is None else key.kid


def _chosen(published: list[IssuerKey], now: datetime) -> IssuerKey | None:
    able = [key for key in published if key.key_id is not None]
    ready = [key for key in able if key.created_at <= now - LEAD]
    return next(iter(ready[-1:] or able[:1]), None)
