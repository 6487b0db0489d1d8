"""The jobs of statistics: they count days, publish months, and open the records of institutions' people at a pace."""

from dataclasses import dataclass
from datetime import timedelta

from ficha.core.clock import Clock
from ficha.core.crypto import Keyring
from ficha.core.db import Database, expecting_long_statements
from ficha.core.secrets import Secrets
from ficha.core.settings import Settings
from ficha.jobs.kinds import Job, Kind
from ficha.jobs.queue import put
from ficha.statistics.days import count_days
from ficha.statistics.months import publish_months
from ficha.statistics.protection_counter import ProtectionCounter, institutions_to_count

COUNT_DAYS, PUBLISH_MONTHS = "estadisticas.dias", "estadisticas.meses"
COUNT_INSTITUTIONS, COUNT_INSTITUTION = "estadisticas.instituciones", "estadisticas.institucion"


@dataclass(frozen=True)
class StatisticsJobs:
    database: Database
    keyring: Keyring
    secrets: Secrets
    clock: Clock
    settings: Settings

    def kinds(self) -> list[Kind]:
        return [
            Kind(COUNT_DAYS, self.count_days, attempts=3, every=timedelta(minutes=10)),
            Kind(PUBLISH_MONTHS, self.publish_months, attempts=3, every=timedelta(hours=6)),
            Kind(COUNT_INSTITUTIONS, self.put_institutions, attempts=3, every=timedelta(hours=6)),
            Kind(COUNT_INSTITUTION, self.count_institution, attempts=3),
        ]

    def count_days(self, _job: Job) -> None:
        with expecting_long_statements():
            count_days(self.database, self.settings.time_zone, self.clock.now())

    def publish_months(self, _job: Job) -> None:
        with expecting_long_statements():
            publish_months(self.database, self.settings.time_zone, self.clock.now())

    def put_institutions(self, _job: Job) -> None:
        with self.database.writing() as tx:
            for institution_id in institutions_to_count(tx, self.clock.now()):
                key = f"{COUNT_INSTITUTION}:{institution_id}"
                put(tx, COUNT_INSTITUTION, {"institution_id": institution_id}, key=key)

    def count_institution(self, job: Job) -> None:
        counter = ProtectionCounter(self.database, self.keyring, self.secrets, self.settings)
        counter.count(int(job.payload["institution_id"]), self.clock.now())
