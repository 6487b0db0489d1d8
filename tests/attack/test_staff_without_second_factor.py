"""Somebody has the clave of a member of staff, and the service demands a second factor that the account has not."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import delete, update

from ficha.accounts.accounts import Role, SecondFactor
from ficha.emergencies.emergency import Emergency
from ficha.http.streams import StreamRules
from tests.emergencies.scenario import HERE, EmergencyScenario, contact
from tests.events.stream_server import StreamServer, open_stream_server
from tests.web.portal.page_session import logged_in
from tests.world import Person, World, build_world, settings_for

pytestmark = pytest.mark.oldest_postgresql

LABELS = "/v1/accounts/1/labels"
SECOND_FACTOR_PAGE = "/app/mi-cuenta/segundo?hace_falta=1"
ROLES = (Role.STAFF, Role.ADMIN)


@pytest.fixture
def world(database_url: str, tmp_path: Path) -> Iterator[World]:
    world = build_world(settings_for(database_url, tmp_path / "data", staff_second_factor=True, metrics_door="admin"))
    yield world
    world.close()


def give_factor(world: World, person: Person) -> None:
    with world.parts.database.writing() as tx:
        now = world.clock.now()
        tx.orm.add(SecondFactor(account_id=person.id, sealed_secret=b"x", created_at=now, confirmed_at=now))


def take_factor(world: World, person: Person) -> None:
    with world.parts.database.writing() as tx:
        tx.orm.execute(delete(SecondFactor).where(SecondFactor.account_id == person.id))


def given_to_staff(world: World) -> int:
    scenario = EmergencyScenario(world)
    opened = scenario.press_alert(scenario.sticker(contact()), HERE)
    with world.parts.database.writing() as tx:
        tx.orm.execute(update(Emergency).values(staff_at=world.clock.now()))
    return int(opened.json()["data"]["id"])


def error_code(person: Person, path: str) -> str:
    answer = person.get(path)
    assert answer.status_code == 403, answer.text
    return str(answer.json()["errors"][0]["code"])


@pytest.mark.parametrize("role", ROLES)
def test_emergencies_that_wait_for_staff_stay_closed(world: World, role: Role) -> None:
    staff, emergency = world.somebody_with(role), given_to_staff(world)
    assert staff.get("/v2/emergencies").json()["data"] == []
    assert error_code(staff, f"/v2/emergencies/{emergency}") == "falta_segundo_factor"
    patched = world.client.patch(f"/v2/emergencies/{emergency}", json={"state": "resolved"}, headers=staff.headers)
    assert patched.json()["errors"][0]["code"] == "falta_segundo_factor"
    user = logged_in(world, staff)
    for page in (f"/app/emergencias/{emergency}", f"/admin/emergencias/{emergency}", "/admin"):
        assert user.get(page).headers["location"] == SECOND_FACTOR_PAGE, page
    assert world.somebody_with(Role.OWNER).get(f"/v2/emergencies/{emergency}").status_code == 404

    give_factor(world, staff)
    assert [each["id"] for each in staff.get("/v2/emergencies").json()["data"]] == [emergency]
    assert "10.48801" in staff.get(f"/v2/emergencies/{emergency}").text
    assert user.get(f"/admin/emergencias/{emergency}").status_code == 200


@pytest.mark.parametrize("role", ROLES)
def test_conversations_and_messages_stay_closed(world: World, role: Role) -> None:
    staff, owner = world.somebody_with(role), world.somebody_with(Role.OWNER)
    _ = world.platform
    for path in (LABELS, "/v2/whatsapp/messages/1", "/v2/projects"):
        assert error_code(staff, path) == "falta_segundo_factor", path
        assert error_code(owner, path) == "sin_permiso", path
    give_factor(world, staff)
    assert staff.get(LABELS).status_code == 200
    assert staff.get("/v2/whatsapp/messages/1").status_code == 404


def test_what_is_for_administrators_is_refused_to_staff_for_their_role(world: World) -> None:
    """A second factor would not help them."""
    staff, admin = world.somebody_with(Role.STAFF), world.somebody_with(Role.ADMIN)
    for path in ("/v2/codes", "/metrics"):
        assert error_code(staff, path) == "sin_permiso"
        assert error_code(admin, path) == "falta_segundo_factor"
    assert logged_in(world, staff).get("/admin/codigos").status_code == 404
    give_factor(world, admin)
    assert admin.get("/metrics").status_code == 200


@pytest.fixture
def server(world: World) -> Iterator[StreamServer]:
    with open_stream_server(world, StreamRules(beat_seconds=0.1)) as server:
        yield server


def test_events_for_staff_begin_and_end_with_the_second_factor(server: StreamServer) -> None:
    world = server.world
    staff = world.somebody_with(Role.STAFF)
    with server.listen(staff) as listener:
        server.publish(n=1, staff=True)
        server.publish(staff, n=2)
        listener.wait_for_events(1)
        assert listener.numbers == [2]
        give_factor(world, staff)
        listener.wait_until(lambda: listener.is_over)
    with server.listen(staff) as listener:
        server.publish(n=3, staff=True)
        listener.wait_for_events(1)
        assert listener.numbers == [3]
        take_factor(world, staff)
        listener.wait_until(lambda: listener.is_over)
