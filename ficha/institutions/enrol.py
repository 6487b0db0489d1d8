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

from ficha.accounts.accounts import Role
from ficha.accounts.tokens import Caller
from ficha.audit.log import Actor
from ficha.core.db import Base
from ficha.core.errors import FichaError
from ficha.core.transaction import Transaction
from ficha.fmd.access import FmdNotFound, OpenFmd, open_fmd, open_unclaimed
from ficha.fmd.base import Document
from ficha.fmd.changes import patch_models
from ficha.fmd.faults import InvalidDocument
from ficha.fmd.new_records import create_unclaimed_records
from ficha.fmd.records import Record
from ficha.fmd.stored_documents import stored_documents
from ficha.institutions.institution import Institution
from ficha.institutions.invitations import AGAIN_AFTER, MOST_SENT, put_invitations
from ficha.institutions.members import KnownMember, Lookups, Member, MemberState, external_hash, known_members
from ficha.institutions.person_to_enrol import (
    ENROLMENT_MODELS,
    EnrolContext,
    InvitedContact,
    NameMissing,
    PersonToEnrol,
    PhoneUnknown,
    SchoolClass,
    check_models,
    contact_of,
    given_alone,
    given_class,
    given_hash,
    guardian_to_alert,
    lookups_for,
    open_contact,
    phone_of,
    prepared_documents,
    seal_class,
    seal_contact,
)
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
class _New:
    """Somebody who is not there yet, ready to be stored."""

    external_id: str
    external_hash: bytes
    given_hash: bytes
    documents: Mapping[str, Document]
    contact: InvitedContact
    school_class: SchoolClass
    lookups: Lookups
    invites: bool


def enrol_person(tx: Transaction, context: EnrolContext, person: PersonToEnrol) -> Enrolled:
    """One person. Raises InvalidDocument, NameMissing or PhoneUnknown."""
    [result] = enrol_people(tx, context, [person])
    if isinstance(result, NotEnrolled):
        raise result.error
    return result


def enrol_people(
    tx: Transaction, context: EnrolContext, people: Sequence[PersonToEnrol]
) -> list[Enrolled | NotEnrolled]:
    """Creates those who are new and changes the others, in the caller's transaction; one result for each, in order.

    All new ones together take a dozen statements: give some hundreds at once. Whoever was given in the same words
    before costs a comparison. Enrolments of one institution wait for each other until their transaction ends.
    """
    tx.orm.execute(select(Institution.id).where(Institution.id == context.institution.id).with_for_update())
    results: dict[int, Enrolled | NotEnrolled] = {}
    waiting = dict(enumerate(people))
    while waiting:  # Once, unless a name comes twice: the second finds what the first made.
        first = {person.external_id: index for index, person in reversed(waiting.items())}
        distinct = {index: people[index] for index in sorted(first.values())}
        results |= _enrol_distinct(tx, context, distinct)
        waiting = {index: person for index, person in waiting.items() if index not in distinct}
    return [results[index] for index in range(len(people))]


def _enrol_distinct(
    tx: Transaction, context: EnrolContext, people: Mapping[int, PersonToEnrol]
) -> dict[int, Enrolled | NotEnrolled]:
    secrets, institution_id = context.secrets, context.institution.id
    hashes = {index: external_hash(secrets, institution_id, person.external_id) for index, person in people.items()}
    known = known_members(tx, institution_id, list(hashes.values()))
    results: dict[int, Enrolled | NotEnrolled] = {}
    new: dict[int, _New] = {}
    for index, person in people.items():
        try:
            row = known.get(hashes[index])
            if row is None:
                new[index] = _ready(context, person, hashes[index])
            else:
                results[index] = _enrol_known(tx, context, person, row)
        except REFUSALS as error:
            results[index] = NotEnrolled(person.external_id, error)
    results |= _create(tx, context, new)
    if any(isinstance(each, Enrolled) and each.outcome is not EnrolOutcome.UNCHANGED for each in results.values()):
        put_invitations(tx, context.institution.id)
    return results


def _enrol_known(tx: Transaction, context: EnrolContext, person: PersonToEnrol, row: KnownMember) -> Enrolled:
    """Whoever has erased the record is not enrolled anew, whatever is given."""
    given = given_hash(context.secrets, person)
    outcome = EnrolOutcome.UNCHANGED
    if row.given_hash != given and row.state != MemberState.ENDED:
        change_member(tx, context, row.id, person, given)
        outcome = EnrolOutcome.CHANGED
    return Enrolled(row.id, person.external_id, row.bp_code, MemberState(row.state), outcome)


def _ready(context: EnrolContext, person: PersonToEnrol, hashed: bytes) -> _New:
    documents = prepared_documents(person, context.now)
    contact = contact_of(person, documents)
    return _New(
        person.external_id,
        hashed,
        given_hash(context.secrets, person),
        documents,
        contact,
        given_class(person) or SchoolClass(),
        lookups_for(context, contact, documents),
        person.invites and bool(contact.correo or contact.telefono),
    )


def _create(tx: Transaction, context: EnrolContext, new: Mapping[int, _New]) -> dict[int, Enrolled | NotEnrolled]:
    """Records, codes and members of all of them, a statement for each table."""
    if not new:
        return {}
    now = context.now
    actor = Actor("institution", context.institution.id)
    contents = [each.documents for each in new.values()]
    records = create_unclaimed_records(tx, context.keyring, contents, actor, now)
    codes = issue_bp_codes(tx, [record.id for record in records], now)
    rows = [
        {
            "institution_id": context.institution.id,
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
            "sealed_class": seal_class(each.school_class, record.id, record.key),
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
        index: Enrolled(ids[record.id], each.external_id, codes[record.id], MemberState.UNCLAIMED, EnrolOutcome.CREATED)
        for (index, each), record in zip(new.items(), records, strict=True)
    }


def change_member(tx: Transaction, context: EnrolContext, member_id: int, person: PersonToEnrol, given: bytes) -> None:
    """As long as nobody has accepted the record, it is changed as given. Then it is its owner's: it is changed only if
    she lets the institution do so; what the institution itself keeps of her (how to find and call her) always is.

    Raises InvalidDocument, NameMissing or PhoneUnknown, before anything is changed."""
    now = context.now
    check_models(person)
    phone_of(person)
    member = tx.orm.get_one(Member, member_id)
    fmd = _opened(tx, context, member)
    if fmd is None:  # Nothing is looked up in the record: what is given is read by itself.
        documents: Mapping[str, Document] = prepared_documents(person, now)
        contact = contact_of(person, documents)
    else:
        documents = _changed(tx, fmd, person, now, is_own=member.state != MemberState.UNCLAIMED)
        before = None if member.sealed is None else open_contact(member.sealed, fmd.id, fmd.key)
        contact = contact_of(person, documents, before)
        member.sealed = seal_contact(contact, fmd.id, fmd.key)
        is_reached_anew = before is None or (contact.correo, contact.telefono) != (before.correo, before.telefono)
        can_be_invited = member.state == MemberState.UNCLAIMED and bool(contact.correo or contact.telefono)
        if is_reached_anew:  # What was ended was for another address.
            member.invite_ended_at = None
            # Two addresses in turn are asked no more often than one.
            if member.invited_at is None or member.invited_at <= now - AGAIN_AFTER:
                member.invites_sent = 0
        is_new = is_reached_anew or (member.invited_at is None and member.invite_ended_at is None)
        member.invite_due = person.invites and can_be_invited and is_new and member.invites_sent < MOST_SENT
    school_class = given_class(person)
    if school_class is not None:
        key = tx.orm.get_one(Record, member.record_id).open_key(context.keyring) if fmd is None else fmd.key
        member.sealed_class = seal_class(school_class, member.record_id, key)
    found_by = lookups_for(context, contact, documents)
    member.documento_hash = found_by.documento or member.documento_hash
    member.correo_hash = found_by.correo or member.correo_hash
    member.telefono_hash = found_by.telefono or member.telefono_hash
    member.given_hash, member.changed_at = given, now
    tx.orm.flush()


def _opened(tx: Transaction, context: EnrolContext, member: Member) -> OpenFmd | None:
    """None if the record is somebody's who does not let the institution change it."""
    institution, keyring = context.institution, context.keyring
    if member.state == MemberState.UNCLAIMED:
        return open_unclaimed(tx, keyring, member.record_id, Actor("institution", institution.id))
    if institution.account_id is None:
        return None
    caller = Caller(institution.account_id, 0, "", frozenset({Role.INSTITUTION}))
    try:
        fmd = open_fmd(tx, keyring, caller, member.bp_code, context.now)
    except FmdNotFound:
        return None
    return fmd if fmd.rights.changes else None


def _changed(
    tx: Transaction, fmd: OpenFmd, person: PersonToEnrol, now: datetime, *, is_own: bool
) -> Mapping[str, Document]:
    """Changes the record, and returns what it holds then. Of one that is somebody's own only what was given: what else
    it holds is hers to hide."""
    if person.documents:
        patches: dict[str, Any] = {name: dict(document) for name, document in person.documents.items()}
        patch_models(tx, fmd, patches, now)
    if is_own:
        return given_alone(person, now)
    stored = stored_documents(tx, fmd.id, fmd.key, (*ENROLMENT_MODELS, "emergencia"))
    documents = {name: each.document for name, each in stored.items()}
    contact = guardian_to_alert(documents, person.idioma)
    before: Mapping[str, Any] = next(iter(documents.get("emergencia", {}).get("contactos", ())), {})
    if contact is not None and not contact.items() <= before.items():
        # The same contact with another number, so that what is under way still finds who was alerted.
        known = {"id": before["id"]} if before else {}
        patch_models(tx, fmd, {"emergencia": {"contactos": [known | contact]}}, now)
    return documents
