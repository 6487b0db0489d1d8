"""The jobs of notices: the name of each kind and the function that runs it."""

from dataclasses import dataclass

from ficha.channels.mail import Mailer
from ficha.core.clock import Clock
from ficha.core.crypto import Keyring
from ficha.core.db import Database
from ficha.core.settings import Settings
from ficha.jobs.kinds import Kind
from ficha.notices.notice_delivery import MAIL, NoticeDelivery
from ficha.notices.notices import DELIVER


@dataclass(frozen=True)
class NoticeJobs:
    database: Database
    keyring: Keyring
    mailer: Mailer
    clock: Clock
    settings: Settings

    def kinds(self) -> list[Kind]:
        delivery = NoticeDelivery(self.database, self.keyring, self.mailer, self.clock, self.settings)
        return [
            Kind(DELIVER, delivery.deliver, attempts=20),
            Kind(MAIL, delivery.send_mail, attempts=20),
        ]
