"""A whole roster: read, carried out some rows at a time, and told row by row."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from ficha.core.clock import Clock
from ficha.core.crypto import Keyring
from ficha.core.db import Database
from ficha.core.secrets import Secrets
from ficha.institutions.institution import InstitutionFacts
from ficha.institutions.roster_doubts import forget_old_doubts
from ficha.institutions.roster_files import RosterFile
from ficha.institutions.roster_rows import RosterDesk, RosterRows, RowOutcome, RowResult

# In one transaction. On SQLite an alert waits for it, so it is short: about a twentieth of a second.
BATCH = 25
# Rows that need somebody are told one by one, up to so many; all are counted.
MOST_TOLD = 1000
NEEDS_SOMEBODY = (RowOutcome.REFUSED, RowOutcome.DOUBTFUL)


@dataclass
class RosterReport:
    ignored_columns: list[str]
    is_dry_run: bool
    rows: int = 0
    counts: Counter[RowOutcome] = field(default_factory=Counter)
    told: list[RowResult] = field(default_factory=list)

    def add(self, results: list[RowResult]) -> None:
        self.rows += len(results)
        for result in results:
            self.counts[result.outcome] += 1
            if result.outcome in NEEDS_SOMEBODY and len(self.told) < MOST_TOLD:
                self.told.append(result)

    def as_json(self) -> dict[str, Any]:
        return {
            "dry_run": self.is_dry_run,
            "rows": self.rows,
            **{outcome.value: self.counts[outcome] for outcome in RowOutcome},
            "ignored_columns": self.ignored_columns,
            "told": [
                {
                    "row": result.number,
                    "external_id": result.external_id,
                    "outcome": result.outcome.value,
                    "reasons": list(result.reasons),
                }
                for result in self.told
            ],
        }


def count_rows(file: Path) -> int:
    """Of people. Raises RosterUnreadable, wherever in the file it is."""
    return sum(1 for _ in RosterFile(file).rows())


def import_roster(
    database: Database,
    institution: InstitutionFacts,
    file: Path,
    keyring: Keyring,
    secrets: Secrets,
    clock: Clock,
    *,
    dry_run: bool,
    progress: Callable[[int], None] = lambda _count: None,
) -> RosterReport:
    """Each batch of rows is one transaction, which a dry run takes back; so it says exactly what would be. What is
    twice in the file, without a document and far apart, it calls new both times. `progress` is told how many more
    rows are done. Interrupted or killed, give the same file again. Call it outside any transaction.

    Raises RosterUnreadable, if the file cannot be read from some row on: what stands before is imported."""
    roster = RosterFile(file)
    report = RosterReport(roster.ignored, dry_run)
    work = RosterRows(RosterDesk(institution, keyring, secrets, clock.now()))
    if not dry_run:
        with database.writing() as tx:
            forget_old_doubts(tx, clock.now())
    rows = roster.rows()
    while batch := list(islice(rows, BATCH)):
        with database.making_way(), database.transaction() as tx:
            results = work.carry_out(tx, batch)
            if not dry_run:
                tx.commit()
        report.add(results)
        progress(len(batch))
    return report
