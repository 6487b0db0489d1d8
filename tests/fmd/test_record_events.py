"""Owner and guardians hear of every change of a record, and of every reader who is not its owner."""

import ast
from datetime import timedelta
from typing import Any

from sqlalchemy import select

from ficha.events.events import Event
from ficha.events.kinds import EVENT_KINDS
from ficha.fmd.grants import Grant, GrantKind
from ficha.products.decoys import GuessingAlarm
from tests.emergencies.scenario import EmergencyScenario
from tests.source_code import nodes_with
from tests.world import Person, World


def events(world: World, kind: str) -> list[tuple[int | None, dict[str, Any]]]:
    world.drain_reads()
    with world.parts.database.reading() as tx:
        found = tx.orm.scalars(select(Event).where(Event.kind == kind).order_by(Event.id))
        return [(event.account_id, event.payload) for event in found]


def path(person: Person, rest: str = "") -> str:
    return f"/v2/fmd/{person.data['attributes']['product_codes'][0]}{rest}"


def let_in(world: World, owner: Person, kind: GrantKind) -> Person:
    other = world.register()
    now = world.clock.now()
    with world.parts.database.writing() as tx:
        tx.orm.add(
            Grant(
                record_id=owner.data["attributes"]["fmd_code"],
                account_id=other.id,
                kind=kind,
                edits=True,
                granted_at=now,
                ends_at=now + timedelta(days=1),
            )
        )
    return other


def test_every_change_is_an_event(world: World, ana: Person) -> None:
    for rest, body in (
        ("/cuerpo", {"peso_kg": 61}),
        ("/cuerpo", {"peso_kg": 61}),
        ("/relationship", {"relacion": "tía"}),
    ):
        assert ana.client.patch(path(ana, rest), json=body, headers=ana.headers).status_code == 200
    first, second = events(world, "record.changed")  # The same again is no change.
    number = ana.data["attributes"]["fmd_code"]
    said = {"fmd_code": number, "version": 1, "by": f"account:{ana.id}", "via": "owner", "what": ["cuerpo"]}
    assert first == (ana.id, said)
    assert second == (ana.id, said | {"version": 2, "what": ["relacion"]})


def test_owner_and_guardian_hear_of_a_delegate_s_change(world: World, ana: Person) -> None:
    tutora, luis = let_in(world, ana, GrantKind.GUARDIAN), let_in(world, ana, GrantKind.DELEGATE)
    assert luis.client.patch(path(ana, "/cuerpo"), json={"peso_kg": 61}, headers=luis.headers).status_code == 200
    told = events(world, "record.changed")
    assert {account for account, _ in told} == {ana.id, tutora.id}
    assert {(said["by"], said["via"]) for _, said in told} == {(f"account:{luis.id}", "delegate")}


def test_every_read_by_somebody_else_is_an_event(world: World, ana: Person) -> None:
    tutora, luis = let_in(world, ana, GrantKind.GUARDIAN), let_in(world, ana, GrantKind.DELEGATE)

    def read(reader: Person, rest: str = "") -> list[tuple[int | None, str]]:
        before = len(events(world, "access.opened"))
        assert world.reader.get(path(ana, rest), headers=reader.headers).status_code == 200
        found = events(world, "access.opened")[before:]
        assert all(said["by"] == f"account:{reader.id}" for _, said in found)
        return [(account, said["how"]) for account, said in found]

    assert read(ana) == read(ana, "/salud") == read(ana, "/history") == []
    assert sorted(read(luis)) == sorted(read(luis, "/salud/exists")) == [(ana.id, "delegate"), (tutora.id, "delegate")]
    for rest in ("", "/history", "/access-log", "/export"):
        assert read(tutora, rest) == [(ana.id, "guardian")]  # Who reads is not told of it.


def test_opening_again_within_minutes_is_an_event_but_no_notice(scenario: EmergencyScenario) -> None:
    sticker, world = scenario.sticker(), scenario.world
    for number in (1, 2):
        assert world.reader.get(f"/e/{sticker.code}/{sticker.tag}").status_code == 200
        assert len(events(world, "access.opened")) == number
    assert world.reader.get(f"/e/{sticker.code}").status_code == 200
    assert [said["how"] for _, said in events(world, "access.opened")] == ["tag", "tag", "typed"]
    scenario.run_until_idle()
    assert len(world.mails()) == 1


def test_every_kind_that_is_published_is_listed(world: World) -> None:
    published = set(GuessingAlarm) | {
        "access.granted",
        "access.offered",
        "access.withdrawn",
        "record.changed",
        "subscription.changed",
        "gap",
        "bye",
    }
    places = {"publish": 1, "publish_change": 1, "NewEvent": 0}
    for _, nodes in nodes_with(*places):
        for node in nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                place = places.get(node.func.id)
                named = [] if place is None else node.args[place : place + 1]
                published |= {str(each.value) for each in named if isinstance(each, ast.Constant)}
    assert published == set(EVENT_KINDS)
    described = world.app.openapi()["paths"]["/v2/events"]["get"]["description"]
    assert all(f"`{kind}`" in described for kind in EVENT_KINDS)
