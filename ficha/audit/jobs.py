"""The job of the log: signing its ends, and copying what was signed to a place apart."""

from datetime import timedelta

from ficha.audit.anchors import AnchorKey, SignedAnchor, copy_anchors, make_anchor
from ficha.core.clock import Clock
from ficha.core.db import Database
from ficha.core.secrets import Secrets
from ficha.core.settings import Settings
from ficha.jobs.kinds import Job, Kind

ANCHOR = "registro_ancla"


class AuditJobs:
    def __init__(self, database: Database, secrets: Secrets, clock: Clock, settings: Settings) -> None:
        self._database = database
        self._secrets = secrets
        self._clock = clock
        self._settings = settings

    def kinds(self) -> list[Kind]:
        every = timedelta(minutes=self._settings.anchor_minutes)
        return [Kind(ANCHOR, self._run, attempts=3, every=every)]

    def _run(self, _job: Job) -> None:
        self.anchor()

    def anchor(self) -> SignedAnchor | None:
        """The copies come second: if the process dies between, the next anchor copies both."""
        made = make_anchor(self._database, AnchorKey(self._secrets), self._clock.now())
        with self._database.reading() as tx:
            copy_anchors(tx, self._settings.anchor_path)
        return made
