"""The job of photos: deletes a file from the storage that no row names."""

from dataclasses import dataclass
from datetime import timedelta

from ficha.channels.storage.storage import Storage
from ficha.core.db import Database
from ficha.jobs.kinds import Job, Kind
from ficha.photos.photos import DELETE_LEFTOVER, is_leftover


@dataclass(frozen=True)
class PhotoJobs:
    database: Database
    storage: Storage

    def kinds(self) -> list[Kind]:
        return [Kind(DELETE_LEFTOVER, self.delete_leftover, attempts=100, longest_wait=timedelta(hours=1))]

    def delete_leftover(self, job: Job) -> None:
        """Raises RetryLater."""
        name = str(job.payload["name"])
        with self.database.reading() as tx:
            if not is_leftover(tx, name):
                return
        self.storage.delete(name)
