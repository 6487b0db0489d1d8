"""The members of an institution: whom it enrolled, under which name of its own, and in which record."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import ColumnElement, ForeignKey, Index, LargeBinary, String, UniqueConstraint, select, update
from sqlalchemy.orm import Mapped, mapped_column

from ficha.audit.read_log import ReadLog
from ficha.core.crypto import Keyring
from ficha.core.db import Base, BigId, Utc, partial_index
from ficha.core.errors import FichaError, NotFound
from ficha.core.ids import CODE_LENGTH
from ficha.core.phones import one_spelling
from ficha.core.secrets import Secrets
from ficha.core.text_types import correo_key
from ficha.core.transaction import Transaction
from ficha.fmd.access import RecordAccess, find_access
from ficha.fmd.catalog import CATALOG
from ficha.fmd.consent import visible_documents
from ficha.fmd.records import Record
from ficha.fmd.stored_documents import documents_of
from ficha.institutions.institution import Institution, InstitutionFacts, InstitutionRole

T = TypeVar("T")
# A member's row of these is looked up by thousands at a time; SQLite takes so many values in one statement.
LOOKED_UP_AT_ONCE = 500


class MemberState(StrEnum):
    UNCLAIMED = "unclaimed"  # Nobody has accepted the record yet.
    ACCEPTED = "accepted"  # It belongs to the person or her guardian, whose consent decides what is seen.
    ENDED = "ended"  # It was erased, or she left. The row stays without a name, so that no roster makes it anew.


class Member(Base):
    """Names, numbers and addresses are not readable here: hashes find them, and what was given is sealed."""

    __tablename__ = "institution_members"
    __table_args__ = (
        UniqueConstraint("institution_id", "external_hash", name="uq_institution_members_external_hash"),
        Index("ix_institution_members_documento", "institution_id", "documento_hash"),
        Index("ix_institution_members_correo", "institution_id", "correo_hash"),
        Index("ix_institution_members_telefono", "institution_id", "telefono_hash"),
        partial_index("ix_institution_members_due", "institution_id", where="invite_due"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    institution_id: Mapped[int] = mapped_column(ForeignKey(Institution.id))
    external_hash: Mapped[bytes] = mapped_column(LargeBinary(32))
    # The institution's own name for the person. Gone when the record is erased.
    external_id: Mapped[str | None] = mapped_column(String(80))
    record_id: Mapped[int] = mapped_column(ForeignKey(Record.id), index=True)
    bp_code: Mapped[str] = mapped_column(String(CODE_LENGTH))
    state: Mapped[str] = mapped_column(String(10))
    # Of all that was given last: the same again changes nothing.
    given_hash: Mapped[bytes] = mapped_column(LargeBinary(32))
    documento_hash: Mapped[bytes | None] = mapped_column(LargeBinary(32))
    correo_hash: Mapped[bytes | None] = mapped_column(LargeBinary(32))
    telefono_hash: Mapped[bytes | None] = mapped_column(LargeBinary(32))
    # Name and addresses as the institution gave them, sealed with the record's key.
    sealed: Mapped[bytes | None] = mapped_column(LargeBinary)
    # Grade and class as the institution gave them, sealed likewise.
    sealed_class: Mapped[bytes | None] = mapped_column(LargeBinary)
    # An invitation is to be sent; when the last one was; and the hash of what its link holds.
    invite_due: Mapped[bool]
    invited_at: Mapped[datetime | None] = mapped_column(Utc)
    token_hash: Mapped[bytes | None] = mapped_column(LargeBinary(32), unique=True)
    # How many were sent, and when the institution ended the last one.
    invites_sent: Mapped[int] = mapped_column(default=0, server_default="0")
    invite_ended_at: Mapped[datetime | None] = mapped_column(Utc)
    created_at: Mapped[datetime] = mapped_column(Utc)
    changed_at: Mapped[datetime] = mapped_column(Utc)


class Lookups(NamedTuple):
    """By what a person is found again within one institution: keyed hashes, which say nothing elsewhere."""

    documento: bytes | None
    correo: bytes | None
    telefono: bytes | None


class MemberMatch(NamedTuple):
    """A member who has one of the values that were asked for."""

    id: int
    external_id: str | None
    state: str
    documento: bytes | None
    correo: bytes | None
    telefono: bytes | None


class KnownMember(NamedTuple):
    """What says whether a person who is given again has changed: a row, because most of a roster has not."""

    id: int
    external_hash: bytes
    given_hash: bytes
    documento_hash: bytes | None
    bp_code: str
    state: str


def in_batches(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """As many at a time as one statement looks up."""
    return (values[start : start + LOOKED_UP_AT_ONCE] for start in range(0, len(values), LOOKED_UP_AT_ONCE))


def document_key(documento: str) -> str:
    """`V-12.555.111` and `v12555111` are one document."""
    return "".join(letter for letter in documento.casefold() if letter.isalnum())


def external_hash(secrets: Secrets, institution_id: int, external_id: str) -> bytes:
    return secrets.keyed_hash("institution.external", f"{institution_id}:{external_id}")


def lookups_of(
    secrets: Secrets, institution_id: int, *, documento: str | None, correo: str | None, telefono_e164: str | None
) -> Lookups:
    """What is empty is found by nobody."""

    def hashed(kind: str, value: str | None) -> bytes | None:
        return secrets.keyed_hash("institution.lookup", f"{institution_id}:{kind}:{value}") if value else None

    return Lookups(
        hashed("documento", document_key(documento) if documento else None),
        hashed("correo", correo_key(correo) if correo else None),
        hashed("telefono", one_spelling(telefono_e164) if telefono_e164 else None),
    )


def known_members(tx: Transaction, institution_id: int, hashes: Sequence[bytes]) -> dict[bytes, KnownMember]:
    """By the hash of the institution's own name for each (`external_hash`); who is not enrolled is not in it."""
    query = select(*(getattr(Member, name) for name in KnownMember._fields))
    query = query.where(Member.institution_id == institution_id)
    return {
        row.external_hash: KnownMember._make(row)
        for some in in_batches(hashes)
        for row in tx.orm.execute(query.where(Member.external_hash.in_(some)))
    }


def find_members(tx: Transaction, institution_id: int, asked: Sequence[Lookups]) -> list[MemberMatch]:
    """Every member of this institution who shares a document, a correo or a phone with one of those asked for. The
    caller compares the hashes to know which."""
    found: dict[int, MemberMatch] = {}
    columns = (Member.documento_hash, Member.correo_hash, Member.telefono_hash)
    for index, column in enumerate(columns):
        for some in in_batches([each[index] for each in asked if each[index] is not None]):
            query = select(Member.id, Member.external_id, Member.state, *columns)
            query = query.where(Member.institution_id == institution_id, column.in_(some))
            found |= {row.id: MemberMatch._make(row) for row in tx.orm.execute(query)}
    return list(found.values())


def members_of(
    tx: Transaction, institution_id: int, *, after: int = 0, limit: int, state: MemberState | None = None
) -> Sequence[Member]:
    """A page of the institution's own list, by number above `after`."""
    query = select(Member).where(Member.institution_id == institution_id, Member.id > after)
    if state is not None:
        query = query.where(Member.state == state)
    return tx.orm.scalars(query.order_by(Member.id).limit(limit)).all()


def end_memberships(tx: Transaction, record_id: int, now: datetime) -> None:
    """Of an erased record: what names the person goes; the row stays, so that no roster makes her anew."""
    _forget(tx, Member.record_id == record_id, now)


def forget_member(tx: Transaction, member_id: int, now: datetime) -> None:
    """The same of one who left this institution alone."""
    _forget(tx, Member.id == member_id, now)


def _forget(tx: Transaction, which: ColumnElement[bool], now: datetime) -> None:
    gone = ("external_id", "documento_hash", "correo_hash", "telefono_hash", "sealed", "sealed_class", "token_hash")
    values = dict.fromkeys(gone) | {"state": MemberState.ENDED, "invite_due": False, "changed_at": now}
    tx.orm.execute(update(Member).where(which).values(values))


class OpensNoRecords(FichaError):
    status = 403
    code = "solo_salud"
    message = "Su rol en la institución no abre fichas: lo hace quien tiene allí el rol de salud."


class MemberRecord(NamedTuple):
    """`access` is that of the institution itself: as deep as the person let it. `stored` are all documents, from which
    her own rules show no more than that."""

    member: Member
    access: RecordAccess
    stored: Mapping[str, Any]

    @property
    def documents(self) -> Mapping[str, Any]:
        """What may be seen."""
        return visible_documents(self.stored, self.access.rights.door)

    def note(self, read_log: ReadLog, account_id: int, now: datetime, *, origin: str) -> None:
        """The look, in the reader's own name. Raises ReadNotLogged."""
        who, models = f"account:{account_id}", sorted(self.documents)
        access = self.access
        read_log.note(access.record_id, who, "record.read", models, now, via=access.via, origin=origin)


def open_member_record(
    tx: Transaction, keyring: Keyring, institution: InstitutionFacts, role: InstitutionRole, code: str, now: datetime
) -> MemberRecord:
    """The record of one of its people, by the code that it issued; whoever shows it notes the look. Raises
    OpensNoRecords, NotFound if she is not one of them, or FmdNotFound if nobody consented."""
    if role is not InstitutionRole.MEDICAL:
        raise OpensNoRecords
    of_here = select(Member).where(Member.institution_id == institution.id, Member.bp_code == code.upper())
    member = tx.orm.scalars(of_here.where(Member.state == MemberState.ACCEPTED)).one_or_none()
    if member is None or institution.account_id is None:
        raise NotFound
    access = find_access(tx, institution.account_id, member.bp_code, now)
    documents = documents_of(tx, access.record_id, access.key(keyring), CATALOG.names)
    return MemberRecord(member, access, documents)
