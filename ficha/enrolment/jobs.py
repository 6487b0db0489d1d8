"""The job after an erasure: on SQLite, what was erased is in the write-ahead log until that is emptied."""

from datetime import timedelta

from ficha.core.db import Database
from ficha.jobs.empty_wal import EMPTY_WAL
from ficha.jobs.kinds import Job, Kind


class StillRead(Exception):
    """Somebody reads an older state of the database; the job is tried again."""


class EnrolmentJobs:
    def __init__(self, database: Database) -> None:
        self._database = database

    def kinds(self) -> list[Kind]:
        return [Kind(EMPTY_WAL, self.empty_wal, attempts=100, longest_wait=timedelta(minutes=1))]

    def empty_wal(self, _job: Job) -> None:
        """Raises StillRead. PostgreSQL recycles its log by itself."""
        if self._database.is_sqlite and not self._database.truncate_wal():
            raise StillRead
