"""Accepting: the record that an institution prepared becomes the person's, or joins one that she has already; and
consent, what its owner or guardian lets the institution see of it, each decision with its version."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, ForeignKey, String, select, update
from sqlalchemy.orm import Mapped, mapped_column

from ficha.accounts.tokens import Caller
from ficha.audit import log as audit
from ficha.audit.log import Actor
from ficha.core.crypto import Keyring
from ficha.core.db import Base, BigId, Utc
from ficha.core.errors import FichaError
from ficha.core.transaction import Transaction
from ficha.fmd.access import OpenFmd, open_fmd
from ficha.fmd.base import has_data
from ficha.fmd.changes import patch_models
from ficha.fmd.entries import erase_entries
from ficha.fmd.grants import Grant, GrantKind, end_grants
from ficha.fmd.new_records import check_room_for_record
from ficha.fmd.record_events import publish_change_of_record
from ficha.fmd.records import Record, RecordRow, erase_record
from ficha.fmd.statements import lock_record_row
from ficha.fmd.stored_documents import stored_documents
from ficha.institutions.institution import Institution, InstitutionFacts, InstitutionUnknown, facts_of
from ficha.institutions.invitations import invited_member
from ficha.institutions.members import Member, MemberState
from ficha.institutions.person_to_enrol import (
    ENROLMENT_MODELS,
    InvitedContact,
    open_class,
    open_contact,
    seal_class,
    seal_contact,
)
from ficha.products.product import Product

# The version of what the person agrees to (`sees` and `edits` of `enrolment` in `web/texts/portal.csv`): new sentences
# are a new version.
CONSENT_VERSION = "2026-11"
LASTS = timedelta(days=3652)


class Consent(Base):
    """Every decision ever made, the last one is the present one. Ids only: it outlives what it speaks of."""

    __tablename__ = "institution_consents"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    member_id: Mapped[int] = mapped_column(ForeignKey(Member.id), index=True)
    record_id: Mapped[int] = mapped_column(BigId)
    version: Mapped[str] = mapped_column(String(20))
    # Whether the institution may open the record, as deep as one who broke the glass and as `consentimiento` allows.
    sees: Mapped[bool]
    edits: Mapped[bool]
    account_id: Mapped[int] = mapped_column(BigId)
    # As its owner or as a guardian.
    via: Mapped[str] = mapped_column(String(12))
    at: Mapped[datetime] = mapped_column(Utc)


def decide(
    tx: Transaction,
    institution: InstitutionFacts,
    member_id: int,
    record: RecordRow,
    account_id: int,
    now: datetime,
    *,
    sees: bool,
    edits: bool,
    via: str = "owner",
    origin: str = "",
) -> Consent:
    """Writes the decision down and makes it so: the institution's grant begins, changes or ends at once. The caller
    has locked the record's row, and has seen that the account may manage it."""
    consent = Consent(
        member_id=member_id,
        record_id=record.id,
        version=CONSENT_VERSION,
        sees=sees,
        edits=sees and edits,
        account_id=account_id,
        via=via,
        at=now,
    )
    tx.orm.add(consent)
    end_grants(tx, record.id, now, Grant.account_id == institution.account_id)
    if sees and institution.account_id is not None:
        tx.orm.add(
            Grant(
                record_id=record.id,
                account_id=institution.account_id,
                kind=GrantKind.INSTITUTION,
                edits=edits,
                granted_at=now,
                ends_at=now + LASTS,
            )
        )
    action = "access.granted" if sees else "access.withdrawn"
    actor, what = Actor("account", account_id), [f"institution:{institution.slug}", f"consent:{CONSENT_VERSION}"]
    audit.note(tx, record.id, actor, action, what, now, via=via, origin=origin)
    publish_change_of_record(tx, action, record, actor, via, what, now)
    return consent


def present_consent(tx: Transaction, member_id: int) -> Consent | None:
    """None if nobody has decided anything yet: then the institution sees nothing."""
    query = select(Consent).where(Consent.member_id == member_id).order_by(Consent.id.desc()).limit(1)
    return tx.orm.scalars(query).one_or_none()


def present_consents(tx: Transaction, members: Sequence[Member]) -> dict[int, Consent]:
    """What was decided last of each, by the member's number; who decided nothing is not in it."""
    query = select(Consent).where(Consent.member_id.in_([member.id for member in members])).order_by(Consent.id)
    return {consent.member_id: consent for consent in tx.orm.scalars(query)}


SELF = "titular"


class EnrolmentUnknown(FichaError):
    """Never sent, too old, used, or of an institution that is closed: all look the same."""

    status = 404
    code = "invitacion_de_institucion_desconocida"
    message = "Ese enlace no existe o ya no sirve. Pida otro a la institución."


@dataclass(frozen=True)
class Membership:
    """That a record belongs to a member of an institution, and what its owner last decided."""

    institution: InstitutionFacts
    member: Member
    consent: Consent | None


@dataclass(frozen=True)
class Offer:
    """What a link offers: who prepared it and for whom."""

    institution: InstitutionFacts
    member: Member
    contact: InvitedContact


_ACCEPTED = (
    select(Institution, Member)
    .join(Member, Member.institution_id == Institution.id)
    .where(Member.state == MemberState.ACCEPTED)
    .order_by(Member.id)
)


def offered(tx: Transaction, keyring: Keyring, token: str, now: datetime, *, locks: bool = False) -> Offer:
    """Raises EnrolmentUnknown."""
    member = invited_member(tx, token, now, locks=locks)
    if member is None or member.sealed is None:
        raise EnrolmentUnknown
    institution = facts_of(tx.orm.get_one(Institution, member.institution_id))
    record = tx.orm.get_one(Record, member.record_id)
    if not institution.is_active or record.key_id is None or record.account_id is not None:
        raise EnrolmentUnknown
    contact = open_contact(member.sealed, record.id, record.open_key(keyring))
    return Offer(institution, member, contact)


def accept_enrolment(
    tx: Transaction,
    keyring: Keyring,
    token: str,
    caller: Caller,
    now: datetime,
    *,
    sees: bool,
    edits: bool,
    most: int,
    code: str | None = None,
    relacion: str | None = None,
    origin: str = "",
) -> Membership:
    """Whoever has the link's secret takes the record; with `code` it joins hers of that code, which keeps what it says
    itself. `relacion` is what she is to its person: without it what the institution wrote, and if it wrote nothing,
    that she is the person. What the institution may see is decided in the same breath.

    Raises EnrolmentUnknown, TooManyRecords if she has `most` already and this is not to join one of them, or
    FmdNotFound or MayNotManage for the code."""
    offer = offered(tx, keyring, token, now, locks=True)
    member, actor = offer.member, caller.actor
    if code is None:
        check_room_for_record(tx, caller.account_id, most)
        record = _take(tx, keyring, offer, caller.account_id, relacion)
        what = [f"institution:{offer.institution.slug}"]
        audit.note(tx, record.id, actor, "record.accepted", what, now, via="owner", origin=origin)
        via = "owner"
    else:
        target = open_fmd(tx, keyring, caller, code, now, origin=origin)
        target.must_manage()
        _join(tx, keyring, offer, target, actor, now)
        record, via = target.record, target.via
    member.state, member.token_hash, member.invite_due, member.changed_at = MemberState.ACCEPTED, None, False, now
    tx.orm.flush()
    consent = decide(
        tx,
        offer.institution,
        member.id,
        record,
        caller.account_id,
        now,
        sees=sees,
        edits=edits,
        via=via,
        origin=origin,
    )
    return Membership(offer.institution, member, consent)


def change_consent(
    tx: Transaction, fmd: OpenFmd, slug: str, account_id: int, now: datetime, *, sees: bool, edits: bool
) -> Membership:
    """The owner or a guardian decides anew. Raises MayNotManage, or InstitutionUnknown if it did not enrol her."""
    fmd.must_manage()
    of_record = (Institution.slug == slug, Member.record_id == fmd.id)
    row = tx.orm.execute(_ACCEPTED.where(*of_record).limit(1)).one_or_none()
    if row is None:
        raise InstitutionUnknown
    institution = facts_of(row.Institution)
    consent = decide(
        tx,
        institution,
        row.Member.id,
        fmd.record,
        account_id,
        now,
        sees=sees,
        edits=edits,
        via=fmd.via,
        origin=fmd.origin,
    )
    return Membership(institution, row.Member, consent)


def memberships_of(tx: Transaction, account_id: int) -> list[Membership]:
    """Of all records of this account."""
    return _memberships(tx, Record.account_id == account_id)


def memberships_of_record(tx: Transaction, record_id: int) -> list[Membership]:
    return _memberships(tx, Record.id == record_id)


def _memberships(tx: Transaction, which: ColumnElement[bool]) -> list[Membership]:
    rows = tx.orm.execute(_ACCEPTED.join(Record, Record.id == Member.record_id).where(which))
    return [Membership(facts_of(row.Institution), row.Member, present_consent(tx, row.Member.id)) for row in rows]


def written_relacion(tx: Transaction, keyring: Keyring, offer: Offer) -> str:
    """What the institution wrote of whoever answers for the person: what she is to her. Empty if it wrote nothing."""
    record = tx.orm.get_one(Record, offer.member.record_id)
    guardian = stored_documents(tx, record.id, record.open_key(keyring), ["representante"]).get("representante")
    return "" if guardian is None else str(guardian.document.get("relacion") or "")


def _take(tx: Transaction, keyring: Keyring, offer: Offer, account_id: int, relacion: str | None) -> RecordRow:
    record = lock_record_row(tx, offer.member.record_id)
    if record is None or record.account_id is not None or record.erased_at is not None:
        raise EnrolmentUnknown
    relacion = relacion or written_relacion(tx, keyring, offer) or SELF
    tx.orm.execute(update(Record).where(Record.id == record.id).values(account_id=account_id, relacion=relacion))
    return record._replace(account_id=account_id, relacion=relacion)


def _join(tx: Transaction, keyring: Keyring, offer: Offer, target: OpenFmd, actor: Actor, now: datetime) -> None:
    """What the institution wrote fills the models that are empty; its code goes over; the prepared record is erased."""
    member = offer.member
    prepared = tx.orm.get_one(Record, member.record_id, with_for_update=True)
    given = stored_documents(tx, prepared.id, prepared.open_key(keyring), ENROLMENT_MODELS)
    own = stored_documents(tx, target.id, target.key, ENROLMENT_MODELS)
    patches = {
        name: _without_ids(each.document)
        for name, each in given.items()
        if name not in own or not has_data(own[name].document)
    }
    if patches:
        patch_models(tx, target, patches, now)
    tx.orm.execute(update(Product).where(Product.record_id == prepared.id).values(record_id=target.id))
    member.record_id = target.id
    member.sealed = seal_contact(offer.contact, target.id, target.key)
    listed = open_class(member.sealed_class, prepared.id, prepared.open_key(keyring))
    member.sealed_class = seal_class(listed, target.id, target.key)
    tx.orm.flush()
    erase_record(tx, prepared, actor, now)
    erase_entries(tx, prepared.id)


def _without_ids(value: Any) -> Any:
    """Facts get new ids in the record that they go to."""
    if isinstance(value, Mapping):
        return {name: _without_ids(inner) for name, inner in value.items() if name != "id"}
    return [_without_ids(item) for item in value] if isinstance(value, list) else value
