"""What jobs work with, built once from the settings."""

from dataclasses import dataclass

from ficha.channels.mail import Mailer
from ficha.core.clock import Clock
from ficha.core.crypto import Keyring
from ficha.core.db import Database
from ficha.core.secrets import Secrets
from ficha.core.settings import Settings


@dataclass(frozen=True)
class JobServices:
    database: Database
    keyring: Keyring
    secrets: Secrets
    mailer: Mailer
    clock: Clock
    settings: Settings
