"""The Health Cards that were issued of a record: kept, so that who asks again gets the same; listed, and revoked."""

import json
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import ForeignKey, LargeBinary, String, UniqueConstraint, bindparam, func, select, update
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.crypto import Keyring, Tampered, seal, unseal
from ficha.core.db import Base, BigId, Utc
from ficha.core.errors import FichaError, NotFound
from ficha.core.prepared import Prepared
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction
from ficha.exchange.health_cards.emergency_set import emergency_set
from ficha.exchange.health_cards.writing import CardClaims, digest_of, written_card
from ficha.exchange.issuer_keys import IssuerKey, issuer_keys, signing_key
from ficha.exchange.jose import to_base64url
from ficha.fmd.access import OpenFmd
from ficha.fmd.responder.record_reader import Documents

# The first 64 bits, as Health Cards recommend.
RID_BYTES = 8
# A card that is about to expire is not given out again.
LEFT = timedelta(days=30)


class CardState(StrEnum):
    ISSUED = "issued"
    REVOKED = "revoked"
    EXPIRED = "expired"


class IssuedCard(Base):
    """Rows stay when the record is erased, so that its cards stay revoked. What is sealed is then gone."""

    __tablename__ = "health_cards"
    __table_args__ = (UniqueConstraint("kid", "rid", name="uq_health_cards_kid"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    record_id: Mapped[int] = mapped_column(ForeignKey("records.id"), index=True)
    kid: Mapped[str] = mapped_column(String(43), ForeignKey(IssuerKey.kid))
    rid: Mapped[str] = mapped_column(String(24))
    issued_at: Mapped[datetime] = mapped_column(Utc)
    expires_at: Mapped[datetime | None] = mapped_column(Utc)
    revoked_at: Mapped[datetime | None] = mapped_column(Utc)
    # The card itself and what it tells of, with the record's key.
    sealed: Mapped[bytes | None] = mapped_column(LargeBinary)


class CardContents(NamedTuple):
    """What a row keeps sealed. `made_of` is the digest of what was known when it was made."""

    signed: str
    made_of: str
    models: list[str]
    left_out: int


class ListedCard(NamedTuple):
    """`models` and `left_out` are None once it was revoked: what it said is forgotten."""

    id: int
    state: CardState
    issued_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    models: list[str] | None
    left_out: int | None


class CardEnded(FichaError):
    status = 409
    code = "tarjeta_ya_anulada"
    message = "Esa tarjeta ya estaba anulada."


# With the day on which its key was withdrawn, for what that signed counts no more.
_NEWEST_CARD = Prepared(
    select(IssuedCard.rid, IssuedCard.expires_at, IssuedCard.revoked_at, IssuedCard.sealed, IssuerKey.withdrawn_at)
    .join(IssuerKey, IssuerKey.kid == IssuedCard.kid)
    .where(IssuedCard.record_id == bindparam("record_id"))
    .order_by(IssuedCard.id.desc())
    .limit(1)
)


def current_card(
    tx: Transaction,
    keyring: Keyring,
    secrets: Secrets,
    fmd: OpenFmd,
    documents: Documents,
    now: datetime,
    *,
    issuer: str,
    base_url: str,
    days: int,
) -> CardContents:
    """The newest card if it says what the record says now, else a new one. `fmd` is locked, so that of two at once one
    gives out what the other made. Raises MayNotManage."""
    fmd.must_manage()
    known = emergency_set(documents, fmd.id, base_url, now.date())
    made_of = digest_of(known)
    kept = _newest_valid(tx, fmd.id, fmd.key, now + LEFT)
    if kept is not None and kept.made_of == made_of:
        fmd.note(tx, "health_card.taken", kept.models, now)
        return kept
    key = signing_key(tx, keyring, now)
    expires = now + timedelta(days=days) if days else None
    rid = _rid(secrets, key.kid, fmd.id, _count(tx, fmd.id) + 1)
    written = written_card(known, CardClaims(issuer, rid, now, expires), key)
    contents = CardContents(written.signed, made_of, written.models, written.left_out)
    sealed = seal(fmd.key, json.dumps(contents).encode(), _bound_to(rid))
    row = IssuedCard(record_id=fmd.id, kid=key.kid, rid=rid, issued_at=now, expires_at=expires, sealed=sealed)
    tx.orm.add(row)
    tx.orm.flush()
    fmd.note(tx, "health_card.issued", contents.models, now)
    return contents


def valid_card(
    tx: Transaction, record_id: int, key: bytes, documents: Documents, now: datetime, *, base_url: str
) -> CardContents | None:
    """The newest card, if it was not revoked and says what the record says now; none is made. `key` is the record's."""
    kept = _newest_valid(tx, record_id, key, now)
    if kept is None:
        return None
    known = digest_of(emergency_set(documents, record_id, base_url, now.date()))
    return kept if kept.made_of == known else None


def issued_cards(tx: Transaction, fmd: OpenFmd, now: datetime) -> list[ListedCard]:
    """The first first. Raises MayNotManage."""
    fmd.must_manage()
    query = select(IssuedCard).where(IssuedCard.record_id == fmd.id).order_by(IssuedCard.id)
    return [_listed(tx, card, fmd.key, now) for card in tx.orm.scalars(query)]


def revoke_card(tx: Transaction, fmd: OpenFmd, card_id: int, now: datetime) -> ListedCard:
    """From now on it is in the list of revoked cards, which whoever verifies one asks for. Raises MayNotManage,
    NotFound or CardEnded."""
    fmd.must_manage()
    card = tx.orm.get(IssuedCard, card_id)
    if card is None or card.record_id != fmd.id:
        raise NotFound
    if card.revoked_at is not None:
        raise CardEnded
    card.revoked_at, card.sealed = now, None
    tx.orm.flush()
    fmd.note(tx, "health_card.revoked", [str(card.id)], now)
    return _listed(tx, card, fmd.key, now)


def erase_cards(tx: Transaction, record_id: int, now: datetime) -> None:
    """Of a record that is erased: they are revoked, and nothing of the person is left in them."""
    mine = update(IssuedCard).where(IssuedCard.record_id == record_id)
    tx.orm.execute(mine.where(IssuedCard.revoked_at.is_(None)).values(revoked_at=now))
    tx.orm.execute(mine.values(sealed=None))


def published_keys(tx: Transaction) -> dict[str, Any]:
    """The JWK set: each key with the version of its list of revoked cards."""
    counted = select(IssuedCard.kid, func.count()).where(IssuedCard.revoked_at.is_not(None)).group_by(IssuedCard.kid)
    revoked: dict[str, int] = {row.kid: row[1] for row in tx.orm.execute(counted)}
    return {"keys": [key.public | {"crlVersion": 1 + revoked.get(key.kid, 0)} for key in issuer_keys(tx)]}


def revoked_cards(tx: Transaction, kid: str, now: datetime) -> dict[str, Any]:
    """The list of a key. `ctr` grows with every card that is revoked; those that expired since need not be listed.
    Raises NotFound."""
    if kid not in {key.kid for key in issuer_keys(tx)}:
        raise NotFound
    query = (
        select(IssuedCard.rid, IssuedCard.expires_at)
        .where(IssuedCard.kid == kid, IssuedCard.revoked_at.is_not(None))
        .order_by(IssuedCard.revoked_at, IssuedCard.id)
    )
    found = tx.orm.execute(query).all()
    rids = [rid for rid, expires in found if expires is None or expires > now]
    return {"kid": kid, "method": "rid", "ctr": 1 + len(found), "rids": rids}


def _newest_valid(tx: Transaction, record_id: int, key: bytes, at: datetime) -> CardContents | None:
    """What is on the newest card, if that counts at this time. `key` is the record's."""
    newest = tx.first(_NEWEST_CARD, record_id=record_id)
    if newest is None or _state(newest, newest.withdrawn_at, at) is not CardState.ISSUED:
        return None
    return _opened(newest.rid, newest.sealed, key)


def _count(tx: Transaction, record_id: int) -> int:
    return tx.orm.scalar(select(func.count()).where(IssuedCard.record_id == record_id)) or 0


def _state(card: Any, key_withdrawn_at: datetime | None, now: datetime) -> CardState:
    """What a withdrawn key signed counts no more."""
    if card.revoked_at is not None or key_withdrawn_at is not None:
        return CardState.REVOKED
    return CardState.EXPIRED if card.expires_at is not None and card.expires_at <= now else CardState.ISSUED


def _listed(tx: Transaction, card: IssuedCard, key: bytes, now: datetime) -> ListedCard:
    contents = _opened(card.rid, card.sealed, key)
    withdrawn_at = tx.orm.get_one(IssuerKey, card.kid).withdrawn_at
    return ListedCard(
        card.id,
        _state(card, withdrawn_at, now),
        card.issued_at,
        card.expires_at,
        card.revoked_at or withdrawn_at,
        None if contents is None else contents.models,
        None if contents is None else contents.left_out,
    )


def _opened(rid: str, sealed: bytes | None, key: bytes) -> CardContents | None:
    """None of one that was revoked, or that is damaged."""
    try:
        return None if sealed is None else CardContents(*json.loads(unseal(key, sealed, _bound_to(rid))))
    except Tampered:
        return None


def _rid(secrets: Secrets, kid: str, record_id: int, number: int) -> str:
    """Says nothing to whoever reads it in the list of revoked cards."""
    return to_base64url(secrets.keyed_hash(f"health cards:{kid}", f"{record_id}/{number}")[:RID_BYTES])


def _bound_to(rid: str) -> str:
    return f"health card:{rid}"
