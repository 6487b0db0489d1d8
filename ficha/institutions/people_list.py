"""The people of an institution as who works there sees them: how the institution itself calls them, in which class they
are, and how far their owners let it look. Nothing of a record is opened for that, and who saw several at once is noted
in each."""

import re
import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, and_, exists, or_, select

from ficha.audit.read_log import ReadLog
from ficha.core.crypto import Keyring
from ficha.core.errors import NotFound
from ficha.core.secrets import opened_key
from ficha.core.transaction import Transaction
from ficha.fmd.grants import Grant, GrantKind, grant_is_live
from ficha.fmd.records import Record, record_key_bound_to
from ficha.institutions.institution import Institution, InstitutionFacts
from ficha.institutions.invitations import ACCEPTED_WITHIN
from ficha.institutions.members import Member, MemberState
from ficha.institutions.person_to_enrol import InvitedContact, SchoolClass, open_class, open_contact
from ficha.institutions.roster_columns import plain

# How many are opened for one page of a search by name, and how many of them before it rests.
MOST_OPENED, OPENED_AT_ONCE = 10_000, 100
# A word of one or two of these is looked for as a whole: the A of a class is in nearly every name.
LETTERS = re.compile(r"[^\W_]+")


class MemberStanding(StrEnum):
    """How far the person has let the institution in."""

    WAITING = "waiting"  # Nobody has accepted the record yet.
    CLOSED = "closed"  # It is hers, and the institution sees nothing of it.
    SEES = "sees"
    EDITS = "edits"  # It sees, and what it gives again changes the record.


OPEN = (MemberStanding.SEES, MemberStanding.EDITS)


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
    standing: MemberStanding
    invitation: InvitationState
    invited_at: datetime | None
    # Of the record.
    key: bytes = field(repr=False)

    @property
    def nombre(self) -> str:
        return self.contact.nombre

    @property
    def class_text(self) -> str:
        return " ".join(filter(None, self.school_class))

    @property
    def is_open(self) -> bool:
        return self.standing in OPEN


class FoundMembers(list[ListedMember]):
    """`stopped_at` is the number of the last one looked at, where a search ended before it had looked at all."""

    stopped_at: int | None = None


def listed_members(
    tx: Transaction,
    keyring: Keyring,
    institution: InstitutionFacts,
    now: datetime,
    *,
    after: int = 0,
    limit: int,
    search: str = "",
    standings: Collection[MemberStanding] = (),
    which: Sequence[ColumnElement[bool]] = (),
) -> FoundMembers:
    """A page of them, by number above `after`, without who left or erased her record; with `standings`, those who stand
    so; of all these, those for whom `which` is true. With `search`, the one whose number or code that is, else
    those whose name, number, class or code has these words: they are readable only one by one, so it looks at
    MOST_OPENED of them and no more."""
    words = LETTERS.findall(plain(search))
    these = (*which, Member.id > after, *([_stand(institution, standings, now)] if standings else []))
    if not words:
        return FoundMembers(_listed(tx, keyring, institution, _rows(tx, institution.id, *these, most=limit), now))
    called = or_(Member.bp_code == search.strip().upper(), Member.external_id == search.strip())
    exact = _rows(tx, institution.id, *these, called, most=limit)
    if exact:
        return FoundMembers(_listed(tx, keyring, institution, exact, now))
    return _with_words(tx, keyring, institution, now, these, words, limit)


def _with_words(
    tx: Transaction,
    keyring: Keyring,
    institution: InstitutionFacts,
    now: datetime,
    these: Sequence[ColumnElement[bool]],
    words: Sequence[str],
    limit: int,
) -> FoundMembers:
    """Rests between batches for as long as one took, so that who is more urgent goes before."""
    found, seen, last = FoundMembers(), 0, 0
    while len(found) < limit:
        if seen >= MOST_OPENED:
            found.stopped_at = last
            return found
        began = time.monotonic()
        rows = _rows(tx, institution.id, *these, Member.id > last, most=OPENED_AT_ONCE)
        matching = [row for row in rows if _has_words(keyring, row, words)][: limit - len(found)]
        found += _listed(tx, keyring, institution, matching, now)
        if len(rows) < OPENED_AT_ONCE:
            break
        seen, last = seen + len(rows), rows[-1].id
        time.sleep(time.monotonic() - began)
    return found


def listed_member(
    tx: Transaction, keyring: Keyring, institution: InstitutionFacts, code: str, now: datetime
) -> ListedMember:
    """The one with this code. Raises NotFound, also for another institution's and for who is none any more."""
    found = _listed(tx, keyring, institution, _rows(tx, institution.id, Member.bp_code == code.upper()), now)
    if len(found) != 1:
        raise NotFound
    return found[0]


def listed_member_of_id(
    tx: Transaction, keyring: Keyring, institution: InstitutionFacts, member_id: int, now: datetime
) -> ListedMember:
    """The same by her number in the list. Raises NotFound alike."""
    found = _listed(tx, keyring, institution, _rows(tx, institution.id, Member.id == member_id), now)
    if len(found) != 1:
        raise NotFound
    return found[0]


def seen_by_institution(
    tx: Transaction, institution_id: int, record_ids: Collection[int], now: datetime
) -> dict[int, bool]:
    """Those of these records that their owners let it see now, each with whether it may also change it."""
    if not record_ids:
        return {}
    granted = select(Grant.record_id, Grant.edits).join(Institution, Institution.account_id == Grant.account_id)
    of_here = (Institution.id == institution_id, Grant.kind == GrantKind.INSTITUTION, grant_is_live(now))
    rows = tx.orm.execute(granted.where(Grant.record_id.in_(record_ids), *of_here))
    return {row.record_id: row.edits for row in rows}


def _stand(institution: InstitutionFacts, standings: Collection[MemberStanding], now: datetime) -> ColumnElement[bool]:
    """By what is stored in clear, as `_standing` tells it of a row."""
    of_here = (Grant.account_id == institution.account_id, Grant.kind == GrantKind.INSTITUTION, grant_is_live(now))
    granted = exists().where(Grant.record_id == Member.record_id, *of_here)
    is_accepted = Member.state == MemberState.ACCEPTED
    conditions = {
        MemberStanding.WAITING: Member.state == MemberState.UNCLAIMED,
        MemberStanding.CLOSED: and_(is_accepted, ~granted),
        MemberStanding.SEES: and_(is_accepted, granted.where(Grant.edits.is_(False))),
        MemberStanding.EDITS: and_(is_accepted, granted.where(Grant.edits.is_(True))),
    }
    return or_(*(conditions[standing] for standing in standings))


def _has_words(keyring: Keyring, row: Any, words: Sequence[str]) -> bool:
    _, contact, school_class = _opened(keyring, row)
    class_text = " ".join(filter(None, school_class))
    text = plain(f"{contact.nombre} {row.external_id} {class_text} {row.bp_code}")
    whole = set(LETTERS.findall(text))
    return all(word in whole if len(word) < 3 else word in text for word in words)


def _opened(keyring: Keyring, row: Any) -> tuple[bytes, InvitedContact, SchoolClass]:
    key = opened_key(keyring, row.key_id, row.wrapped_key, record_key_bound_to(row.record_id))
    return key, open_contact(row.sealed, row.record_id, key), open_class(row.sealed_class, row.record_id, key)


def _rows(tx: Transaction, institution_id: int, *which: ColumnElement[bool], most: int = 2) -> Sequence[Any]:
    columns = (Member.id, Member.record_id, Member.external_id, Member.bp_code, Member.state, Member.sealed)
    invited = (Member.sealed_class, Member.invited_at, Member.token_hash, Member.invite_ended_at)
    query = select(*columns, *invited, Record.key_id, Record.wrapped_key)
    query = query.join(Record, Record.id == Member.record_id).where(Member.institution_id == institution_id, *which)
    # Of who left nothing is known that a list could show: her row has no name, class or number any more.
    query = query.where(Member.state != MemberState.ENDED)
    return tx.orm.execute(query.order_by(Member.id).limit(most)).all()


def _listed(
    tx: Transaction, keyring: Keyring, institution: InstitutionFacts, rows: Sequence[Any], now: datetime
) -> list[ListedMember]:
    accepted = [row.record_id for row in rows if row.state == MemberState.ACCEPTED]
    edits = seen_by_institution(tx, institution.id, accepted, now)
    return [_listed_row(keyring, row, edits.get(row.record_id), now) for row in rows]


def _listed_row(keyring: Keyring, row: Any, edits: bool | None, now: datetime) -> ListedMember:
    key, contact, school_class = _opened(keyring, row)
    return ListedMember(
        row.id,
        row.record_id,
        row.external_id,
        row.bp_code,
        contact,
        school_class,
        _standing(MemberState(row.state), edits),
        _invitation(row, contact, now),
        row.invited_at,
        key,
    )


def _standing(state: MemberState, edits: bool | None) -> MemberStanding:
    """The last decision of an owner is her institution's grant: none, or one that lets it see, and perhaps change."""
    if state is MemberState.UNCLAIMED:
        return MemberStanding.WAITING
    if edits is None:
        return MemberStanding.CLOSED
    return MemberStanding.EDITS if edits else MemberStanding.SEES


def _invitation(row: Any, contact: InvitedContact, now: datetime) -> InvitationState:
    if row.invite_ended_at is not None:
        return InvitationState.ENDED
    if not (contact.correo or contact.telefono):
        return InvitationState.UNREACHABLE
    if row.invited_at is None or row.token_hash is None:
        return InvitationState.UNSENT
    return InvitationState.SENT if row.invited_at > now - ACCEPTED_WITHIN else InvitationState.EXPIRED


def note_lacks(read_log: ReadLog, members: Iterable[ListedMember], account_id: int, now: datetime, origin: str) -> None:
    """That the account saw whether each lacks a contact or a sticker. Raises ReadNotLogged."""
    who, via = f"account:{account_id}", GrantKind.INSTITUTION
    for member in members:
        read_log.note(member.record_id, who, "record.listed", ["emergencia"], now, via=via, origin=origin)


def note_printed(
    read_log: ReadLog, members: Iterable[ListedMember], account_id: int, now: datetime, origin: str
) -> None:
    """That the account printed the code of each. Raises ReadNotLogged."""
    who, via = f"account:{account_id}", GrantKind.INSTITUTION
    for member in members:
        read_log.note(member.record_id, who, "sticker.printed", [member.bp_code], now, via=via, origin=origin)
