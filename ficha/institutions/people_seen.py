"""What who works at an institution sees: its people, and with the medical role what they let it see of them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import select

from ficha.core.crypto import Keyring
from ficha.core.errors import FichaError, NotFound
from ficha.core.transaction import Transaction
from ficha.fmd.access import RecordAccess, find_access
from ficha.fmd.catalog import CATALOG
from ficha.fmd.consent import visible_documents
from ficha.fmd.stored_documents import documents_of
from ficha.institutions.consents import Consent
from ficha.institutions.institution import Institution, InstitutionUnknown
from ficha.institutions.institution_roles import PlaceRole, places_of
from ficha.institutions.members import Member, MemberState


class OpensNoRecords(FichaError):
    status = 403
    code = "solo_salud"
    message = "Su rol en la institución no abre fichas: lo hace quien tiene allí el rol de salud."


class SeenRecord(NamedTuple):
    """`access` is that of the institution itself: as deep as the person let it."""

    member: Member
    access: RecordAccess
    documents: Mapping[str, Any]


def place_at(tx: Transaction, account_id: int, slug: str) -> tuple[Institution, PlaceRole]:
    """The open institution of that name, where the account has a role. Raises InstitutionUnknown."""
    for institution, role in places_of(tx, account_id):
        if institution.slug == slug:
            return institution, role
    raise InstitutionUnknown


def present_consents(tx: Transaction, members: Sequence[Member]) -> dict[int, Consent]:
    """What was decided last of each, by the member's number; who decided nothing is not in it."""
    query = select(Consent).where(Consent.member_id.in_([member.id for member in members])).order_by(Consent.id)
    return {consent.member_id: consent for consent in tx.orm.scalars(query)}


def see_record(
    tx: Transaction, keyring: Keyring, institution: Institution, role: PlaceRole, code: str, now: datetime
) -> SeenRecord:
    """The record of one of its people, by the code that it issued; whoever shows it notes the look. Raises
    OpensNoRecords, NotFound if she is not one of them, or FmdNotFound if nobody consented."""
    if role is not PlaceRole.MEDICAL:
        raise OpensNoRecords
    of_here = select(Member).where(Member.institution_id == institution.id, Member.bp_code == code.upper())
    member = tx.orm.scalars(of_here.where(Member.state == MemberState.ACCEPTED)).one_or_none()
    if member is None or institution.account_id is None:
        raise NotFound
    access = find_access(tx, institution.account_id, member.bp_code, now)
    documents = documents_of(tx, access.record_id, access.key(keyring), CATALOG.names)
    return SeenRecord(member, access, visible_documents(documents, access.rights.door))
