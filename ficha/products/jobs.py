"""The jobs of batches: making the rest of a large one, and ending the codes of a voided one, in small transactions."""

from dataclasses import dataclass

from ficha.core.clock import Clock
from ficha.core.crypto import Keyring
from ficha.core.db import Database
from ficha.jobs.kinds import Job, Kind
from ficha.products.batches import FILL_BATCH, add_codes
from ficha.products.inventory import VOID_BATCH, end_printed_codes


@dataclass(frozen=True)
class ProductJobs:
    database: Database
    keyring: Keyring
    clock: Clock

    def kinds(self) -> list[Kind]:
        return [Kind(FILL_BATCH, self.fill_batch), Kind(VOID_BATCH, self.void_batch)]

    def fill_batch(self, job: Job) -> None:
        left = 1
        while left:
            with self.database.writing() as tx:
                left = add_codes(tx, self.keyring, job.payload["batch_id"], self.clock.now()).left

    def void_batch(self, job: Job) -> None:
        is_left = True
        while is_left:
            with self.database.writing() as tx:
                is_left = end_printed_codes(tx, job.payload["batch_id"], self.clock.now())
