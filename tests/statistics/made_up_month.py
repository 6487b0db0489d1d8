"""A made-up month: ten thousand emergencies with steps and answers, scans and failed messages, some of drills and of
test people; and what the console must show of it, counted here in Python from the very rows that are stored."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import count
from math import ceil
from typing import Any, NamedTuple

from sqlalchemy import insert, text

from ficha.accounts.accounts import Account
from ficha.audit.chain import AuditEntry
from ficha.core.db import Base, Database
from ficha.emergencies.emergency import Emergency
from ficha.emergencies.steps import CalledContact, Step
from ficha.fmd.dates_and_amounts import zone_with
from ficha.fmd.records import Record
from ficha.messaging.tables import Message, Thread

DAYS = 30
CHANNELS = ("whatsapp", "correo", "push")
STATES = ("delivered", "read", "sent", "failed", "skipped", "queued")
RECORDS = 400
# Of the records: of the test registration, and already vanished.
LIVE_TESTS, VANISHED = 5, 5


@dataclass
class DayTruth:
    alerts: int = 0
    waits: list[int] = field(default_factory=list)
    scans: int = 0
    failed: int = 0

    def within(self, percent: int) -> int | None:
        """The nearest rank."""
        return sorted(self.waits)[ceil(len(self.waits) * percent / 100) - 1] if self.waits else None


class MonthTruth(NamedTuple):
    days: dict[date, DayTruth]
    # By channel: tried, delivered, answered.
    channels: dict[str, list[int]]


class MadeUpMonth:
    def __init__(self, database: Database, now: datetime, zone: str, emergencies: int) -> None:
        self._random = random.Random(49)
        self._database, self._now, self._zone = database, now, zone
        self._rows: defaultdict[type[Base], list[dict[str, Any]]] = defaultdict(list)
        self._ids = count(1)
        self._seq: Counter[int] = Counter()
        self.truth = MonthTruth(defaultdict(DayTruth), {name: [0, 0, 0] for name in CHANNELS})
        self._people()
        for number in range(emergencies):
            self._emergency(number)
        for _ in range(emergencies // 2):
            self._scan()

    def store(self) -> None:
        with self._database.writing() as tx:
            for table in (Account, Record, Thread, Emergency, CalledContact, Message, Step, AuditEntry):
                rows = self._rows[table]
                for start in range(0, len(rows), 5000):
                    tx.connection().execute(insert(table), rows[start : start + 5000])
            if tx.connection().dialect.name == "postgresql":
                # As it does by itself a minute after: what it knows of the tables is else how empty they were.
                tx.connection().execute(text("ANALYZE"))

    def _add(self, table: type[Base], **row: Any) -> dict[str, Any]:
        self._rows[table].append(row)
        return row

    def _people(self) -> None:
        began = self._now - timedelta(days=DAYS + 10)
        for number in range(1, RECORDS + 1):
            is_test = number <= LIVE_TESTS
            has_vanished = LIVE_TESTS < number <= LIVE_TESTS + VANISHED
            self._add(
                Account,
                id=number + 1000,
                correo=f"mes{number}@ejemplo.com",
                correo_key=f"mes{number}@ejemplo.com",
                clave_hash="-",
                nombre="Persona",
                cod_telefono="+58",
                telefono="",
                telefono_e164=None,
                idioma="es",
                roles=["owner"],
                created_at=began,
                vanishes_at=self._now + timedelta(hours=1) if is_test else None,
            )
            self._add(
                Record,
                id=number,
                account_id=None if has_vanished else number + 1000,
                relacion="titular",
                created_at=began,
                erased_at=began if has_vanished else None,
            )
            if has_vanished:
                self._entry(number, began, "record.erased", "", actor="service")
        self._add(Thread, id=1, name="mes", phone_number_id="1", wa_id="58412000", created_at=began)

    def _emergency(self, number: int) -> None:
        chance, opened = self._random, self._moment()
        record = chance.randint(1, RECORDS)
        is_drill = chance.random() < 0.1
        emergency = self._add(
            Emergency,
            id=number + 1,
            record_id=record,
            code="AAAAAA",
            state="resolved",
            is_drill=is_drill,
            entrance="tag",
            scans=1,
            last_scan_at=opened,
            opened_at=opened,
            opened_by="tag",
        )
        counts = not is_drill and record > LIVE_TESTS + VANISHED
        answers, place = [], count(1)
        for contact in range(chance.randint(0, 3)):
            answered = opened + timedelta(seconds=chance.randint(5, 4000)) if chance.random() < 0.4 else None
            how = chance.choice(("page", "button", "reply")) if answered else None
            answers.append(answered)
            self._add(
                CalledContact,
                emergency_id=emergency["id"],
                contact_id=f"c{contact}",
                token_hash=next(self._ids).to_bytes(32, "big"),
                label=b"",
                called_at=opened,
                answer=answered and "voy",
                answered_at=answered,
                answered_by=how,
            )
            self._steps(emergency, f"c{contact}", answered, how, place, counts=counts)
        if counts:
            day = self.truth.days[self._day(opened)]
            day.alerts += 1
            given = [answered for answered in answers if answered is not None]
            if given:
                day.waits.append(int((min(given) - opened).total_seconds()))

    def _steps(
        self,
        emergency: dict[str, Any],
        contact: str,
        answered: datetime | None,
        how: str | None,
        places: Iterable[int],
        *,
        counts: bool,
    ) -> None:
        chance, started = self._random, emergency["opened_at"]
        taken = []
        for channel, place in zip(CHANNELS[: chance.randint(1, 3)], places, strict=False):
            started += timedelta(seconds=chance.randint(1, 900))
            state = chance.choice(STATES)
            is_told = state in ("delivered", "read")
            step = self._add(
                Step,
                emergency_id=emergency["id"],
                place=place,
                contact_id=contact,
                channel=channel,
                state=state,
                is_question=chance.random() < 0.1,
                message_id=self._message(started, counts=not emergency["is_drill"]) if state == "failed" else None,
                started_at=started,
                delivered_at=started if is_told else None,
            )
            taken.append(step)
        for step in taken if counts else ():
            if step["state"] in ("skipped", "queued") or step["is_question"]:
                continue
            last = [each for each in taken if answered is not None and each["started_at"] <= answered]
            is_by_this = last[-1:] == [step] if how == "page" else step["channel"] == "whatsapp"
            is_answered = step in last and is_by_this
            sums = self.truth.channels[step["channel"]]
            sums[0] += 1
            sums[1] += is_answered or step["delivered_at"] is not None
            sums[2] += is_answered

    def _message(self, at: datetime, *, counts: bool) -> int:
        """One that failed; some are tests of the platform."""
        number, is_test = next(self._ids), self._random.random() < 0.1
        self._add(
            Message,
            id=number,
            key=f"k{number}",
            thread_id=1,
            is_ours=True,
            is_test=is_test,
            type="template",
            state="failed",
            at=at,
            failed_at=at,
            error="rechazado",
        )
        if counts and not is_test and self._day(at) <= self._day(self._now):
            self.truth.days[self._day(at)].failed += 1
        return number

    def _scan(self) -> None:
        record, at = self._random.randint(1, RECORDS), self._moment()
        via = self._random.choice(("tag", "tag", "owner"))
        self._entry(record, at, "record.read", via)
        if via == "tag" and record > LIVE_TESTS + VANISHED:
            self.truth.days[self._day(at)].scans += 1

    def _entry(self, record: int, at: datetime, action: str, via: str, actor: str = "anonymous") -> None:
        self._seq[record] += 1
        self._add(
            AuditEntry,
            record_id=record,
            seq=self._seq[record],
            at=at,
            uid=None,
            actor=actor,
            via=via,
            origin="",
            action=action,
            what=[],
            previous=bytes(32),
            hash=bytes(32),
        )

    def _moment(self) -> datetime:
        """Within the days of the month, before now."""
        first = self._day(self._now) - timedelta(days=DAYS - 1)
        start = datetime.combine(first, datetime.min.time(), zone_with(self._zone))
        seconds = int((self._now - start).total_seconds())
        return start + timedelta(seconds=self._random.randrange(seconds))

    def _day(self, at: datetime) -> date:
        return at.astimezone(zone_with(self._zone)).date()
