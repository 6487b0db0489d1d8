"""The jobs of administration: a logo is fetched when its address was set, so that nothing is fetched while a carnet is
drawn; and what time has made of subscriptions is written down."""

from dataclasses import dataclass
from datetime import timedelta

from ficha.administration.service_logos import FETCH_LOGO, keep_logo, logo_of
from ficha.administration.services import Service
from ficha.administration.subscriptions import write_down_ends
from ficha.channels.errors import Refused
from ficha.channels.public_files import fetch_file
from ficha.core.clock import Clock
from ficha.core.db import Database
from ficha.core.settings import Settings
from ficha.jobs.kinds import GiveUp, Job, Kind
from ficha.photos.photos import read_logo
from ficha.photos.picture_messages import NotAPicture, PictureDamaged, PictureTooLarge
from ficha.photos.picture_process import PictureProcess

MOST_BYTES = 1_000_000
SECONDS = 8.0
END_SUBSCRIPTIONS = "suscripciones.fin"
# Subscriptions that one transaction writes down.
ENDS_TOGETHER = 200


@dataclass(frozen=True)
class AdministrationJobs:
    database: Database
    pictures: PictureProcess
    clock: Clock
    settings: Settings

    def kinds(self) -> list[Kind]:
        return [
            Kind(FETCH_LOGO, self.fetch_logo, attempts=5, longest_wait=timedelta(minutes=30)),
            Kind(END_SUBSCRIPTIONS, self.end_subscriptions, attempts=3, every=timedelta(minutes=15)),
        ]

    def fetch_logo(self, job: Job) -> None:
        """Raises GiveUp where another attempt gets the same, else RetryLater or PicturesBusy. No transaction is open
        while it is fetched: the address is compared again before it is kept."""
        service_id = int(job.payload["service_id"])
        with self.database.reading() as tx:
            service = tx.orm.get(Service, service_id)
            url = None if service is None else service.logo_url
            if url is None or logo_of(tx, service_id, url) is not None:
                return
        content = self._fetched(url)
        with self.database.writing() as tx:
            service = tx.orm.get(Service, service_id, with_for_update=True)
            if service is not None and service.logo_url == url:
                keep_logo(tx, service_id, url, content, self.clock.now())

    def end_subscriptions(self, _job: Job) -> None:
        """They count as ended before: this is for the history, and for whoever listens."""
        written = ENDS_TOGETHER
        while written == ENDS_TOGETHER:
            with self.database.writing() as tx:
                written = write_down_ends(tx, self.clock.now(), ENDS_TOGETHER)

    def _fetched(self, url: str) -> bytes:
        try:
            found = fetch_file(
                url,
                most_bytes=MOST_BYTES,
                seconds=SECONDS,
                allows_http=not self.settings.in_production,
                allows_private=self.settings.logo_private,
            )
            return read_logo(self.pictures, found, self.settings.picture_pixels)
        except (Refused, NotAPicture, PictureDamaged, PictureTooLarge) as error:
            raise GiveUp from error
