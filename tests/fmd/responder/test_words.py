"""Numbers, dates, ages and relations as the responder's view says them."""

from datetime import UTC, date, datetime, timedelta

import phonenumbers
import pytest

from ficha.fmd.responder import languages
from ficha.fmd.responder.dates_and_amounts import age, ago, amount_said, clock_said, day_said, moments_ago
from ficha.fmd.responder.emergency_numbers import BY_COUNTRY, country_of, helpline, number_of
from ficha.fmd.translations import Translated
from tests.fmd.writing import NOW, TODAY


def test_a_relation_that_could_mean_two_people_is_left_as_written() -> None:
    assert languages.relation("friend") is None
    assert languages.relation("avo") is None
    assert languages.relation("Mãe") == languages.relation("MADRE") == Translated("madre", "mother", "mãe")
    assert languages.relation("avô") == Translated("abuelo", "grandfather", "avô")


# The ministry's line and the national one, which the numbering plans that we can ask do not list.
NOT_IN_THE_PLANS = {("PE", "106"), ("HN", "911")}


@pytest.mark.parametrize("country", BY_COUNTRY)
def test_every_emergency_number_is_one_in_its_country(country: str) -> None:
    for number in BY_COUNTRY[country]:
        is_known = phonenumbers.is_emergency_number(number, country)
        assert is_known != ((country, number) in NOT_IN_THE_PLANS), number


def test_numbers_are_written_as_in_their_country() -> None:
    assert number_of({"cod_telefono": "+55", "telefono": "11987654321"}) == ("+55 11 98765-4321", "+5511987654321", "")
    assert number_of({"telefono_e164": "+34612345678"}) == ("+34 612 34 56 78", "+34612345678", "")
    assert number_of({"cod_telefono": "+39", "telefono_e164": "+390612345678"}) == (
        "+39 06 1234 5678",
        "+390612345678",
        "",
    )
    assert number_of({"cod_telefono": "58", "telefono": "x"}) is None
    assert number_of({"telefono_e164": 'javascript:alert("1")'}) is None
    assert helpline("0500-555 0000", "Asistencia") == ("0500-555 0000", "05005550000", "Asistencia")
    assert helpline("*1234#", "") == ("*1234#", "", "")
    assert [country_of(prefix) for prefix in ("+58", "+999", "+", None, "+1")] == ["VE", "", "", "", "US"]


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
    assert (ago(days, "es"), ago(days, "en")) == (es, en)


@pytest.mark.parametrize(
    ("born", "said"),
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
def test_how_old(born: object, said: str) -> None:
    assert age(born, TODAY, "es") == said


def test_dates_hours_and_amounts_as_people_say_them() -> None:
    assert [day_said(value, "pt") for value in ("2019", "2019-09", "2019-09-03", "x", None)] == [
        "2019", "set 2019", "3 set 2019", "", "",
    ]  # fmt: skip
    assert clock_said(datetime(2026, 1, 2, 14, 5, tzinfo=UTC)) == "14:05 UTC"
    assert clock_said(datetime.fromisoformat("2026-01-02T14:05:00-04:00")) == "14:05 UTC−4"
    assert clock_said(datetime.fromisoformat("2026-01-02T14:05:00+05:30")) == "14:05 UTC+5:30"
    assert [amount_said(value, "kg", "es") for value in (47.5, 50, True, "x")] == ["47,5 kg", "50 kg", "", ""]
    assert amount_said(47.5, "kg", "en") == "47.5 kg"
    minutes = [moments_ago(NOW - timedelta(minutes=count), NOW, "es") for count in (0, 7, 119, 120, 5000)]
    assert minutes == ["ahora mismo", "hace 7 min", "hace 119 min", "hace 2 h", "hace 3 días"]


def test_a_birthday_far_in_the_past_is_still_a_number() -> None:
    assert age("1900-01-01", date(2026, 11, 15), "en") == "126 years old"
