"""How many records of an institution's people protect, and what most lack. A record must be opened to know it: a job
does that at its own pace, and keeps counts. Of single people it keeps two marks, of those who let the institution see
that; before a mark is told, the record is looked at again.

Those who let the institution see their record are counted apart from those who never did: whoever may look at each of
the ones subtracts them from nothing. Who has withdrawn it is in neither count, because she was seen."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, ForeignKey, String, case, exists, func, select
from sqlalchemy.orm import Mapped, aliased, mapped_column

from ficha.core.db import Base, Utc
from ficha.core.secrets import Secrets
from ficha.core.settings import Settings
from ficha.core.transaction import Transaction
from ficha.emergencies.missing_facts import BLOCKING_MODELS, JudgedRecord, blocking_lacks
from ficha.fmd.access import rights_of
from ficha.fmd.consent import CONSENT, ConsentRules
from ficha.fmd.grants import GrantKind
from ficha.fmd.statements import entries_by_record
from ficha.fmd.stored_documents import Documents, readable
from ficha.institutions.consents import Consent
from ficha.institutions.institution import Institution
from ficha.institutions.members import Member
from ficha.institutions.people_list import ListedMember
from ficha.products.statements import live_codes
from ficha.statistics.small_counts import SMALLEST_COUNT, Figure, Published, publishable_counts

# What is counted, and the lacks that count as it.
COUNTED = {
    "name": {"name"},
    "contact": {"contact", "contact_closed"},
    "sticker": {"sticker", "sticker_unconfirmed"},
    "severity": {"severity"},
}
# Of these, what may be told of a single person.
TOLD_OF_ONE = ("contact", "sticker")
# What is read of a record: the rules of its owner, too.
READ_MODELS = (*BLOCKING_MODELS, CONSENT)
PROTECT = "protect"
# How far an institution sees at most.
DOOR = rights_of(GrantKind.INSTITUTION, edits=False).door


class ProtectionFigure(Base):
    """Of one group of an institution's people who accepted their record: as counted at `told_at`, and told since."""

    __tablename__ = "protection_figures"

    institution_id: Mapped[int] = mapped_column(ForeignKey(Institution.id, ondelete="CASCADE"), primary_key=True)
    # Whether they let it see their record. The others never did.
    is_open: Mapped[bool] = mapped_column(primary_key=True)
    # PROTECT, or a name of COUNTED.
    name: Mapped[str] = mapped_column(String(10), primary_key=True)
    number: Mapped[int]
    people: Mapped[int]
    told_at: Mapped[datetime] = mapped_column(Utc)
    counted_at: Mapped[datetime] = mapped_column(Utc)

    @property
    def figure(self) -> Figure:
        return Figure(self.number, self.people)


class MemberLacks(Base):
    """Of a member who let the institution see the record; shown only while she does."""

    __tablename__ = "member_lacks"

    member_id: Mapped[int] = mapped_column(ForeignKey(Member.id, ondelete="CASCADE"), primary_key=True)
    contact: Mapped[bool]
    sticker: Mapped[bool]


class PublishedFigure(NamedTuple):
    """`number` is None where it would say more of some people than what is told of them."""

    number: Published
    people: int


class GroupProtection(NamedTuple):
    """What may be told. `lacks` by the names of COUNTED, most frequent first of those told; `as_of` of the oldest."""

    is_open: bool
    protect: PublishedFigure
    lacks: dict[str, PublishedFigure]
    as_of: datetime


class MemberLack(NamedTuple):
    """In the words of COUNTED: all that the record lacks, and what of it may be told of this person."""

    all: set[str]
    told: set[str]


def protection_of(tx: Transaction, institution_id: int) -> list[GroupProtection]:
    """Of those who let it see their record, and of those who never did; without a group that was not counted yet or is
    of fewer than twenty people: any number would say too much of the others."""
    of_here = select(ProtectionFigure).where(ProtectionFigure.institution_id == institution_id)
    groups = []
    for is_open in (True, False):
        rows = {row.name: row for row in tx.orm.scalars(of_here.where(ProtectionFigure.is_open.is_(is_open)))}
        if not rows or rows[PROTECT].people < 2 * SMALLEST_COUNT:
            continue
        as_of = min(row.told_at for row in rows.values())
        known = 0 if is_open else _opened_since(tx, institution_id, as_of)
        told = publishable_counts(rows[PROTECT].figure, {name: rows[name].figure for name in COUNTED}, known)
        lacks = [(name, PublishedFigure(number, rows[name].people)) for name, number in told.lacks.items()]
        # By what is told alone: the order of the others would tell which of them is greater.
        by_lack = dict(sorted(lacks, key=lambda lack: -lack[1].number if isinstance(lack[1].number, int) else 0))
        groups.append(GroupProtection(is_open, PublishedFigure(told.whole, rows[PROTECT].people), by_lack, as_of))
    return groups


def first_seen() -> ColumnElement[datetime | None]:
    """Of one member's decisions: when first one let the institution see the record."""
    return func.min(case((Consent.sees, Consent.at)))


def _opened_since(tx: Transaction, institution_id: int, since: datetime) -> int:
    """How many had never let the institution see their record at that time, and did later."""
    earlier = aliased(Consent)
    before = exists().where(earlier.member_id == Consent.member_id, earlier.at <= since)
    opened = select(func.count(Consent.member_id.distinct())).join(Member, Member.id == Consent.member_id)
    is_later = (Member.institution_id == institution_id, Consent.sees, Consent.at > since)
    return tx.orm.scalars(opened.where(*is_later, before, ~before.where(earlier.sees))).one()


def is_marked() -> ColumnElement[bool]:
    """Of a member: her record lacked something that may be told of her when it was last looked at."""
    return Member.id.in_(select(MemberLacks.member_id))


def lacks_of_open(
    tx: Transaction, secrets: Secrets, settings: Settings, members: Sequence[ListedMember]
) -> dict[int, list[str]]:
    """By number, of those who let the institution see their record: what of TOLD_OF_ONE it lacks now. What they hide
    from the institution is not called missing. Whoever shows it notes the look. One statement for all entries."""
    seen = {member.record_id: member for member in members if member.is_open}
    sealed = entries_by_record(tx, seen)
    documents = {
        record_id: readable(record_id, member.key, [entry for entry in sealed[record_id] if entry.model in READ_MODELS])
        for record_id, member in seen.items()
    }
    found = lacks_of_records(tx, secrets, settings, documents)
    return {
        member.id: [name for name in TOLD_OF_ONE if name in found[member.record_id].told]
        for member in members
        if member.is_open
    }


def lacks_of_records(
    tx: Transaction, secrets: Secrets, settings: Settings, documents: Mapping[int, Documents]
) -> dict[int, MemberLack]:
    """By record."""
    stickers = live_codes(tx, list(documents))
    judged = [
        JudgedRecord(record_id, "", found, [code for code in stickers if code.record_id == record_id])
        for record_id, found in documents.items()
    ]
    lacking = blocking_lacks(tx, secrets, settings, judged)
    return {record.id: _lack(lacking[record.id], record.documents) for record in judged}


def _lack(lacking: set[str], documents: Documents) -> MemberLack:
    found = {name for name, lacks in COUNTED.items() if lacks & lacking}
    own = ConsentRules.of(documents).strictest_door("emergencia")
    hidden = {"contact"} if own is not None and not DOOR.sees(own) else set()
    return MemberLack(found, found & set(TOLD_OF_ONE) - hidden)
