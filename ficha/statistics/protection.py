"""How many records of an institution's people protect, and what most lack. A record must be opened to know it: a job
does that at its own pace, and keeps counts. Of single people it keeps two marks, of those who let the institution see
that; before a mark is told, the record is looked at again."""

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import ColumnElement, ForeignKey, and_, delete, exists, func, or_, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.crypto import Keyring, Tampered
from ficha.core.db import Base, Database, Utc
from ficha.core.secrets import KeyDestroyed, Secrets
from ficha.core.settings import Settings
from ficha.core.transaction import Transaction
from ficha.emergencies.missing_facts import BLOCKING_MODELS, JudgedRecord, blocking_lacks
from ficha.fmd.access import rights_of
from ficha.fmd.consent import CONSENT, ConsentRules
from ficha.fmd.grants import GrantKind
from ficha.fmd.records import Record
from ficha.fmd.statements import entries_by_record
from ficha.fmd.stored_documents import Documents, documents_of, readable
from ficha.institutions.consents import Consent
from ficha.institutions.institution import Institution
from ficha.institutions.members import Member, MemberState, members_of
from ficha.institutions.people_list import ListedMember, seen_by_institution
from ficha.products.statements import live_codes
from ficha.statistics.floor import FLOOR, GroupCounts, Told, counts_to_keep, renewed, told_counts

# What is counted, and the lacks that count as it.
COUNTED = {
    "name": {"name"},
    "contact": {"contact", "contact_closed"},
    "sticker": {"sticker", "sticker_unconfirmed"},
    "severity": {"severity"},
}
# Of these, what may be told of a single person.
TOLD_OF_ONE = ("contact", "sticker")
EVERY = timedelta(days=7)
# After so many records the job rests for as long as they took.
OPENED_AT_ONCE = 50
# What is read of a record: the rules of its owner, too.
READ_MODELS = (*BLOCKING_MODELS, CONSENT)
# How far an institution sees at most.
DOOR = rights_of(GrantKind.INSTITUTION, edits=False).door


class InstitutionProtection(Base):
    """Of one institution's people who have accepted their record, as last counted."""

    __tablename__ = "institution_protection"

    institution_id: Mapped[int] = mapped_column(ForeignKey(Institution.id, ondelete="CASCADE"), primary_key=True)
    people: Mapped[int]
    protect: Mapped[int]
    lack_name: Mapped[int]
    lack_contact: Mapped[int]
    lack_sticker: Mapped[int]
    lack_severity: Mapped[int]
    # When it was counted last, and since when what is told is told.
    counted_at: Mapped[datetime] = mapped_column(Utc)
    renewed_at: Mapped[datetime] = mapped_column(Utc)


class MemberLacks(Base):
    """Of a member who let the institution see the record; shown only while she does."""

    __tablename__ = "member_lacks"

    member_id: Mapped[int] = mapped_column(ForeignKey(Member.id, ondelete="CASCADE"), primary_key=True)
    contact: Mapped[bool]
    sticker: Mapped[bool]


class Protection(NamedTuple):
    """What may be told. `protect` is None where it would tell how few lack something; `lacks` by the names of COUNTED,
    the most frequent first."""

    people: int
    protect: Told
    lacks: dict[str, Told]
    renewed_at: datetime


class MemberLack(NamedTuple):
    """In the words of COUNTED: all that the record lacks, and what of it may be told of this person."""

    all: set[str]
    told: set[str]


def protection_of(tx: Transaction, institution_id: int) -> Protection | None:
    """None until it was counted, and of fewer than twenty people: any number would say too much of the others."""
    row = tx.orm.get(InstitutionProtection, institution_id)
    if row is None or row.people < 2 * FLOOR:
        return None
    counts = _counts_in(row)
    told = told_counts(counts)
    lacks = {name: told.lacks[name] for name, _ in Counter(counts.lacks).most_common()}
    return Protection(row.people, told.whole, lacks, row.renewed_at)


def is_marked() -> ColumnElement[bool]:
    """Of a member: her record lacked something that may be told of her when it was last looked at."""
    return Member.id.in_(select(MemberLacks.member_id))


def lacks_of_open(
    tx: Transaction, secrets: Secrets, settings: Settings, members: Sequence[ListedMember]
) -> dict[int, list[str]]:
    """By number, of those who let the institution see their record: what of TOLD_OF_ONE it lacks now. What they hide
    from the institution is not called missing. Whoever shows it notes the look. One statement for all entries."""
    seen = {member.record_id: member for member in members if member.is_open}
    sealed = entries_by_record(tx, list(seen))
    documents = {
        record_id: readable(record_id, member.key, [entry for entry in sealed[record_id] if entry.model in READ_MODELS])
        for record_id, member in seen.items()
    }
    found = _lacks_of(tx, secrets, settings, documents)
    return {
        member.id: [name for name in TOLD_OF_ONE if name in found[member.record_id].told]
        for member in members
        if member.is_open
    }


def _lacks_of(
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


def _counts_in(row: InstitutionProtection) -> GroupCounts:
    return GroupCounts(row.people, row.protect, {name: int(getattr(row, f"lack_{name}")) for name in COUNTED})


def institutions_to_count(tx: Transaction, now: datetime) -> Sequence[int]:
    """Those that were not counted for a week."""
    return tx.orm.scalars(
        select(Institution.id)
        .outerjoin(InstitutionProtection, InstitutionProtection.institution_id == Institution.id)
        .where(
            Institution.is_active,
            or_(InstitutionProtection.counted_at.is_(None), InstitutionProtection.counted_at <= now - EVERY),
        )
        .order_by(Institution.id)
    ).all()


def _moved(tx: Transaction, institution_id: int, since: datetime) -> int:
    """How many accepted, decided anew or left since then. What rosters change of them is no move."""
    decided = exists().where(Consent.member_id == Member.id, Consent.at > since)
    left = and_(Member.state == MemberState.ENDED, Member.changed_at > since)
    moved = select(func.count()).select_from(Member).where(Member.institution_id == institution_id)
    return tx.orm.scalars(moved.where(or_(decided, left))).one()


class ProtectionCounter:
    """Counts one institution. Killed half-way it begins again, with the same end."""

    def __init__(self, database: Database, keyring: Keyring, secrets: Secrets, settings: Settings) -> None:
        self._database, self._keyring, self._secrets, self._settings = database, keyring, secrets, settings

    def count(self, institution_id: int, now: datetime) -> None:
        # Those who let the institution see their record, and the others.
        counts: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
        marks: list[MemberLacks] = []
        after, page = 0, self._page(institution_id, 0)
        while page:
            began = time.monotonic()
            with self._database.reading() as tx:
                lacks = self._lacks(tx, page)
                seen = seen_by_institution(tx, institution_id, [member.record_id for member in page], now)
            for member in page:
                found = lacks.get(member.record_id)
                if found is None:
                    continue
                is_open = member.record_id in seen
                counts[is_open].update(["people", *found.all, *([] if found.all else ["protect"])])
                if is_open and found.told:
                    marks.append(MemberLacks(member_id=member.id, **{name: name in found.told for name in TOLD_OF_ONE}))
            after = page[-1].id
            time.sleep(min(time.monotonic() - began, 1))
            page = self._page(institution_id, after)
        groups = [
            GroupCounts(one["people"], one["protect"], {name: one[name] for name in COUNTED})
            for one in (counts[True], counts[False])
        ]
        self._store(institution_id, counts_to_keep(*groups), marks, now)

    def _page(self, institution_id: int, after: int) -> Sequence[Member]:
        with self._database.reading() as tx:
            return members_of(tx, institution_id, after=after, limit=OPENED_AT_ONCE, state=MemberState.ACCEPTED)

    def _lacks(self, tx: Transaction, members: Iterable[Member]) -> dict[int, MemberLack]:
        """By record. One that does not open is left out."""
        ids = [member.record_id for member in members]
        documents = {}
        for record in tx.orm.scalars(select(Record).where(Record.id.in_(ids), Record.erased_at.is_(None))):
            try:
                documents[record.id] = documents_of(tx, record.id, record.open_key(self._keyring), READ_MODELS)
            except (KeyDestroyed, Tampered):
                continue
        return _lacks_of(tx, self._secrets, self._settings, documents)

    def _store(self, institution_id: int, counts: GroupCounts, marks: Iterable[MemberLacks], now: datetime) -> None:
        with self._database.making_way(), self._database.writing() as tx:
            if tx.orm.get(Institution, institution_id) is None:
                return
            before, renewed_at = tx.orm.get(InstitutionProtection, institution_id), now
            if before is not None:
                told = _counts_in(before)
                counts = renewed(told, counts, _moved(tx, institution_id, before.renewed_at))
                renewed_at = before.renewed_at if counts == told else now
            of_here = select(Member.id).where(Member.institution_id == institution_id)
            tx.orm.execute(delete(MemberLacks).where(MemberLacks.member_id.in_(of_here)))
            tx.orm.merge(
                InstitutionProtection(
                    institution_id=institution_id,
                    people=counts.people,
                    protect=counts.whole,
                    counted_at=now,
                    renewed_at=renewed_at,
                    **{f"lack_{name}": counts.lacks[name] for name in COUNTED},
                )
            )
            tx.orm.add_all(marks)
