"""The people of an institution as who works there sees them: how the institution itself calls them, in which class they
are, and how far their owners let it look. Nothing of a record is opened for that."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, select

from ficha.core.crypto import Keyring
from ficha.core.errors import NotFound
from ficha.core.secrets import opened_key
from ficha.core.transaction import Transaction
from ficha.fmd.grants import Grant, GrantKind, grant_is_live
from ficha.fmd.records import Record, record_key_bound_to
from ficha.institutions.institution import InstitutionFacts
from ficha.institutions.invitations import ACCEPTED_WITHIN
from ficha.institutions.members import Member, MemberState
from ficha.institutions.person_to_enrol import InvitedContact, SchoolClass, open_class, open_contact
from ficha.institutions.roster_columns import plain

# So many are opened at a time while one looks for names: they are readable only one by one.
SEARCHED_AT_ONCE = 500


class Standing(StrEnum):
    """How far the person has let the institution in."""

    WAITING = "waiting"  # Nobody has accepted the record yet.
    CLOSED = "closed"  # It is hers, and the institution sees nothing of it.
    SEES = "sees"
    EDITS = "edits"  # It sees, and what it gives again changes the record.
    ENDED = "ended"  # She has erased it.


OPEN = (Standing.SEES, Standing.EDITS)


class InvitationState(StrEnum):
    """Of somebody who has not accepted."""

    UNREACHABLE = "unreachable"  # There is neither correo nor phone.
    UNSENT = "unsent"
    SENT = "sent"
    EXPIRED = "expired"
    ENDED = "ended"  # By the institution.


@dataclass(frozen=True)
class ListedMember:
    id: int
    record_id: int
    external_id: str
    bp_code: str
    contact: InvitedContact
    school_class: SchoolClass
    standing: Standing
    invitation: InvitationState
    invited_at: datetime | None
    # Of the record; empty once it is erased.
    key: bytes = field(default=b"", repr=False)

    @property
    def nombre(self) -> str:
        return self.contact.nombre

    @property
    def class_text(self) -> str:
        return " ".join(filter(None, self.school_class))

    @property
    def is_open(self) -> bool:
        return self.standing in OPEN

    def has_words(self, words: Sequence[str]) -> bool:
        text = plain(f"{self.nombre} {self.external_id} {self.class_text} {self.bp_code}")
        return all(word in text for word in words)


NOBODY = InvitedContact("", None, None, "es")


def listed_members(
    tx: Transaction,
    keyring: Keyring,
    institution: InstitutionFacts,
    now: datetime,
    *,
    after: int = 0,
    limit: int,
    search: str = "",
    standings: Collection[Standing] = (),
) -> list[ListedMember]:
    """A page of them, by number above `after`; with `search`, those whose name, number, class or code has these words;
    with `standings`, those who stand so."""
    words = plain(search).split()
    found = (
        member
        for member in _members(tx, keyring, institution, now, _states_of(standings), after, is_scan=bool(words))
        if member.has_words(words) and (not standings or member.standing in standings)
    )
    return [member for member, _ in zip(found, range(limit), strict=False)]


def listed_member(
    tx: Transaction, keyring: Keyring, institution: InstitutionFacts, code: str, now: datetime
) -> ListedMember:
    """The one with this code. Raises NotFound, also for another institution's and for who has erased her record."""
    rows = _rows(tx, institution.id, Member.bp_code == code.upper(), Member.state != MemberState.ENDED)
    found = _listed(tx, keyring, institution, rows, now)
    if len(found) != 1:
        raise NotFound
    return found[0]


def listed_member_of_id(
    tx: Transaction, keyring: Keyring, institution: InstitutionFacts, member_id: int, now: datetime
) -> ListedMember:
    """The same by her number in the list. Raises NotFound."""
    found = _listed(tx, keyring, institution, _rows(tx, institution.id, Member.id == member_id), now)
    if len(found) != 1:
        raise NotFound
    return found[0]


def _states_of(standings: Collection[Standing]) -> set[MemberState]:
    of = {Standing.WAITING: MemberState.UNCLAIMED, Standing.ENDED: MemberState.ENDED}
    return {of.get(standing, MemberState.ACCEPTED) for standing in standings} or set(MemberState)


def _members(
    tx: Transaction,
    keyring: Keyring,
    institution: InstitutionFacts,
    now: datetime,
    states: Collection[MemberState],
    after: int,
    *,
    is_scan: bool,
) -> Iterator[ListedMember]:
    while True:
        some = SEARCHED_AT_ONCE if is_scan else 60
        rows = _rows(tx, institution.id, Member.id > after, Member.state.in_(states), most=some)
        yield from _listed(tx, keyring, institution, rows, now)
        if len(rows) < some:
            return
        after = rows[-1].id


def _rows(tx: Transaction, institution_id: int, *which: ColumnElement[bool], most: int = 2) -> Sequence[Any]:
    columns = (Member.id, Member.record_id, Member.external_id, Member.bp_code, Member.state, Member.sealed)
    invited = (Member.sealed_class, Member.invited_at, Member.token_hash, Member.invite_ended_at)
    query = select(*columns, *invited, Record.key_id, Record.wrapped_key)
    query = query.join(Record, Record.id == Member.record_id).where(Member.institution_id == institution_id, *which)
    return tx.orm.execute(query.order_by(Member.id).limit(most)).all()


def _listed(
    tx: Transaction, keyring: Keyring, institution: InstitutionFacts, rows: Sequence[Any], now: datetime
) -> list[ListedMember]:
    accepted = [row.record_id for row in rows if row.state == MemberState.ACCEPTED]
    of_here = (Grant.account_id == institution.account_id, Grant.kind == GrantKind.INSTITUTION, grant_is_live(now))
    granted = select(Grant.record_id, Grant.edits).where(Grant.record_id.in_(accepted), *of_here)
    edits = {row.record_id: row.edits for row in tx.orm.execute(granted)} if accepted else {}
    return [_listed_row(keyring, row, edits.get(row.record_id), now) for row in rows]


def _listed_row(keyring: Keyring, row: Any, edits: bool | None, now: datetime) -> ListedMember:
    key, contact, school_class = b"", NOBODY, SchoolClass()
    if row.sealed is not None and row.key_id is not None:
        key = opened_key(keyring, row.key_id, row.wrapped_key, record_key_bound_to(row.record_id))
        contact = open_contact(row.sealed, row.record_id, key)
        school_class = open_class(row.sealed_class, row.record_id, key)
    return ListedMember(
        row.id,
        row.record_id,
        row.external_id or "",
        row.bp_code,
        contact,
        school_class,
        _standing(MemberState(row.state), edits),
        _invitation(row, contact, now),
        row.invited_at,
        key,
    )


def _standing(state: MemberState, edits: bool | None) -> Standing:
    """The last decision of an owner is her institution's grant: none, or one that lets it see, and perhaps change."""
    if state is not MemberState.ACCEPTED:
        return Standing.WAITING if state is MemberState.UNCLAIMED else Standing.ENDED
    if edits is None:
        return Standing.CLOSED
    return Standing.EDITS if edits else Standing.SEES


def _invitation(row: Any, contact: InvitedContact, now: datetime) -> InvitationState:
    if row.invite_ended_at is not None:
        return InvitationState.ENDED
    if not (contact.correo or contact.telefono):
        return InvitationState.UNREACHABLE
    if row.invited_at is None or row.token_hash is None:
        return InvitationState.UNSENT
    return InvitationState.SENT if row.invited_at > now - ACCEPTED_WITHIN else InvitationState.EXPIRED
