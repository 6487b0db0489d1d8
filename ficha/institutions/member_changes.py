"""What an institution says anew about somebody it has enrolled: it changes what is still its own, or what it may."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from ficha.accounts.accounts import Role
from ficha.accounts.tokens import Caller
from ficha.audit.log import Actor
from ficha.core.crypto import Keyring
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction
from ficha.fmd.access import FmdNotFound, OpenFmd, open_fmd, open_unclaimed
from ficha.fmd.base import Document
from ficha.fmd.changes import patch_models
from ficha.fmd.stored_documents import stored_documents
from ficha.institutions.given_person import (
    GIVEN_MODELS,
    GivenPerson,
    check_models,
    contact_of,
    given_phone,
    lookups_for,
    open_contact,
    prepared_documents,
    seal_contact,
)
from ficha.institutions.institution import InstitutionFacts
from ficha.institutions.members import Member, MemberState


def change_member(
    tx: Transaction,
    institution: InstitutionFacts,
    member_id: int,
    person: GivenPerson,
    given: bytes,
    keyring: Keyring,
    secrets: Secrets,
    now: datetime,
) -> None:
    """As long as nobody has accepted the record, it is changed as given. Then it is its owner's: it is changed only if
    she lets the institution do so; what the institution itself keeps of her (how to find and call her) always is.

    Raises InvalidDocument, NameMissing or PhoneUnknown, before anything is changed."""
    check_models(person)
    given_phone(person)
    member = tx.orm.get_one(Member, member_id)
    fmd = _opened(tx, institution, member, keyring, now)
    if fmd is None:  # Nothing is looked up in the record: what is given is read by itself.
        documents: Mapping[str, Document] = prepared_documents(person, now)
        contact = contact_of(person, documents)
    else:
        documents = _changed(tx, fmd, person, now)
        before = None if member.sealed is None else open_contact(member.sealed, fmd.id, fmd.key)
        contact = contact_of(person, documents, before)
        member.sealed = seal_contact(contact, fmd.id, fmd.key)
        is_reached_anew = before is None or (contact.correo, contact.telefono) != (before.correo, before.telefono)
        can_be_invited = member.state == MemberState.UNCLAIMED and bool(contact.correo or contact.telefono)
        member.invite_due = person.invites and can_be_invited and (is_reached_anew or member.invited_at is None)
    found_by = lookups_for(secrets, institution.id, contact, documents)
    member.documento_hash = found_by.documento or member.documento_hash
    member.correo_hash = found_by.correo or member.correo_hash
    member.telefono_hash = found_by.telefono or member.telefono_hash
    member.given_hash, member.changed_at = given, now
    tx.orm.flush()


def _opened(
    tx: Transaction, institution: InstitutionFacts, member: Member, keyring: Keyring, now: datetime
) -> OpenFmd | None:
    """None if the record is somebody's who does not let the institution change it."""
    if member.state == MemberState.UNCLAIMED:
        return open_unclaimed(tx, keyring, member.record_id, Actor("institution", institution.id))
    if institution.account_id is None:
        return None
    caller = Caller(institution.account_id, 0, "", frozenset({Role.INSTITUTION}))
    try:
        fmd = open_fmd(tx, keyring, caller, member.bp_code, now)
    except FmdNotFound:
        return None
    return fmd if fmd.rights.changes else None


def _changed(tx: Transaction, fmd: OpenFmd, person: GivenPerson, now: datetime) -> Mapping[str, Document]:
    """Changes the record, and returns what it holds then."""
    if person.documents:
        patches: dict[str, Any] = {name: dict(document) for name, document in person.documents.items()}
        patch_models(tx, fmd, patches, now)
    stored = stored_documents(tx, fmd.id, fmd.key, GIVEN_MODELS)
    return {name: each.document for name, each in stored.items()}
