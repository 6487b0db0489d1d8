"""Rows of a roster that may speak of somebody who is enrolled already: kept until a person has looked at both.

A decision is about the pair, a row's name for the person and a member, not about the words of the row: the next roster
finds it decided.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import ForeignKey, Integer, LargeBinary, String, delete, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.administration.admin_changes import note_change
from ficha.audit.log import Actor
from ficha.core.crypto import Keyring
from ficha.core.db import Base, BigId, Utc, insert_new
from ficha.core.errors import FichaError
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction
from ficha.institutions.enrol import Enrolled, enrol_person
from ficha.institutions.given_person import GivenPerson
from ficha.institutions.institution import Institution, InstitutionFacts
from ficha.institutions.members import LOOKED_UP_AT_ONCE, Member

KIND = "roster_doubt"
SEALED = "roster"
# What nobody has looked at by then is forgotten; the next roster asks again.
KEPT = timedelta(days=90)


class DoubtState(StrEnum):
    WAITING = "waiting"
    SAME = "same"
    OTHER = "other"


class DoubtReason(StrEnum):
    SAME_DOCUMENT = "same_document"
    SAME_NAME_AND_CONTACT = "same_name_and_contact"
    OTHER_DOCUMENT = "other_document"


SENTENCES = {
    DoubtReason.SAME_DOCUMENT: "Hay alguien con el mismo documento y otro external_id. ¿Es la misma persona?",
    DoubtReason.SAME_NAME_AND_CONTACT: "Hay alguien con el mismo nombre y el mismo correo o teléfono. ¿Es la misma?",
    DoubtReason.OTHER_DOCUMENT: "Ese external_id es de alguien con otro documento. ¿Es la misma persona?",
}


class RosterDoubt(Base):
    __tablename__ = "roster_doubts"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    institution_id: Mapped[int] = mapped_column(ForeignKey(Institution.id), index=True)
    # Of the row's name for the person and of the member.
    pair_hash: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    member_id: Mapped[int] = mapped_column(ForeignKey(Member.id), index=True)
    row_number: Mapped[int] = mapped_column(Integer)
    reason: Mapped[str] = mapped_column(String(30))
    state: Mapped[str] = mapped_column(String(10))
    # The row, until it is decided.
    sealed: Mapped[bytes | None] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(Utc)
    decided_at: Mapped[datetime | None] = mapped_column(Utc)


class DoubtUnknown(FichaError):
    status = 404
    code = "duda_desconocida"
    message = "Esa duda no está, o ya se decidió."


class NewDoubt(NamedTuple):
    person: GivenPerson
    member_id: int
    row_number: int
    reason: DoubtReason


class WaitingDoubt(NamedTuple):
    """For whoever decides: what the row says, and the member's own name in the institution's list."""

    id: int
    row_number: int
    reason: DoubtReason
    person: GivenPerson
    member_id: int
    member_external_id: str | None
    created_at: datetime


def pair_hash(secrets: Secrets, institution_id: int, external_id: str, member_id: int) -> bytes:
    return secrets.keyed_hash("roster.pair", f"{institution_id}:{external_id}:{member_id}")


def decisions(tx: Transaction, pairs: Sequence[bytes]) -> Mapping[bytes, DoubtState]:
    """What is known of these pairs."""
    found: dict[bytes, DoubtState] = {}
    for start in range(0, len(pairs), LOOKED_UP_AT_ONCE):
        some = pairs[start : start + LOOKED_UP_AT_ONCE]
        query = select(RosterDoubt.pair_hash, RosterDoubt.state).where(RosterDoubt.pair_hash.in_(some))
        found |= {row.pair_hash: DoubtState(row.state) for row in tx.orm.execute(query)}
    return found


def store_doubts(
    tx: Transaction, institution_id: int, secrets: Secrets, doubts: Sequence[NewDoubt], now: datetime
) -> None:
    """Those that are there already stay as they are."""
    rows = []
    for doubt in doubts:
        pair = pair_hash(secrets, institution_id, doubt.person.external_id, doubt.member_id)
        text = json.dumps(asdict(doubt.person), ensure_ascii=False).encode()
        rows.append(
            {
                "institution_id": institution_id,
                "pair_hash": pair,
                "member_id": doubt.member_id,
                "row_number": doubt.row_number,
                "reason": doubt.reason,
                "state": DoubtState.WAITING,
                "sealed": secrets.seal(SEALED, text, _place(pair)),
                "created_at": now,
            }
        )
    insert_new(tx, RosterDoubt, rows, RosterDoubt.id)


def waiting_doubts(
    tx: Transaction, institution_id: int, secrets: Secrets, *, after: int = 0, limit: int = 100
) -> list[WaitingDoubt]:
    """A page, by number above `after`."""
    rows = tx.orm.execute(
        select(RosterDoubt, Member.external_id)
        .join(Member, Member.id == RosterDoubt.member_id)
        .where(RosterDoubt.institution_id == institution_id, RosterDoubt.state == DoubtState.WAITING)
        .where(RosterDoubt.id > after)
        .order_by(RosterDoubt.id)
        .limit(limit)
    )
    return [
        WaitingDoubt(
            doubt.id,
            doubt.row_number,
            DoubtReason(doubt.reason),
            _person(secrets, doubt),
            doubt.member_id,
            external_id,
            doubt.created_at,
        )
        for doubt, external_id in rows
    ]


def decide_doubt(
    tx: Transaction,
    institution: InstitutionFacts,
    doubt_id: int,
    actor: Actor,
    keyring: Keyring,
    secrets: Secrets,
    now: datetime,
    *,
    is_same: bool,
) -> Enrolled | None:
    """The row is carried out as decided: for that member, or for somebody new. None if it cannot be somebody new,
    because it has the member's own external_id. Raises DoubtUnknown, or why the row is refused."""
    query = select(RosterDoubt).where(RosterDoubt.id == doubt_id, RosterDoubt.institution_id == institution.id)
    doubt = tx.orm.scalars(query.with_for_update()).one_or_none()
    if doubt is None or doubt.state != DoubtState.WAITING:
        raise DoubtUnknown
    person = _person(secrets, doubt)
    known = tx.orm.scalars(select(Member.external_id).where(Member.id == doubt.member_id)).one()
    doubt.state, doubt.decided_at, doubt.sealed = DoubtState.SAME if is_same else DoubtState.OTHER, now, None
    note_change(tx, actor, KIND, str(doubt.id), "decided", now, after={"state": doubt.state})
    tx.orm.flush()
    if is_same:
        if known is None:  # She has erased her record meanwhile.
            return None
        person = replace(person, external_id=known)
    elif person.external_id == known:
        return None
    return enrol_person(tx, institution, person, keyring, secrets, now)


def forget_doubts_of(tx: Transaction, record_id: int) -> None:
    """Of an erased record."""
    members = select(Member.id).where(Member.record_id == record_id)
    tx.orm.execute(delete(RosterDoubt).where(RosterDoubt.member_id.in_(members)))


def forget_old_doubts(tx: Transaction, now: datetime) -> None:
    is_old = (RosterDoubt.state == DoubtState.WAITING, RosterDoubt.created_at < now - KEPT)
    tx.orm.execute(delete(RosterDoubt).where(*is_old))


def _person(secrets: Secrets, doubt: RosterDoubt) -> GivenPerson:
    assert doubt.sealed is not None
    return GivenPerson(**json.loads(secrets.unseal(SEALED, doubt.sealed, _place(doubt.pair_hash))))


def _place(pair: bytes) -> str:
    return f"roster_doubt:{pair.hex()}"
