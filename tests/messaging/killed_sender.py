"""A process that sends what is due at one moment, to be killed on the way."""

from datetime import datetime
from pathlib import Path

from ficha.core.log import configure_logs
from ficha.parts import build_parts
from ficha.worker import kinds_of
from tests.clock import MovableClock
from tests.run_due import run_due
from tests.world import settings_for

# It waits for the platform longer than it lives, and the kill decides where it stops, not our own limit.
PATIENT = {"whatsapp_seconds": 120, "whatsapp_per_second": 100_000}


def main(url: str, data: Path, platform: str, now: datetime) -> None:
    clock = MovableClock()
    clock.move(seconds=(now - clock.now()).total_seconds())
    settings = settings_for(url, data, whatsapp_base_url=platform, **PATIENT)
    configure_logs(settings)
    parts = build_parts(settings, clock)
    run_due(parts.database, kinds_of(parts))
