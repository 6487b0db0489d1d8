"""A whole roster: read, carried out some rows at a time, and told row by row; and the job that tries or imports one
that was uploaded. Killed half-way it runs again from the first row: what is done already is unchanged, so the end is
the same as in one go."""

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from sqlalchemy import update

from ficha.core.clock import Clock
from ficha.core.crypto import Keyring
from ficha.core.db import Database
from ficha.core.secrets import Secrets
from ficha.institutions.institution import Institution, InstitutionFacts, institution_with
from ficha.institutions.person_to_enrol import EnrolContext
from ficha.institutions.roster_doubts import forget_old_doubts
from ficha.institutions.roster_files import RosterFile, RosterUnreadable
from ficha.institutions.roster_rows import RosterReport, RosterRows
from ficha.institutions.roster_uploads import RosterState, RosterUpload, keep_fault, keep_report
from ficha.jobs.kinds import Job
from ficha.messaging.files import KeptFile, read_pieces

# In one transaction. On SQLite an alert waits for it, so it is short: about a twentieth of a second.
BATCH = 25


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
    country: str = "",
    upload_id: int | None = None,
    progress: Callable[[int], None] = lambda _count: None,
) -> RosterReport:
    """Each batch of rows is one transaction, which a dry run takes back; so it says exactly what would be. What is
    twice in the file, without a document and far apart, it calls new both times. `progress` is told how many more
    rows are done. Interrupted or killed, give the same file again. Call it outside any transaction.

    Raises RosterUnreadable, if the file cannot be read from some row on: what stands before is imported."""
    roster = RosterFile(file)
    report = RosterReport(roster.ignored, dry_run)
    work = RosterRows(EnrolContext(institution, keyring, secrets, clock.now()), country, upload_id)
    if not dry_run:
        with database.writing() as tx:
            forget_old_doubts(tx, clock.now())
    rows = roster.rows()
    while batch := list(islice(rows, BATCH)):
        with database.letting_others_write(), database.transaction() as tx:
            results = work.carry_out(tx, batch)
            if not dry_run:
                tx.commit()
        report.add(results)
        progress(len(batch))
    return report


# How often whoever watches is told how far it is.
TOLD_EVERY = 1.0
# After some rows it rests for as long as they took, at most this: a scan or an alert goes before a roster.
LONGEST_REST = 0.25


@dataclass(frozen=True)
class RosterJobs:
    database: Database
    keyring: Keyring
    secrets: Secrets
    clock: Clock
    folder: Path
    country: str

    def run(self, job: Job) -> None:
        upload_id = int(job.payload["upload_id"])
        with self.database.reading() as tx:
            upload = tx.orm.get(RosterUpload, upload_id)
            if upload is None or not upload.is_running or upload.file_id is None:
                return
            slug = tx.orm.get_one(Institution, upload.institution_id).slug
            institution, file = institution_with(tx, slug), tx.orm.get_one(KeptFile, upload.file_id)
        try:
            with self._readable(upload_id, file) as path:
                self._work(upload, institution, path)
        except RosterUnreadable as fault:
            with self.database.writing() as tx:
                keep_fault(tx, tx.orm.get_one(RosterUpload, upload_id), fault.detail, self.clock.now())

    def _work(self, upload: RosterUpload, institution: InstitutionFacts, path: Path) -> None:
        progress = _Progress(self.database, upload.id)
        progress.begin(count_rows(path))
        report = import_roster(
            self.database,
            institution,
            path,
            self.keyring,
            self.secrets,
            self.clock,
            dry_run=upload.state == RosterState.CHECKING,
            country=self.country,
            upload_id=upload.id,
            progress=progress.add,
        )
        with self.database.writing() as tx:
            stored = tx.orm.get_one(RosterUpload, upload.id, with_for_update=True)
            if stored.state == upload.state:
                keep_report(tx, stored, report.as_json(), self.secrets, self.clock.now())

    @contextmanager
    def _readable(self, upload_id: int, file: KeptFile) -> Iterator[Path]:
        """The file in clear, in a folder that only we may open, for as long as it is read. What a killed process leaves
        there is removed by the one that takes over its job."""
        folder = self.folder / str(upload_id)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            path = folder / "nomina.xlsx"  # Its reader wants the name; ours looks at what is inside.
            with self.database.reading() as tx, path.open("wb") as stream:
                for piece in read_pieces(tx, self.keyring, file):
                    stream.write(piece)
            yield path
        finally:
            shutil.rmtree(folder)


@dataclass
class _Progress:
    database: Database
    upload_id: int
    done: int = 0
    told_at: float = 0.0
    last_at: float = field(default_factory=time.monotonic)

    def begin(self, rows: int) -> None:
        self._tell(rows=rows, done=0)
        self.last_at = time.monotonic()

    def add(self, count: int) -> None:
        self.done += count
        time.sleep(min(time.monotonic() - self.last_at, LONGEST_REST))
        if time.monotonic() - self.told_at > TOLD_EVERY:
            self._tell(done=self.done)
        self.last_at = time.monotonic()

    def _tell(self, **values: int) -> None:
        self.told_at = time.monotonic()
        with self.database.writing() as tx:
            tx.orm.execute(update(RosterUpload).where(RosterUpload.id == self.upload_id).values(**values))
