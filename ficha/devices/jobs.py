"""The job of devices: sends the notification of a test."""

from dataclasses import dataclass
from datetime import timedelta

from ficha.accounts.accounts import Account, Idioma
from ficha.channels.errors import Refused
from ficha.channels.services import JobServices
from ficha.channels.webpush import DeviceGone, PushMessage, WebPush
from ficha.devices.devices import PushSubscription, forget_device
from ficha.jobs.kinds import GiveUp, Job, Kind

SEND_TEST = "push.prueba"
LIFETIME = timedelta(hours=1)
TEXTS = {
    Idioma.ES: ("Notificación de prueba", "Este dispositivo recibe los avisos de Ficha."),
    Idioma.EN: ("Test notification", "This device gets the alerts of Ficha."),
    Idioma.PT: ("Notificação de teste", "Este dispositivo recebe os avisos de Ficha."),
}


@dataclass(frozen=True)
class DeviceJobs(JobServices):
    def kinds(self) -> list[Kind]:
        return [Kind(SEND_TEST, self.send_test, attempts=5)]

    def send_test(self, job: Job) -> None:
        """Raises RetryLater."""
        subscription_id = int(job.payload["subscription_id"])
        with self.database.reading() as tx:
            subscription = tx.orm.get(PushSubscription, subscription_id)
            if subscription is None:
                return
            device = subscription.opened(self.secrets)
            language = Idioma(tx.orm.get_one(Account, subscription.account_id).idioma)
        title, body = TEXTS[language]
        notification = PushMessage(title, body, "/", tag="prueba", lang=language)
        try:
            WebPush(self.settings, self.secrets, self.clock).send(device, notification, LIFETIME)
        except DeviceGone:
            with self.database.writing() as tx:
                forget_device(tx, subscription_id)
        except Refused as refusal:
            raise GiveUp(str(refusal)) from refusal
