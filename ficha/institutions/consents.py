"""Consent: what the owner or guardian of a record lets an institution see of it, each decision with its version."""

from datetime import datetime, timedelta

from sqlalchemy import ForeignKey, String, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.audit import log as audit
from ficha.audit.log import Actor
from ficha.core.db import Base, BigId, Utc
from ficha.core.transaction import Transaction
from ficha.fmd.grants import Grant, GrantKind, end_grants
from ficha.fmd.record_events import publish_change_of_record
from ficha.fmd.records import RecordRow
from ficha.institutions.institution import InstitutionFacts
from ficha.institutions.members import Member

# The version of the sentences that the person agrees to (`consent_texts.py`): new sentences are a new version.
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
