"""A fact decays from green to amber to red, by kind."""

from datetime import timedelta

import pytest

from ficha.fmd.catalog import CATALOG
from ficha.fmd.freshness import Freshness, Level, freshness
from tests.fmd.documents import TODAY, model_named


@pytest.mark.parametrize(
    ("wire", "limit"), [("medicacion", 90), ("alergiasa", 730), ("alergiasm", 730), ("salud", 365)]
)
def test_decays_past_its_limit_and_past_twice_its_limit(wire: str, limit: int) -> None:
    def level(days: int) -> Level:
        confirmed = (TODAY - timedelta(days=days)).isoformat()
        return freshness(confirmed, model_named(wire).about.fresh_days, TODAY).level

    assert [level(days) for days in (0, limit, limit + 1, 2 * limit, 2 * limit + 1)] == [
        Level.GREEN,
        Level.GREEN,
        Level.AMBER,
        Level.AMBER,
        Level.RED,
    ]


def test_all_other_models_are_fresh_for_a_year() -> None:
    special = {"medicacion", "alergiasa", "alergiasm"}
    assert {each.about.fresh_days for each in CATALOG if each.about.wire not in special} == {365}


@pytest.mark.parametrize("unknown", [None, "", "ayer", 5, [], "2020-13-45"])
def test_what_nobody_confirmed_is_red(unknown: object) -> None:
    assert freshness(unknown, 90, TODAY) == Freshness(Level.RED, None)


def test_tomorrow_is_today_somewhere() -> None:
    tomorrow = (TODAY + timedelta(days=1)).isoformat()
    assert freshness(tomorrow, 90, TODAY) == Freshness(Level.GREEN, 0)
