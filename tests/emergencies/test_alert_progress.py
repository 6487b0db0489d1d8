"""The order of what happened in an alert, as everybody is told it."""

from datetime import UTC, datetime, timedelta

from ficha.emergencies.alert_progress import ProgressKind, lines_from
from ficha.emergencies.emergency import Emergency, EmergencyState
from ficha.emergencies.steps import CalledRow, StepRow, StepState

OPENED = datetime(2026, 11, 15, 12, 0, 0, 600_000, tzinfo=UTC)
CUT = OPENED.replace(microsecond=0)  # As platforms tell times.


def test_what_came_of_an_alert_stands_above_it_though_its_time_was_cut_to_seconds() -> None:
    emergency = Emergency(id=1, state=EmergencyState.OPEN, opened_at=OPENED, is_drill=False)
    started = OPENED + timedelta(milliseconds=100)
    step = StepRow(1, 1, "whatsapp", started, "aaaaaaaa", StepState.READ, delivered_at=CUT, read_at=CUT)
    called = CalledRow(1, "aaaaaaaa", b"", started, "voy", CUT, None, None, 0)
    lines = lines_from(emergency, [step], [called], {}, OPENED + timedelta(seconds=40))
    assert [line.kind for line in lines] == [ProgressKind.COMING, ProgressKind.READ, ProgressKind.OPENED]
