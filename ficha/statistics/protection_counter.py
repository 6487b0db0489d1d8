"""The job that counts how many records of an institution's people protect: it opens them at its own pace."""

import time
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import delete, func, select

from ficha.core.crypto import Keyring, Tampered
from ficha.core.db import Database
from ficha.core.secrets import KeyDestroyed, Secrets
from ficha.core.settings import Settings
from ficha.core.transaction import Transaction
from ficha.fmd.records import Record
from ficha.fmd.stored_documents import documents_of
from ficha.institutions.consents import Consent
from ficha.institutions.institution import Institution
from ficha.institutions.members import Member, MemberState, members_of
from ficha.institutions.people_list import seen_by_institution
from ficha.statistics.protection import (
    COUNTED,
    PROTECT,
    READ_MODELS,
    TOLD_OF_ONE,
    MemberLack,
    MemberLacks,
    ProtectionFigure,
    first_seen,
    lacks_of_records,
)
from ficha.statistics.small_counts import Figure, GroupChanges, may_renew

EVERY = timedelta(days=7)
# After so many records the job rests for as long as they took.
OPENED_AT_ONCE = 50


def institutions_to_count(tx: Transaction, now: datetime) -> Sequence[int]:
    """Those that were not counted for a week."""
    lately = select(ProtectionFigure.institution_id).where(ProtectionFigure.counted_at > now - EVERY)
    due = select(Institution.id).where(Institution.is_active, Institution.id.not_in(lately))
    return tx.orm.scalars(due.order_by(Institution.id)).all()


class Decisions(NamedTuple):
    """When a member decided: first, first so that the institution may see the record, and last."""

    first: datetime
    first_seen: datetime | None
    last: datetime


class CountedMember(NamedTuple):
    """`is_open`: lets the institution see it now. `lacks` in the words of COUNTED; None if the record does not open."""

    is_open: bool
    decided: Decisions
    lacks: set[str] | None

    @property
    def is_in(self) -> dict[bool, bool]:
        """By group. Who has withdrawn is in neither: what she lacks was seen."""
        return {True: self.is_open, False: not self.is_open and self.decided.first_seen is None}

    def is_new_in(self, is_open: bool, since: datetime) -> bool:
        """Surely was not in it at that time."""
        entered = self.decided.first_seen if is_open else self.decided.first
        return self.is_in[is_open] and entered is not None and entered > since


def _decisions_of(tx: Transaction, members: Sequence[Member]) -> dict[int, Decisions]:
    """By member; one without any is none that was accepted."""
    each = select(Consent.member_id, func.min(Consent.at), first_seen(), func.max(Consent.at))
    of_these = each.where(Consent.member_id.in_([member.id for member in members])).group_by(Consent.member_id)
    return {row[0]: Decisions(row[1], row[2], row[3]) for row in tx.orm.execute(of_these)}


def figures_of(group: Iterable[CountedMember]) -> dict[str, Figure]:
    lacking = [member.lacks for member in group if member.lacks is not None]
    numbers = {PROTECT: sum(not lacks for lacks in lacking)}
    numbers |= {name: sum(name in lacks for lacks in lacking) for name in COUNTED}
    return {name: Figure(number, len(lacking)) for name, number in numbers.items()}


def group_changes(
    members: Iterable[CountedMember], left: Sequence[datetime], is_open: bool, since: datetime
) -> GroupChanges:
    moved = [member for member in members if member.decided.last > since]
    new = sum(member.is_new_in(is_open, since) for member in moved)
    return GroupChanges(new, len(moved) - new + sum(at > since for at in left))


class ProtectionCounter:
    """Counts one institution. Killed half-way it begins again, with the same end."""

    def __init__(self, database: Database, keyring: Keyring, secrets: Secrets, settings: Settings) -> None:
        self._database, self._keyring, self._secrets, self._settings = database, keyring, secrets, settings

    def count(self, institution_id: int, now: datetime) -> None:
        members: list[CountedMember] = []
        marks: list[MemberLacks] = []
        after, page = 0, self._page(institution_id, 0)
        while page:
            began = time.monotonic()
            with self._database.reading() as tx:
                lacks = self._lacks(tx, page)
                seen = seen_by_institution(tx, institution_id, [member.record_id for member in page], now)
                decided = _decisions_of(tx, page)
            for member in page:
                found, is_open = lacks.get(member.record_id), member.record_id in seen
                members.append(CountedMember(is_open, decided[member.id], None if found is None else found.all))
                if is_open and found is not None and found.told:
                    marks.append(MemberLacks(member_id=member.id, **{name: name in found.told for name in TOLD_OF_ONE}))
            after = page[-1].id
            time.sleep(min(time.monotonic() - began, 1))
            page = self._page(institution_id, after)
        self._store(institution_id, members, marks, now)

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
        return lacks_of_records(tx, self._secrets, self._settings, documents)

    def _store(
        self, institution_id: int, members: Sequence[CountedMember], marks: Iterable[MemberLacks], now: datetime
    ) -> None:
        """A number that may not be renewed stays as it was told, with its people."""
        with self._database.letting_others_write(), self._database.writing() as tx:
            if tx.orm.get(Institution, institution_id) is None:
                return
            ended = select(Member.changed_at).where(Member.institution_id == institution_id)
            left = tx.orm.scalars(ended.where(Member.state == MemberState.ENDED)).all()
            for is_open in (True, False):
                counted = figures_of(member for member in members if member.is_in[is_open])
                for name, figure in counted.items():
                    row = tx.orm.get(ProtectionFigure, (institution_id, is_open, name))
                    if row is None:
                        row = ProtectionFigure(institution_id=institution_id, is_open=is_open, name=name)
                        tx.orm.add(row)
                    elif not may_renew(row.figure, figure, group_changes(members, left, is_open, row.told_at)):
                        row.counted_at = now
                        continue
                    row.number, row.people, row.told_at, row.counted_at = *figure, now, now
            of_here = select(Member.id).where(Member.institution_id == institution_id)
            tx.orm.execute(delete(MemberLacks).where(MemberLacks.member_id.in_(of_here)))
            tx.orm.add_all(marks)
