"""Enrolling people: an institution names a person, and she has a record, a code and an invitation to make it hers.

The operation, the roster and the console call the same function. Whether a correo has an account is never looked at,
so that nobody can learn it here: the person herself joins both when she accepts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import insert, select

from ficha.audit.log import Actor
from ficha.core.crypto import Keyring
from ficha.core.db import Base
from ficha.core.errors import FichaError
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction
from ficha.fmd.base import Document
from ficha.fmd.faults import InvalidDocument
from ficha.fmd.new_records import create_unclaimed_records
from ficha.institutions.given_person import (
    GivenPerson,
    InvitedContact,
    NameMissing,
    PhoneUnknown,
    contact_of,
    given_hash,
    lookups_for,
    prepared_documents,
    seal_contact,
)
from ficha.institutions.institution import Institution, InstitutionFacts
from ficha.institutions.invitations import put_invitations
from ficha.institutions.member_changes import change_member
from ficha.institutions.members import LOOKED_UP_AT_ONCE, Lookups, Member, MemberState, external_hash
from ficha.products.codes import issue_bp_codes

# Why one of many is not enrolled, while the others are.
REFUSALS = (InvalidDocument, NameMissing, PhoneUnknown)

_members = Base.metadata.tables[Member.__tablename__]


class EnrolOutcome(StrEnum):
    CREATED = "created"
    CHANGED = "changed"
    UNCHANGED = "unchanged"


@dataclass(frozen=True)
class Enrolled:
    member_id: int
    external_id: str
    bp_code: str
    state: MemberState
    outcome: EnrolOutcome


@dataclass(frozen=True)
class NotEnrolled:
    """This person was not enrolled, and nothing of her was changed. `error.problems` says why, field by field."""

    external_id: str
    error: FichaError


@dataclass(frozen=True)
class _Desk:
    """What enrolling takes."""

    tx: Transaction
    institution: InstitutionFacts
    keyring: Keyring
    secrets: Secrets
    now: datetime


@dataclass(frozen=True)
class _New:
    """Somebody who is not there yet, ready to be stored."""

    external_id: str
    external_hash: bytes
    given_hash: bytes
    documents: Mapping[str, Document]
    contact: InvitedContact
    lookups: Lookups
    invites: bool


def enrol_person(
    tx: Transaction,
    institution: InstitutionFacts,
    person: GivenPerson,
    keyring: Keyring,
    secrets: Secrets,
    now: datetime,
) -> Enrolled:
    """One person. Raises InvalidDocument, NameMissing or PhoneUnknown."""
    [result] = enrol_people(tx, institution, [person], keyring, secrets, now)
    if isinstance(result, NotEnrolled):
        raise result.error
    return result


def enrol_people(
    tx: Transaction,
    institution: InstitutionFacts,
    people: Sequence[GivenPerson],
    keyring: Keyring,
    secrets: Secrets,
    now: datetime,
) -> list[Enrolled | NotEnrolled]:
    """Creates those who are new and changes the others, in the caller's transaction; one result for each, in order.

    All new ones together take a dozen statements: give some hundreds at once. Whoever was given in the same words
    before costs a comparison. Enrolments of one institution wait for each other until their transaction ends.
    """
    tx.orm.execute(select(Institution.id).where(Institution.id == institution.id).with_for_update())
    desk = _Desk(tx, institution, keyring, secrets, now)
    results: dict[int, Enrolled | NotEnrolled] = {}
    waiting = dict(enumerate(people))
    while waiting:  # Once, unless a name comes twice: the second finds what the first made.
        first = {person.external_id: place for place, person in reversed(waiting.items())}
        distinct = {place: people[place] for place in sorted(first.values())}
        results |= _enrol_distinct(desk, distinct)
        waiting = {place: person for place, person in waiting.items() if place not in distinct}
    return [results[place] for place in range(len(people))]


def _enrol_distinct(desk: _Desk, people: Mapping[int, GivenPerson]) -> dict[int, Enrolled | NotEnrolled]:
    hashes = {
        place: external_hash(desk.secrets, desk.institution.id, person.external_id) for place, person in people.items()
    }
    known = _known_members(desk, list(hashes.values()))
    results: dict[int, Enrolled | NotEnrolled] = {}
    new: dict[int, _New] = {}
    for place, person in people.items():
        try:
            row = known.get(hashes[place])
            if row is None:
                new[place] = _ready(desk, person, hashes[place])
            else:
                results[place] = _enrol_known(desk, person, row)
        except REFUSALS as error:
            results[place] = NotEnrolled(person.external_id, error)
    results |= _create(desk, new)
    if any(isinstance(each, Enrolled) and each.outcome is not EnrolOutcome.UNCHANGED for each in results.values()):
        put_invitations(desk.tx, desk.institution.id)
    return results


def _known_members(desk: _Desk, hashes: Sequence[bytes]) -> dict[bytes, Any]:
    """Rows, not objects: most of a roster that comes again has not changed."""
    found: dict[bytes, Any] = {}
    columns = (Member.id, Member.external_hash, Member.given_hash, Member.bp_code, Member.state)
    for start in range(0, len(hashes), LOOKED_UP_AT_ONCE):
        some = hashes[start : start + LOOKED_UP_AT_ONCE]
        query = select(*columns).where(Member.institution_id == desk.institution.id, Member.external_hash.in_(some))
        found |= {row.external_hash: row for row in desk.tx.orm.execute(query)}
    return found


def _enrol_known(desk: _Desk, person: GivenPerson, row: Any) -> Enrolled:
    """Whoever has erased the record is not enrolled anew, whatever is given."""
    given = given_hash(desk.secrets, person)
    outcome = EnrolOutcome.UNCHANGED
    if row.given_hash != given and row.state != MemberState.ENDED:
        change_member(desk.tx, desk.institution, row.id, person, given, desk.keyring, desk.secrets, desk.now)
        outcome = EnrolOutcome.CHANGED
    return Enrolled(row.id, person.external_id, row.bp_code, MemberState(row.state), outcome)


def _ready(desk: _Desk, person: GivenPerson, hashed: bytes) -> _New:
    documents = prepared_documents(person, desk.now)
    contact = contact_of(person, documents)
    return _New(
        person.external_id,
        hashed,
        given_hash(desk.secrets, person),
        documents,
        contact,
        lookups_for(desk.secrets, desk.institution.id, contact, documents),
        person.invites and bool(contact.correo or contact.telefono),
    )


def _create(desk: _Desk, new: Mapping[int, _New]) -> dict[int, Enrolled | NotEnrolled]:
    """Records, codes and members of all of them, a statement for each table."""
    if not new:
        return {}
    tx, now = desk.tx, desk.now
    actor = Actor("institution", desk.institution.id)
    contents = [each.documents for each in new.values()]
    records = create_unclaimed_records(tx, desk.keyring, contents, actor, now)
    codes = issue_bp_codes(tx, [record.id for record in records], now)
    rows = [
        {
            "institution_id": desk.institution.id,
            "external_hash": each.external_hash,
            "external_id": each.external_id,
            "record_id": record.id,
            "bp_code": codes[record.id],
            "state": MemberState.UNCLAIMED,
            "given_hash": each.given_hash,
            "documento_hash": each.lookups.documento,
            "correo_hash": each.lookups.correo,
            "telefono_hash": each.lookups.telefono,
            "sealed": seal_contact(each.contact, record.id, record.key),
            "invite_due": each.invites,
            "created_at": now,
            "changed_at": now,
        }
        for each, record in zip(new.values(), records, strict=True)
    ]
    # On the bare table: the ORM would follow every row.
    stored = tx.orm.execute(insert(_members).returning(_members.c.id, _members.c.record_id), rows)
    ids = {row.record_id: row.id for row in stored}
    return {
        place: Enrolled(ids[record.id], each.external_id, codes[record.id], MemberState.UNCLAIMED, EnrolOutcome.CREATED)
        for (place, each), record in zip(new.items(), records, strict=True)
    }
