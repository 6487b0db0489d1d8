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
from ficha.core.secrets import Secrets, opened_key
from ficha.core.transaction import Transaction
from ficha.fmd.records import Record, record_key_bound_to
from ficha.institutions.enrol import Enrolled, enrol_person
from ficha.institutions.institution import Institution
from ficha.institutions.members import Lookups, Member, MemberMatch, find_members, in_batches
from ficha.institutions.person_to_enrol import EnrolContext, PersonToEnrol, open_contact
from ficha.institutions.roster_columns import plain
from ficha.institutions.roster_uploads import RosterUpload

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
    DoubtReason.SAME_DOCUMENT: "Hay alguien con el mismo documento y otro código. ¿Es la misma persona?",
    DoubtReason.SAME_NAME_AND_CONTACT: "Hay alguien con el mismo nombre y el mismo correo o teléfono. ¿Es la misma?",
    DoubtReason.OTHER_DOCUMENT: "Ese código es de alguien con otro documento. ¿Es la misma persona?",
}


class RosterDoubt(Base):
    __tablename__ = "roster_doubts"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    institution_id: Mapped[int] = mapped_column(ForeignKey(Institution.id), index=True)
    # Of the row's name for the person and of the member.
    pair_hash: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    member_id: Mapped[int] = mapped_column(ForeignKey(Member.id), index=True)
    # The uploaded roster that has the row, which may be forgotten by now; none of one that a command imported.
    upload_id: Mapped[int | None] = mapped_column(BigId)
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
    person: PersonToEnrol
    member_id: int
    row_number: int
    reason: DoubtReason


class WaitingDoubt(NamedTuple):
    """For whoever decides: what the row says, and the member's own name in the institution's list."""

    id: int
    # Of the roster, and when it was uploaded; without one that is known, when the row was met.
    upload_id: int | None
    created_at: datetime
    row_number: int
    reason: DoubtReason
    person: PersonToEnrol
    member_id: int
    member_external_id: str | None


def pair_hash(secrets: Secrets, institution_id: int, external_id: str, member_id: int) -> bytes:
    return secrets.keyed_hash("roster.pair", f"{institution_id}:{external_id}:{member_id}")


def decisions(tx: Transaction, pairs: Sequence[bytes]) -> Mapping[bytes, DoubtState]:
    """What is known of these pairs."""
    found: dict[bytes, DoubtState] = {}
    for some in in_batches(pairs):
        query = select(RosterDoubt.pair_hash, RosterDoubt.state).where(RosterDoubt.pair_hash.in_(some))
        found |= {row.pair_hash: DoubtState(row.state) for row in tx.orm.execute(query)}
    return found


def store_doubts(
    tx: Transaction, context: EnrolContext, doubts: Sequence[NewDoubt], upload_id: int | None = None
) -> None:
    """Those that are there already stay as they are."""
    institution_id, secrets = context.institution.id, context.secrets
    rows = []
    for doubt in doubts:
        pair = pair_hash(secrets, institution_id, doubt.person.external_id, doubt.member_id)
        text = json.dumps(asdict(doubt.person), ensure_ascii=False).encode()
        rows.append(
            {
                "institution_id": institution_id,
                "pair_hash": pair,
                "member_id": doubt.member_id,
                "upload_id": upload_id,
                "row_number": doubt.row_number,
                "reason": doubt.reason,
                "state": DoubtState.WAITING,
                "sealed": secrets.seal(SEALED, text, _sealing_context(pair)),
                "created_at": context.now,
            }
        )
    insert_new(tx, RosterDoubt, rows, RosterDoubt.id)


def waiting_doubts(
    tx: Transaction, institution_id: int, secrets: Secrets, *, after: int = 0, limit: int = 100
) -> list[WaitingDoubt]:
    """A page, by number above `after`."""
    rows = tx.orm.execute(
        select(RosterDoubt, Member.external_id, RosterUpload.id, RosterUpload.created_at)
        .join(Member, Member.id == RosterDoubt.member_id)
        .outerjoin(RosterUpload, RosterUpload.id == RosterDoubt.upload_id)
        .where(RosterDoubt.institution_id == institution_id, RosterDoubt.state == DoubtState.WAITING)
        .where(RosterDoubt.id > after)
        .order_by(RosterDoubt.id)
        .limit(limit)
    )
    return [
        WaitingDoubt(
            doubt.id,
            upload_id,
            uploaded_at or doubt.created_at,
            doubt.row_number,
            DoubtReason(doubt.reason),
            _person(secrets, doubt),
            doubt.member_id,
            external_id,
        )
        for doubt, external_id, upload_id, uploaded_at in rows
    ]


def decide_doubt(
    tx: Transaction, context: EnrolContext, doubt_id: int, actor: Actor, *, is_same: bool
) -> Enrolled | None:
    """The row is carried out as decided: for that member, or for somebody new. None if it cannot be somebody new,
    because it has the member's own external_id. Raises DoubtUnknown, or why the row is refused."""
    query = select(RosterDoubt).where(RosterDoubt.id == doubt_id, RosterDoubt.institution_id == context.institution.id)
    doubt = tx.orm.scalars(query.with_for_update()).one_or_none()
    if doubt is None or doubt.state != DoubtState.WAITING:
        raise DoubtUnknown
    person = _person(context.secrets, doubt)
    known = tx.orm.scalars(select(Member.external_id).where(Member.id == doubt.member_id)).one()
    doubt.state, doubt.decided_at, doubt.sealed = DoubtState.SAME if is_same else DoubtState.OTHER, context.now, None
    note_change(tx, actor, KIND, str(doubt.id), "decided", context.now, after={"state": doubt.state})
    tx.orm.flush()
    if is_same:
        if known is None:  # She has erased her record meanwhile.
            return None
        person = replace(person, external_id=known)
    elif person.external_id == known:
        return None
    return enrol_person(tx, context, person)


def forget_doubts_of(tx: Transaction, record_id: int) -> None:
    """Of an erased record."""
    members = select(Member.id).where(Member.record_id == record_id)
    tx.orm.execute(delete(RosterDoubt).where(RosterDoubt.member_id.in_(members)))


def forget_old_doubts(tx: Transaction, now: datetime) -> None:
    is_old = (RosterDoubt.state == DoubtState.WAITING, RosterDoubt.created_at < now - KEPT)
    tx.orm.execute(delete(RosterDoubt).where(*is_old))


def _person(secrets: Secrets, doubt: RosterDoubt) -> PersonToEnrol:
    assert doubt.sealed is not None
    return PersonToEnrol(**json.loads(secrets.unseal(SEALED, doubt.sealed, _sealing_context(doubt.pair_hash))))


def _sealing_context(pair: bytes) -> str:
    return f"roster_doubt:{pair.hex()}"


class UnmatchedRow(NamedTuple):
    """Somebody whom the institution does not know under this name."""

    row_number: int
    person: PersonToEnrol
    # The file gives no name for her: ours comes from the document, or from name and address.
    is_named_by_us: bool
    called: str
    lookups: Lookups


class Possible(NamedTuple):
    """A member whom a row may be about, and what was decided about the two."""

    match: MemberMatch
    reason: DoubtReason
    pair: bytes


def name_key(nombre: str) -> str:
    """`PÉREZ, Ana` and `Ana Perez` are one name."""
    return " ".join(sorted(plain(nombre).replace(",", " ").split()))


def match_rows(
    tx: Transaction, context: EnrolContext, unmatched: Sequence[UnmatchedRow]
) -> dict[int, PersonToEnrol | NewDoubt]:
    """By the row's number: whom to enrol, under the name of the member she was found to be; or a doubt."""
    institution_id = context.institution.id
    matches = find_members(tx, institution_id, [each.lookups for each in unmatched])
    names = _names_of(tx, context.keyring, [match.id for match in matches])
    by_value: dict[bytes, list[MemberMatch]] = {}
    for match in sorted(matches, key=lambda match: match.id):
        for value in (match.documento, match.correo, match.telefono):
            if value is not None:
                by_value.setdefault(value, []).append(match)
    possible: dict[int, list[Possible]] = {}
    for each in unmatched:
        reasons = _possible(each, by_value, names)
        possible[each.row_number] = [
            Possible(match, reason, pair_hash(context.secrets, institution_id, each.person.external_id, match.id))
            for match, reason in reasons
        ]
    said = decisions(tx, [one.pair for found in possible.values() for one in found])
    return {each.row_number: _verdict(each, possible[each.row_number], said) for each in unmatched}


def _possible(
    each: UnmatchedRow, by_value: Mapping[bytes, list[MemberMatch]], names: Mapping[int, str]
) -> list[tuple[MemberMatch, DoubtReason]]:
    """The same document first. Two who each have a document of their own are two."""
    found = {}
    for match in by_value.get(each.lookups.documento or b"", []):
        found[match.id] = (match, DoubtReason.SAME_DOCUMENT)
    for value in (each.lookups.correo, each.lookups.telefono):
        for match in by_value.get(value or b"", []):
            are_two = match.documento is not None and each.lookups.documento is not None
            if match.id not in found and not are_two and names.get(match.id) == each.called:
                found[match.id] = (match, DoubtReason.SAME_NAME_AND_CONTACT)
    return list(found.values())


def _verdict(
    each: UnmatchedRow, possible: Sequence[Possible], said: Mapping[bytes, DoubtState]
) -> PersonToEnrol | NewDoubt:
    for match, reason, pair in possible:
        state = said.get(pair)
        is_sure = each.is_named_by_us and reason is DoubtReason.SAME_DOCUMENT
        if match.external_id is not None and (state is DoubtState.SAME or (state is None and is_sure)):
            return replace(each.person, external_id=match.external_id)
        if state is not DoubtState.OTHER:
            return NewDoubt(each.person, match.id, each.row_number, reason)
    return each.person


def _names_of(tx: Transaction, keyring: Keyring, members: Sequence[int]) -> dict[int, str]:
    """As the institution itself gave them, and sealed with the record's key."""
    found: dict[int, str] = {}
    columns = (Member.id, Member.record_id, Member.sealed, Record.key_id, Record.wrapped_key)
    for some in in_batches(members):
        query = select(*columns).join(Record, Record.id == Member.record_id).where(Member.id.in_(some))
        for row in tx.orm.execute(query.where(Member.sealed.is_not(None), Record.key_id.is_not(None))):
            key = opened_key(keyring, row.key_id, row.wrapped_key, record_key_bound_to(row.record_id))
            found[row.id] = name_key(open_contact(row.sealed, row.record_id, key).nombre)
    return found
