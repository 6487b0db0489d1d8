"""What the service is made of. Built once from the settings; tests bring a part of their own where they need one."""

from dataclasses import dataclass, field

from ficha.accounts.usage import Usage
from ficha.audit.reads import ReadLog
from ficha.channels.mail import FolderMailer, Mailer, SmtpMailer
from ficha.channels.messaging.whatsapp.client import WhatsApp
from ficha.core.clock import Clock, SystemClock
from ficha.core.crypto import Keyring
from ficha.core.db import Database
from ficha.core.secrets import Secrets
from ficha.core.settings import Settings
from ficha.emergencies.notices import notice_facts
from ficha.emergencies.patience import Patience


@dataclass(frozen=True)
class Parts:
    settings: Settings
    clock: Clock
    database: Database
    keyring: Keyring
    secrets: Secrets
    mailer: Mailer
    whatsapp: WhatsApp
    reads: ReadLog
    usage: Usage = field(default_factory=Usage)


def build_parts(settings: Settings, clock: Clock | None = None) -> Parts:
    settings.refuse_laptop_values()
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    clock = clock or SystemClock()
    database = Database(settings.database, pool_size=settings.database_pool)
    keyring = keyring_of(settings)
    patience = Patience.of(settings)
    return Parts(
        settings,
        clock,
        database,
        keyring,
        Secrets(database, keyring, clock),
        mailer_of(settings, clock),
        WhatsApp(settings),
        # The owner is told of an opening in the transaction that writes it down.
        ReadLog(settings.data_dir / "reads", database, lambda session, facts: notice_facts(session, facts, patience)),
    )


def keyring_of(settings: Settings) -> Keyring:
    text = settings.master_keys.get_secret_value()
    if text:
        return Keyring.from_text(text)
    return Keyring.from_file(settings.keys, in_production=settings.in_production)


def mailer_of(settings: Settings, clock: Clock) -> Mailer:
    url = settings.smtp_url.get_secret_value()
    if url:
        return SmtpMailer(url, settings.mail_from, clock)
    return FolderMailer(settings.data_dir / "sandbox" / "mail", settings.mail_from, clock)
