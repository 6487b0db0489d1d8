"""What is published of months: over HTTP, as somebody takes it who wants to know of single people."""

import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from sqlalchemy import insert, update

from ficha.accounts.accounts import Account, Role
from ficha.emergencies.emergency import Emergency
from ficha.emergencies.steps import CalledContact
from ficha.fmd.records import Record
from ficha.jobs.queue import put
from ficha.statistics.jobs import PUBLISH_MONTHS
from ficha.statistics.months import REGIONS
from ficha.statistics.small_counts import SMALLEST_COUNT
from ficha.worker import kinds_of
from tests.run_due import run_due
from tests.world import Person, World

PATH = "/v2/statistics"
OCTOBER = datetime(2026, 10, 10, 12, tzinfo=UTC)
GROUPS = ("answered", "unanswered")
# Accounts that register in between get the numbers that are left out.
_ids = count(50_000, 20)


def have_alerts(
    world: World, number: int, prefix: str, at: datetime, *, answered: bool, times: int = 1, is_drill: bool = False
) -> list[int]:
    """New people with a number of that country, each with so many alerts; returns their accounts."""
    ids = [next(_ids) for _ in range(number)]
    people = [
        {
            "id": each,
            "correo": f"m{each}@ejemplo.com",
            "correo_key": f"m{each}@ejemplo.com",
            "clave_hash": "-",
            "nombre": "Persona",
            "cod_telefono": prefix,
            "telefono": "",
            "telefono_e164": None,
            "idioma": "es",
            "roles": ["owner"],
            "created_at": at,
        }
        for each in ids
    ]
    alerts: list[dict[str, Any]] = [
        {
            "id": next(_ids),
            "record_id": each,
            "code": "AAAAAA",
            "state": "resolved",
            "is_drill": is_drill,
            "entrance": "tag",
            "scans": 1,
            "last_scan_at": at,
            "opened_at": at,
            "opened_by": "tag",
        }
        for each in ids
        for _ in range(times)
    ]
    called = [
        {
            "emergency_id": alert["id"],
            "contact_id": "c",
            "token_hash": alert["id"].to_bytes(32, "big"),
            "label": b"",
            "called_at": at,
            "answer": "voy" if answered else None,
            "answered_at": at if answered else None,
        }
        for alert in alerts
    ]
    if ids:
        with world.parts.database.writing() as tx:
            tx.connection().execute(insert(Account), people)
            records = [{"id": each, "account_id": each, "relacion": "titular", "created_at": at} for each in ids]
            tx.connection().execute(insert(Record), records)
            tx.connection().execute(insert(Emergency), alerts)
            tx.connection().execute(insert(CalledContact), called)
    return ids


def publish(world: World) -> None:
    with world.parts.database.writing() as tx:
        put(tx, PUBLISH_MONTHS, {})
    run_due(world.parts.database, kinds_of(world.parts))


@pytest.fixture
def admin(world: World) -> Person:
    """The first account, from before there were any alerts."""
    person = world.somebody_with(Role.ADMIN)
    with world.parts.database.writing() as tx:
        tx.orm.execute(update(Account).values(created_at=datetime(2026, 9, 5, tzinfo=UTC)))
    return person


def told_by(person: Person) -> dict[str, dict[str, Any]]:
    """By month."""
    answer = person.get(PATH)
    assert answer.status_code == 200, answer.text
    return {month["id"]: month["attributes"] for month in answer.json()["data"]}


def region_in(month: dict[str, Any], region: str) -> tuple[int | None, int | None]:
    [found] = [each for each in month["regions"] if each["region"] == region]
    return found["answered"], found["unanswered"]


def test_people_are_counted_once_by_the_country_of_their_number(world: World, admin: Person) -> None:
    have_alerts(world, 12, "+58", OCTOBER, answered=True, times=3)
    have_alerts(world, 11, "+58", OCTOBER, answered=False)
    have_alerts(world, 10, "+57", OCTOBER, answered=True)
    have_alerts(world, 9, "+51", OCTOBER, answered=True)
    have_alerts(world, 6, "+81", OCTOBER, answered=True)  # Not listed.
    have_alerts(world, 1, "+54", OCTOBER, answered=True, times=30)  # One person is one, however many alerts.
    have_alerts(world, 20, "+57", OCTOBER, answered=True, is_drill=True)
    vanishing = have_alerts(world, 20, "+58", OCTOBER, answered=True)
    with world.parts.database.writing() as tx:
        gone = update(Account).where(Account.id.in_(vanishing)).values(vanishes_at=world.clock.now())
        tx.orm.execute(gone)
    publish(world)
    months = told_by(admin)
    assert list(months) == ["2026-10", "2026-09"]
    october = months["2026-10"]
    assert [each["region"] for each in october["regions"]] == list(REGIONS)
    assert region_in(october, "+58") == (12, 11)
    assert region_in(october, "+57") == (10, None)
    assert [region_in(october, region)[0] for region in ("+51", "other", "+54", "+55")] == [None] * 4
    assert october["rest"] == {"answered": 9 + 6 + 1, "unanswered": None}
    lines = admin.get(f"{PATH}/csv").text.split("\r\n")
    assert lines[0] == "month,region,group,people"
    assert {"2026-10,+58,answered,12", "2026-10,+51,answered,", "2026-10,rest,answered,16"} < set(lines)
    assert len(lines) == 2 + 2 * 2 * (len(REGIONS) + 1)


def test_a_month_that_is_not_over_and_settled_is_not_told(world: World, admin: Person) -> None:
    have_alerts(world, 30, "+58", world.clock.now(), answered=True)
    publish(world)
    assert "2026-11" not in told_by(admin)
    world.clock.move(days=22)  # The seventh of December: not in Caracas yet at noon minus the hours of the week.
    publish(world)
    before = told_by(world_admin(world))
    assert "2026-11" not in before
    world.clock.move(days=1)
    publish(world)
    assert region_in(told_by(world_admin(world))["2026-11"], "+58") == (30, None)


def world_admin(world: World) -> Person:
    return world.somebody_with(Role.ADMIN)


def test_an_attacker_who_takes_every_answer_over_time_learns_of_no_cell_below_ten(world: World, admin: Person) -> None:
    """Every few days people get alerts, also late ones in months that were published, change their country, or are
    erased. All answers are taken, by pages of every size and as a file."""
    chance = random.Random(49)
    taken: dict[tuple[str, str, str], set[int | None]] = {}
    for _ in range(16):
        now = world.clock.now()
        for region in chance.sample(REGIONS[:6], 4):
            at = now - timedelta(days=chance.choice((0, 1, 20, 45)))
            number = chance.choice((0, 1, 2, 5, 9, 10, 14))
            people = have_alerts(world, number, region, at, answered=chance.random() < 0.5)
            with world.parts.database.writing() as tx:
                some = people[: chance.randint(0, 3)]
                tx.orm.execute(update(Account).where(Account.id.in_(some)).values(cod_telefono="+58"))
                tx.orm.execute(update(Record).where(Record.id.in_(some[:1])).values(account_id=None))
        publish(world)
        person = world_admin(world)
        for size in (1, 2, 50):
            for month, attributes in all_pages(person, size):
                for group in GROUPS:
                    for each in attributes["regions"]:
                        taken.setdefault((month, each["region"], group), set()).add(each[group])
                    taken.setdefault((month, "rest", group), set()).add(attributes["rest"][group])
        for line in person.get(f"{PATH}/csv").text.split("\r\n")[1:-1]:
            month, region, group, people_told = line.split(",")
            taken[month, region, group].add(int(people_told) if people_told else None)
        world.clock.move(days=5)
    assert {len(values) for values in taken.values()} == {1}, "what was told once never differs"
    months = sorted({month for month, _, _ in taken})
    assert len(months) >= 4
    told = Counter(next(iter(values)) is not None for values in taken.values())
    assert told[True] > 5, "something is told"
    for month in months:
        for group in GROUPS:
            cells = [next(iter(taken[month, region, group])) for region in REGIONS]
            [rest] = taken[month, "rest", group]
            assert all(value is None or value >= SMALLEST_COUNT for value in [*cells, rest])
            assert possible_values(cells.count(None), rest) == set(range(SMALLEST_COUNT))


def test_whoever_solves_for_the_untold_cells_of_small_months_can_narrow_none(world: World, admin: Person) -> None:
    """Twelve months of few people. Each is taken when it is published, on the next day when one more alert of it was
    written down, and on the next when somebody of it was erased: as pages, as a file, and as what differs."""
    chance, solved = random.Random(38), Counter[bool]()
    for _ in range(12):
        month = (world.clock.now() - timedelta(days=world.clock.now().day)).replace(day=5)
        share = chance.choice((0.1, 0.1, 0.7))
        truth = {
            (region, group): chance.choice((0, 1, 2, 3, 5, 8, 9, 9, 10, 11, 13)) if chance.random() < share else 0
            for region in REGIONS
            for group in GROUPS
        }
        people = list[int]()
        for (region, group), number in truth.items():
            times = chance.randint(1, 3)
            people += have_alerts(world, number, region, month, answered=group == "answered", times=times)
        publish(world)
        name = f"{month:%Y-%m}"
        taken = [told_of(world, name)]
        have_alerts(world, 1, chance.choice(REGIONS), month, answered=chance.random() < 0.5)
        world.clock.move(days=1)
        publish(world)
        taken.append(told_of(world, name))
        with world.parts.database.writing() as tx:
            gone = {"account_id": None, "erased_at": world.clock.now()}
            tx.orm.execute(update(Record).where(Record.id == people[0]).values(gone))
        world.clock.move(days=1)
        publish(world)
        taken.append(told_of(world, name))
        assert taken[0] == taken[1] == taken[2], "nothing differs by one person"
        for group in GROUPS:
            cells = {region: taken[0][region, group] for region in REGIONS}
            rest = taken[0]["rest", group]
            hidden = [truth[region, group] for region, people in cells.items() if people is None]
            assert all(people in (None, truth[region, group]) for region, people in cells.items())
            assert all(number < SMALLEST_COUNT for number in hidden) and rest in (None, sum(hidden))
            solved[rest is not None] += 1
            if hidden:
                assert possible_values(len(hidden), rest) == set(range(SMALLEST_COUNT))
                # Who does not know the rule: all of a rest may be in any of them.
                assert rest is None or rest >= SMALLEST_COUNT
        world.clock.move(days=29)
    assert min(solved[True], solved[False]) > 2, "with a rest and without"


def told_of(world: World, month: str) -> dict[tuple[str, str], int | None]:
    """By region and group, as pages and as a file, which say the same."""
    person = world_admin(world)
    attributes = dict(all_pages(person, 5))[month]
    rows = [*attributes["regions"], {"region": "rest", **attributes["rest"]}]
    found = {(row["region"], group): row[group] for row in rows for group in GROUPS}
    lines = [line.split(",") for line in person.get(f"{PATH}/csv").text.split("\r\n")[1:-1]]
    listed = {(region, group): people for name, region, group, people in lines if name == month}
    assert listed == {key: "" if people is None else str(people) for key, people in found.items()}
    return found


def possible_values(withheld: int, rest: int | None) -> set[int]:
    """Of one withheld cell, for somebody who knows that each is below ten, and when a rest is told."""
    tells = range(SMALLEST_COUNT, (SMALLEST_COUNT - 1) * (withheld - 1) + 1)
    others = range((SMALLEST_COUNT - 1) * (withheld - 1) + 1)
    sums = (
        {rest} if rest is not None else {own + other for own in range(SMALLEST_COUNT) for other in others} - set(tells)
    )
    return {own for own in range(SMALLEST_COUNT) if any(own + other in sums for other in others)}


def all_pages(person: Person, size: int) -> list[tuple[str, dict[str, Any]]]:
    found, cursor = [], ""
    while True:
        answer = person.get(f"{PATH}?size={size}{cursor}").json()
        found += [(month["id"], month["attributes"]) for month in answer["data"]]
        if answer["meta"]["page"]["next"] is None:
            return found
        cursor = f"&cursor={answer['meta']['page']['next']}"


def test_a_cursor_that_is_none_is_refused(admin: Person) -> None:
    for cursor in ("x", "-1", "9" * 30, "%00"):
        assert admin.get(f"{PATH}?cursor={cursor}").status_code == 422
