"""What a channel of the ladder offers, and what it is given to alert a contact."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from ficha.channels.mail import Mailer
from ficha.core.clock import Clock
from ficha.core.crypto import Keyring
from ficha.core.db import Database
from ficha.core.secrets import Secrets
from ficha.core.settings import Settings
from ficha.core.transaction import Transaction
from ficha.emergencies.alert_texts import AlertSource
from ficha.emergencies.contacts import Contact
from ficha.emergencies.steps import StepRow
from ficha.fmd.translations import Translated
from ficha.jobs.kinds import Kind


@dataclass(frozen=True)
class ChannelServices:
    """What the channels send with."""

    database: Database
    keyring: Keyring
    secrets: Secrets
    mailer: Mailer
    clock: Clock
    settings: Settings


@dataclass(frozen=True)
class Alert:
    """One contact to alert by one step."""

    source: AlertSource
    contact: Contact
    address: str
    step: StepRow


class LadderChannel(Protocol):
    # Stored with the step, and what `canales` of a contact says.
    name: str
    # How it is named in a sentence about the alert's progress.
    words: Translated
    # Tried where the contact chose no channel; a contact with an address for one of these counts as reachable.
    is_default: bool

    def address(self, contact: Contact) -> str:
        """Empty where the contact has none: the step is skipped then."""

    def timeout(self, settings: Settings) -> timedelta:
        """How long an answer is waited for before the next step."""

    def queue(self, tx: Transaction, services: ChannelServices, alert: Alert, now: datetime) -> StepRow:
        """Queues the alert in the caller's transaction. The step with the message's id, or ended if it cannot be
        sent."""

    def job_kinds(self, services: ChannelServices) -> Sequence[Kind]:
        """The jobs of its own that this channel needs."""
