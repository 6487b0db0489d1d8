"""How long an emergency waits for what, from the settings. How long each channel waits is in channels/."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Self

from ficha.core.settings import Settings

# Somebody is waiting: a job that failed on our side is tried again within this.
URGENT_RETRY = timedelta(seconds=10)


@dataclass(frozen=True)
class Timeouts:
    # Scans of one record this close together are one emergency.
    join_scans: timedelta
    # What could not be sent by then is not sent any more: the ladder has gone on, and an old alert frightens.
    send_alert: timedelta
    # How long after its end an emergency's links still answer.
    link: timedelta
    # How long after an alert a message from that person counts as its answer.
    reply: timedelta
    # How long after a record began to alert its next emergency waits.
    quiet: timedelta

    @classmethod
    def of(cls, settings: Settings) -> Self:
        return cls(
            join_scans=timedelta(minutes=settings.emergency_join_minutes),
            send_alert=timedelta(minutes=settings.ladder_message_minutes),
            link=timedelta(hours=settings.emergency_link_hours),
            reply=timedelta(hours=settings.emergency_reply_hours),
            quiet=timedelta(minutes=settings.alert_quiet_minutes),
        )
