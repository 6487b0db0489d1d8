"""How long we wait for what, as the settings say it."""

from dataclasses import dataclass, fields
from datetime import timedelta
from typing import Self

from ficha.core.settings import Settings


@dataclass(frozen=True)
class Timeouts:
    """The names are those of the settings, and so are the values here."""

    ladder_whatsapp_seconds: float = 60
    ladder_mail_seconds: float = 60
    ladder_push_seconds: float = 30
    ladder_message_minutes: float = 5
    emergency_join_minutes: float = 10
    emergency_link_hours: float = 24
    emergency_reply_hours: float = 6

    @classmethod
    def of(cls, settings: Settings) -> Self:
        return cls(**{each.name: getattr(settings, each.name) for each in fields(cls)})

    @property
    def join(self) -> timedelta:
        """Scans of one record this close together are one emergency."""
        return timedelta(minutes=self.emergency_join_minutes)

    @property
    def message(self) -> timedelta:
        """What could not leave by then is not sent any more: the ladder is further up, and old news frightens."""
        return timedelta(minutes=self.ladder_message_minutes)

    @property
    def link(self) -> timedelta:
        """How long after its end an emergency's links still answer."""
        return timedelta(hours=self.emergency_link_hours)

    @property
    def reply(self) -> timedelta:
        """How long after an alert a message from that person is taken for its answer."""
        return timedelta(hours=self.emergency_reply_hours)
