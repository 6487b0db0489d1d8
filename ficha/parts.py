"""What the service is made of, built once from the settings. Tests pass a part of their own where they need one."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from pathlib import Path

from ficha.accounts.browser_sessions import LastUsed
from ficha.audit.chain import LoggedFact
from ficha.audit.log import use_log_key
from ficha.audit.read_log import ReadLog
from ficha.channels.chatwoot.client import Chatwoot
from ficha.channels.mail import FolderMailer, Mailer, SmtpMailer
from ficha.channels.messenger import Messenger
from ficha.channels.providers import messenger_of
from ficha.channels.storage import DiskStorage, S3Storage, Storage
from ficha.channels.whatsapp.client import WhatsApp
from ficha.core.clock import Clock, SystemClock
from ficha.core.crypto import Keyring, keyring_of
from ficha.core.db import Database
from ficha.core.replicas import Replicas
from ficha.core.secrets import Secrets
from ficha.core.settings import Settings, refuse_laptop_values
from ficha.core.transaction import Transaction
from ficha.exchange.trusted_issuers import TrustedIssuers, trusted_issuers
from ficha.notices.notices import queue_notices
from ficha.photos.picture_process import PictureProcess
from ficha.products.scans import note_scans


@dataclass(frozen=True)
class Parts:
    settings: Settings
    clock: Clock
    database: Database
    keyring: Keyring
    secrets: Secrets
    mailer: Mailer
    messenger: Messenger
    read_log: ReadLog
    chatwoot: Chatwoot
    storage: Storage
    # Photos are read in one process, backgrounds removed in another: a photo does not wait for those.
    photo_reader: PictureProcess
    background_remover: PictureProcess
    trusted_issuers: TrustedIssuers
    last_used: LastUsed = field(default_factory=LastUsed)
    replicas: Replicas | None = None

    def end_processes(self) -> None:
        """Those that read pictures."""
        self.photo_reader.end()
        self.background_remover.end()

    @property
    def whatsapp(self) -> WhatsApp:
        """For the operations that only WhatsApp has. Raises TypeError where another provider carries the messages."""
        if not isinstance(self.messenger, WhatsApp):
            raise TypeError(f"{self.messenger.name} has no account, files or gateway of WhatsApp")
        return self.messenger


def build_parts(settings: Settings, clock: Clock | None = None) -> Parts:
    refuse_laptop_values(settings)
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    clock = clock or SystemClock()
    database = Database(settings.database, clock=clock, pool_size=settings.database_pool)
    keyring = keyring_of(settings)
    secrets = Secrets(database, keyring, clock)
    use_log_key(database, cache(lambda: secrets.derive("log")))
    return Parts(
        settings,
        clock,
        database,
        keyring,
        secrets,
        mailer_of(settings, clock),
        messenger_of(settings),
        read_log_of(settings, database, settings.data_dir / "reads"),
        Chatwoot(settings),
        storage_of(settings),
        picture_process(settings),
        picture_process(settings),
        trusted_issuers(settings),
        replicas=replicas_of(settings, clock),
    )


def replicas_of(settings: Settings, clock: Clock) -> Replicas | None:
    urls = settings.replica_urls.get_secret_value().split()
    max_age = settings.replica_age_minutes * 60
    return Replicas(urls, clock, max_lag=settings.replica_lag_seconds, max_age=max_age) if urls else None


def read_log_of(settings: Settings, database: Database, folder: Path) -> ReadLog:
    """The owner is told of an opening in the transaction that writes it down."""
    repeat_within = timedelta(minutes=settings.read_notice_minutes)

    def on_logged(tx: Transaction, facts: Sequence[LoggedFact]) -> None:
        note_scans(tx, facts)
        queue_notices(tx, facts, repeat_within)

    return ReadLog(folder, database, on_logged)


def mailer_of(settings: Settings, clock: Clock) -> Mailer:
    url = settings.smtp_url.get_secret_value()
    if url:
        return SmtpMailer(url, settings.mail_from, clock)
    return FolderMailer(settings.data_dir / "sandbox" / "mail", settings.mail_from, clock)


def storage_of(settings: Settings) -> Storage:
    url = settings.storage_url.get_secret_value()
    return S3Storage(url, settings.storage_region) if url else DiskStorage(settings.data_dir / "files")


def picture_process(settings: Settings) -> PictureProcess:
    return PictureProcess(
        most_waiting=settings.pictures_waiting,
        seconds=settings.picture_seconds,
        idle_seconds=settings.picture_idle_seconds,
    )
