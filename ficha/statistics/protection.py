"""How many records of an institution's people protect, and what most lack. A record must be opened to know it: a job
does that at its own pace, and keeps counts. Of single people it keeps two marks, of those who let the institution see
their record."""

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import ForeignKey, and_, delete, func, or_, select
from sqlalchemy.orm import Mapped, aliased, mapped_column

from ficha.core.crypto import Keyring, Tampered
from ficha.core.db import Base, Database, Utc
from ficha.core.secrets import KeyDestroyed, Secrets
from ficha.core.settings import Settings
from ficha.core.transaction import Transaction
from ficha.emergencies.missing_facts import BLOCKING_MODELS, JudgedRecord, blocking_lacks
from ficha.fmd.records import Record
from ficha.fmd.stored_documents import documents_of
from ficha.institutions.consents import Consent, present_consents
from ficha.institutions.institution import Institution
from ficha.institutions.members import Member, MemberState, members_of
from ficha.products.statements import live_codes
from ficha.statistics.floor import FLOOR, Untold, told_part

# What is counted, and the lacks that count as it.
COUNTED = {
    "name": {"name"},
    "contact": {"contact", "contact_closed"},
    "sticker": {"sticker", "sticker_unconfirmed"},
    "severity": {"severity"},
}
EVERY = timedelta(days=7)
# After so many records the job rests for as long as they took.
OPENED_AT_ONCE = 50
Told = int | Untold | None


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
    counted_at: Mapped[datetime] = mapped_column(Utc)


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
    counted_at: datetime


class MemberLack(NamedTuple):
    """Somebody who lets the institution see her record, and what that lacks."""

    member_id: int
    external_id: str | None
    bp_code: str
    contact: bool
    sticker: bool


def protection_of(tx: Transaction, institution_id: int) -> Protection | None:
    """None until it was counted, and of fewer than twenty people: any number would say too much of the others."""
    row = tx.orm.get(InstitutionProtection, institution_id)
    if row is None or row.people < 2 * FLOOR:
        return None
    numbers = Counter({name: int(getattr(row, f"lack_{name}")) for name in COUNTED})
    lacks: dict[str, Told] = {name: told_part(number, row.people) for name, number in numbers.most_common()}
    told = sum(number for number in lacks.values() if isinstance(number, int))
    # Who does not protect lacks something: more of them than are told lack what fewer than ten do.
    protect: Told = told_part(row.protect, row.people)
    if isinstance(protect, int) and row.people - protect > told and Untold.FEW in lacks.values():
        protect = None
    return Protection(row.people, protect, lacks, row.counted_at)


def members_who_lack(tx: Transaction, institution_id: int, *, after: int = 0, limit: int) -> Sequence[MemberLack]:
    """Only those who let the institution see their record, now and when it was counted; by number above `after`.
    Whoever shows it notes the look in each record."""
    decision = aliased(Consent)
    last = select(func.max(decision.id)).where(decision.member_id == Member.id).scalar_subquery()
    rows = tx.orm.execute(
        select(Member.id, Member.external_id, Member.bp_code, MemberLacks.contact, MemberLacks.sticker)
        .join(MemberLacks, MemberLacks.member_id == Member.id)
        .join(Consent, and_(Consent.id == last, Consent.sees.is_(True)))
        .where(Member.institution_id == institution_id, Member.state == MemberState.ACCEPTED, Member.id > after)
        .where(or_(MemberLacks.contact, MemberLacks.sticker))
        .order_by(Member.id)
        .limit(limit)
    )
    return [MemberLack(*row) for row in rows]


def institutions_to_count(tx: Transaction, now: datetime) -> list[int]:
    """Those that were not counted for a week. Where some joined or left since, but fewer than ten, the difference
    between two counts would be theirs: these wait for more."""
    rows = tx.orm.execute(
        select(Institution.id, InstitutionProtection.counted_at)
        .outerjoin(InstitutionProtection, InstitutionProtection.institution_id == Institution.id)
        .where(
            Institution.is_active,
            or_(InstitutionProtection.counted_at.is_(None), InstitutionProtection.counted_at <= now - EVERY),
        )
        .order_by(Institution.id)
    ).all()
    return [row.id for row in rows if row.counted_at is None or not 0 < _moved(tx, row.id, row.counted_at) < FLOOR]


def _moved(tx: Transaction, institution_id: int, since: datetime) -> int:
    """How many accepted, left or otherwise changed since then."""
    moved = select(func.count()).select_from(Member).where(Member.institution_id == institution_id)
    return tx.orm.scalars(moved.where(Member.state != MemberState.UNCLAIMED, Member.changed_at > since)).one()


class ProtectionCounter:
    """Counts one institution. Killed half-way it begins again, with the same end."""

    def __init__(self, database: Database, keyring: Keyring, secrets: Secrets, settings: Settings) -> None:
        self._database, self._keyring, self._secrets, self._settings = database, keyring, secrets, settings

    def count(self, institution_id: int, now: datetime) -> None:
        counts: Counter[str] = Counter()
        marks: list[MemberLacks] = []
        after, page = 0, self._page(institution_id, 0)
        while page:
            began = time.monotonic()
            with self._database.reading() as tx:
                lacks = self._lacks(tx, page)
                consents = present_consents(tx, page)
            for member in page:
                found = lacks.get(member.id)
                if found is None:
                    continue
                counts.update(["people", *found, *([] if found else ["protect"])])
                consent = consents.get(member.id)
                if consent is not None and consent.sees and found & {"contact", "sticker"}:
                    marks.append(
                        MemberLacks(member_id=member.id, contact="contact" in found, sticker="sticker" in found)
                    )
            after = page[-1].id
            time.sleep(min(time.monotonic() - began, 1))
            page = self._page(institution_id, after)
        self._store(institution_id, counts, marks, now)

    def _page(self, institution_id: int, after: int) -> Sequence[Member]:
        with self._database.reading() as tx:
            return members_of(tx, institution_id, after=after, limit=OPENED_AT_ONCE, state=MemberState.ACCEPTED)

    def _lacks(self, tx: Transaction, members: Iterable[Member]) -> dict[int, set[str]]:
        """By member, in the words of COUNTED. One whose record does not open is left out."""
        by_record = {member.record_id: member.id for member in members}
        stickers = live_codes(tx, list(by_record))
        judged = []
        for record in tx.orm.scalars(select(Record).where(Record.id.in_(by_record), Record.erased_at.is_(None))):
            try:
                documents = documents_of(tx, record.id, record.open_key(self._keyring), BLOCKING_MODELS)
            except (KeyDestroyed, Tampered):
                continue
            own = [code for code in stickers if code.record_id == record.id]
            judged.append(JudgedRecord(record.id, "", documents, own))
        found = blocking_lacks(tx, self._secrets, self._settings, judged)
        return {
            by_record[record_id]: {name for name, lacks in COUNTED.items() if lacks & lacking}
            for record_id, lacking in found.items()
        }

    def _store(self, institution_id: int, counts: Counter[str], marks: Iterable[MemberLacks], now: datetime) -> None:
        lacks = {f"lack_{name}": counts[name] for name in COUNTED}
        with self._database.making_way(), self._database.writing() as tx:
            if tx.orm.get(Institution, institution_id) is None:
                return
            of_here = select(Member.id).where(Member.institution_id == institution_id)
            tx.orm.execute(delete(MemberLacks).where(MemberLacks.member_id.in_(of_here)))
            tx.orm.merge(
                InstitutionProtection(
                    institution_id=institution_id,
                    people=counts["people"],
                    protect=counts["protect"],
                    counted_at=now,
                    **lacks,
                )
            )
            tx.orm.add_all(marks)
