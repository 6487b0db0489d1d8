"""Dates, ages, hours and amounts in the reader's language."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ficha.fmd.dates_and_amounts import (
    age_text,
    amount_text,
    date_text,
    days_ago,
    local_time_text,
    time_ago,
    typed_date,
    zone_text,
)
from tests.fmd.documents import NOW, TODAY


@pytest.mark.parametrize(
    ("zone", "city"),
    [
        ("America/Sao_Paulo", "São Paulo"),
        ("America/Bogota", "Bogotá"),
        ("America/Argentina/Cordoba", "Córdoba"),
        ("America/Caracas", "Caracas"),
        ("Mars/Phobos", "UTC"),
    ],
)
def test_cities_that_name_zones_have_their_accents(zone: str, city: str) -> None:
    assert zone_text(zone) == city


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
        ("2026-11-16", "0 días"),
        ("2026-11-17", ""),
        ("ayer", ""),
        (None, ""),
        (5, ""),
    ],
)
def test_how_old(born: object, text: str) -> None:
    assert age_text(born, TODAY, "es") == text


def test_dates_hours_and_amounts_as_people_say_them() -> None:
    assert [date_text(value, "pt") for value in ("2019", "2019-09", "2019-09-03", "x", None)] == [
        "2019", "09/2019", "03/09/2019", "", "",
    ]  # fmt: skip
    at = datetime(2026, 1, 2, 14, 5, tzinfo=UTC)
    assert local_time_text(at, "America/Sao_Paulo", "pt") == "11:05 (hora de São Paulo)"
    assert local_time_text(at, "Europe/Madrid", "en") == "15:05 (Madrid time)"
    assert [amount_text(value, "kg", "es") for value in (47.5, 50, True, "x")] == ["47,5 kg", "50 kg", "", ""]
    assert amount_text(47.5, "kg", "en") == "47.5 kg"
    minutes = [time_ago(NOW - timedelta(minutes=count), NOW, "es") for count in (0, 7, 119, 120, 5000)]
    assert minutes == ["ahora mismo", "hace 7 min", "hace 119 min", "hace 2 h", "hace 3 días"]


@given(st.dates(date(1900, 1, 1), date(2199, 12, 31)), st.sampled_from(["es", "en", "pt"]), st.sampled_from([4, 7, 10]))
def test_a_date_is_read_as_it_is_written(day: date, language: str, length: int) -> None:
    stored = day.isoformat()[:length]
    assert typed_date(date_text(stored, language), language) == stored == typed_date(stored, language)


@pytest.mark.parametrize(
    ("text", "language", "stored"),
    [
        ("31-3-2019", "es", "2019-03-31"),
        ("31.03.2019", "pt", "2019-03-31"),
        (" 1 de enero de 2020 ", "es", "2020-01-01"),
        ("1 Fev. 2020", "pt", "2020-02-01"),
        ("setembro de 2019", "pt", "2019-09"),
        ("March 31, 2019", "en", "2019-03-31"),
        ("03/31/2019", "en", "2019-03-31"),
        ("31/03/2019", "en", "2019-03-31"),
        ("3/3/2019", "en", "2019-03-03"),
        # In English it may be either: nobody guesses.
        ("03/04/2019", "en", "03/04/2019"),
        ("03/04/2019", "es", "2019-04-03"),
        ("31/03/19", "es", "31/03/19"),
        ("31 lunas 2019", "es", "31 lunas 2019"),
        ("٣١/٠٣/٢٠١٩", "es", "٣١/٠٣/٢٠١٩"),
        ("", "es", ""),
    ],
)
def test_dates_as_people_type_them(text: str, language: str, stored: str) -> None:
    assert typed_date(text, language) == stored


def test_a_birthday_far_in_the_past_is_still_a_number() -> None:
    assert age_text("1900-01-01", date(2026, 11, 15), "en") == "126 years old"
