"""Dates, ages, hours and amounts in the reader's language."""

from datetime import UTC, date, datetime, timedelta

import pytest

from ficha.fmd.dates_and_amounts import age_text, amount_text, date_text, days_ago, local_time_text, time_ago
from tests.fmd.documents import NOW, TODAY


@pytest.mark.parametrize(
    ("days", "es", "en"),
    [
        (0, "hoy", "today"),
        (1, "ayer", "yesterday"),
        (59, "hace 59 días", "59 days ago"),
        (61, "hace 2 meses", "2 months ago"),
        (729, "hace 23 meses", "23 months ago"),
        (731, "hace 2 años", "2 years ago"),
    ],
)
def test_how_long_ago(days: int, es: str, en: str) -> None:
    assert (days_ago(days, "es"), days_ago(days, "en")) == (es, en)


@pytest.mark.parametrize(
    ("born", "text"),
    [
        ("2012-05-03", "14 años"),
        ("2012-11-16", "13 años"),
        ("2024-11-15", "2 años"),
        ("2024-11-16", "23 meses"),
        ("2026-10-15", "1 mes"),
        ("2026-11-14", "1 día"),
        ("2026-11-15", "0 días"),
        ("2026-11-16", ""),
        ("ayer", ""),
        (None, ""),
        (5, ""),
    ],
)
def test_how_old(born: object, text: str) -> None:
    assert age_text(born, TODAY, "es") == text


def test_dates_hours_and_amounts_as_people_say_them() -> None:
    assert [date_text(value, "pt") for value in ("2019", "2019-09", "2019-09-03", "x", None)] == [
        "2019", "set 2019", "3 set 2019", "", "",
    ]  # fmt: skip
    at = datetime(2026, 1, 2, 14, 5, tzinfo=UTC)
    assert local_time_text(at, "America/Sao_Paulo", "pt") == "11:05 (hora de Sao Paulo)"
    assert local_time_text(at, "Europe/Madrid", "en") == "15:05 (Madrid time)"
    assert [amount_text(value, "kg", "es") for value in (47.5, 50, True, "x")] == ["47,5 kg", "50 kg", "", ""]
    assert amount_text(47.5, "kg", "en") == "47.5 kg"
    minutes = [time_ago(NOW - timedelta(minutes=count), NOW, "es") for count in (0, 7, 119, 120, 5000)]
    assert minutes == ["ahora mismo", "hace 7 min", "hace 119 min", "hace 2 h", "hace 3 días"]


def test_a_birthday_far_in_the_past_is_still_a_number() -> None:
    assert age_text("1900-01-01", date(2026, 11, 15), "en") == "126 years old"
