"""Staff and institutions register addresses; each is told, signed and in order, what it may see: nothing clinical."""

import json
import re
import socket
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text

from ficha.accounts.accounts import Role
from ficha.administration.admin_changes import AdminChange
from ficha.events.kinds import EVENT_KINDS
from ficha.events.publish import publish
from ficha.webhooks.deliveries import LEASE, TRIED_FOR, DeliveryState, WebhookDelivery, claim_due
from ficha.webhooks.webhooks import MOST_OF_ONE, WEBHOOK_KINDS, Webhook
from ficha.worker import prune
from tests.api.administration.institutions import Site, new_institution
from tests.web.portal.page_session import logged_in
from tests.webhooks.conftest import Pupil
from tests.webhooks.receiver import EMERGENCIES, Receiver, deliver, register
from tests.world import Person, World, build_world, settings_for

ALL_OF_AN_INSTITUTION = ["emergency.changed", "emergency.opened", "record.changed"]
DOCUMENT = Path(__file__).parents[2] / "docs" / "webhooks.md"


def happen(world: World, number: int, record: int = 7, kind: str = "emergency.opened") -> None:
    """An event for staff, as an emergency of this number makes one."""
    with world.parts.database.writing() as tx:
        payload = {"id": number, "fmd_code": record, "state": "open", "simulacro": False, "staff": False}
        publish(tx, kind, payload, world.clock.now(), staff=True)


def deliveries(person: Person, path: str, **query: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = person.get(f"{path}/deliveries", params=query).json()["data"]
    return found


def states(person: Person, path: str) -> list[str]:
    """The oldest first."""
    return [each["attributes"]["state"] for each in reversed(deliveries(person, path))]


def test_staff_is_told_of_an_emergency_signed_and_without_anything_clinical(
    world: World, staff: Person, receiver: Receiver, pupil: Pupil
) -> None:
    pupil.change(52)
    path, secret = register(staff, receiver.url)
    emergency = pupil.alert()
    deliver(world)
    [call] = receiver.calls
    assert call.is_signed_with(secret) and not call.is_signed_with("whsec_other")
    told = call.told
    moment = told.pop("at")
    assert told.pop("id") > 0 and moment.endswith("+00:00")
    about = {"type": "emergency", "id": emergency}
    assert told == {"kind": "emergency.opened", "record": str(pupil.record_id), "about": about}
    deliver(world, timedelta(minutes=5))
    assert len(receiver.calls) == 1
    [shown] = deliveries(staff, path)
    assert (shown["attributes"]["state"], shown["attributes"]["status"], shown["attributes"]["attempts"]) == (
        "delivered",
        200,
        1,
    )


def test_an_institution_is_told_once_what_it_may_see_and_no_other_is(
    world: World, school: Site, receiver: Receiver, pupil: Pupil
) -> None:
    other = new_institution(world, "otro-colegio")
    register(school.service, receiver.url, ALL_OF_AN_INSTITUTION)
    register(other.service, receiver.url, ALL_OF_AN_INSTITUTION)
    stranger = world.register()
    assert stranger.post("/v2/emergencies", {"code": stranger.data["attributes"]["product_codes"][0]}).is_success
    pupil.change(52)
    emergency = pupil.alert()
    with world.parts.database.writing() as tx:  # A drill: its owner alone is told.
        drill = {"id": 9, "fmd_code": pupil.record_id, "simulacro": True}
        publish(tx, "emergency.opened", drill, world.clock.now(), accounts=[pupil.guardian.id])
    for _ in range(3):
        deliver(world)
    assert [(told["kind"], told["record"], told["about"]) for told in receiver.told()] == [
        ("record.changed", pupil.code, None),
        ("emergency.opened", pupil.code, {"type": "emergency", "id": emergency}),
    ]
    assert not any(word in receiver.calls[0].body for word in (b"peso", b"52", b"cuerpo", b"account"))


def test_a_withdrawn_consent_ends_at_the_next_delivery(
    world: World, school: Site, receiver: Receiver, pupil: Pupil
) -> None:
    path, _ = register(school.service, receiver.url, ALL_OF_AN_INSTITUTION)
    receiver.statuses = [500]
    pupil.change(50)
    deliver(world)
    assert len(receiver.calls) == 1 and states(school.service, path) == ["pending"]
    pupil.decide(sees=False)
    assert deliveries(school.service, path) == []
    pupil.change(51)
    deliver(world, timedelta(minutes=10))
    assert len(receiver.calls) == 1
    pupil.decide(sees=True)
    pupil.change(52)
    deliver(world, timedelta(minutes=10))
    assert [told["kind"] for told in receiver.told()[1:]] == ["record.changed"]


def test_a_closed_institution_is_told_nothing(world: World, school: Site, receiver: Receiver, pupil: Pupil) -> None:
    register(school.service, receiver.url, ["record.changed"])
    pupil.change(50)
    with world.parts.database.writing() as tx:
        tx.orm.execute(text("UPDATE institutions SET is_active = false"))
    deliver(world)
    assert receiver.calls == []


def test_a_later_event_of_a_record_waits_for_the_earlier_one(world: World, staff: Person, receiver: Receiver) -> None:
    register(staff, receiver.url)
    receiver.statuses = [503]
    happen(world, 1)
    deliver(world)
    happen(world, 2)
    happen(world, 3)
    happen(world, 4, record=8)
    deliver(world)
    assert [told["about"]["id"] for told in receiver.told()] == [1, 4]
    deliver(world, timedelta(minutes=1))
    assert [told["about"]["id"] for told in receiver.told()] == [1, 4, 1, 2, 3]
    first, second = receiver.calls[0], receiver.calls[2]
    assert first.body == second.body, "a receiver knows it by its id"


def stored(world: World) -> list[WebhookDelivery]:
    """The oldest first, however late it is: the clock may have ended every token."""
    with world.parts.database.reading() as tx:
        return list(tx.orm.scalars(select(WebhookDelivery).order_by(WebhookDelivery.id)))


def test_it_is_tried_with_growing_pauses_for_three_days_then_given_up_and_can_be_replayed(
    world: World, staff: Person, receiver: Receiver
) -> None:
    path, _ = register(staff, receiver.url)
    receiver.statuses = [500] * 100
    happen(world, 1)
    deliver(world)
    happen(world, 2)
    moments = [world.clock.now()]
    while (first := stored(world)[0]).state == DeliveryState.PENDING:
        with world.parts.database.reading() as tx:
            rests_until = tx.orm.scalars(select(Webhook.rests_until)).one()
        deliver(world, max(first.next_at, rests_until or first.next_at) - world.clock.now())
        moments.append(world.clock.now())
        assert len(receiver.calls) == len(moments)
    assert {told["about"]["id"] for told in receiver.told()} == {1}, "the later one waits for it"
    pauses = [later - earlier for earlier, later in pairwise(moments)]
    assert pauses[0] <= timedelta(seconds=30) and timedelta(hours=4) < max(pauses) <= timedelta(hours=6)
    # The whole address may rest for ten minutes when the last call is due.
    assert TRIED_FOR <= moments[-1] - moments[0] <= TRIED_FOR + timedelta(minutes=10) and 12 < len(moments) < 40
    receiver.statuses = []
    deliver(world, timedelta(hours=1))
    assert [each.state for each in stored(world)] == ["given_up", "delivered"]
    late = world.somebody_with(Role.STAFF)
    again = late.post(f"{path}/deliveries/{first.id}/replay")
    assert (again.status_code, again.json()["data"]["attributes"]["state"]) == (202, "pending")
    deliver(world)
    assert states(late, path) == ["delivered", "delivered"] and receiver.calls[-1].body == receiver.calls[0].body
    assert late.post(f"{path}/deliveries/999/replay").status_code == 404
    world.clock.move(days=20)
    prune(world.parts)
    assert stored(world) == []


def test_what_waits_behind_a_receiver_that_is_gone_is_given_up_too(world: World, staff: Person) -> None:
    path, _ = register(staff, "http://127.0.0.1:9/gone")
    happen(world, 1)
    deliver(world)
    happen(world, 2)
    deliver(world)
    world.clock.move(days=3, minutes=1)
    prune(world.parts)
    assert states(world.somebody_with(Role.STAFF), path) == ["given_up", "given_up"]


def test_a_secret_rotates_with_a_day_of_overlap_and_is_told_once(
    world: World, staff: Person, receiver: Receiver
) -> None:
    path, old = register(staff, receiver.url)
    rotated = staff.post(f"{path}/secret")
    assert rotated.status_code == 201
    new = rotated.json()["data"]["attributes"]["secret"]
    assert staff.get(path).json()["data"]["attributes"]["secret"] is None
    happen(world, 1)
    deliver(world, timedelta(hours=23))
    [both] = receiver.calls
    assert both.is_signed_with(old) and both.is_signed_with(new)
    assert re.fullmatch(r"t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}", both.headers["Ficha-Signature"])
    happen(world, 2)
    deliver(world, timedelta(hours=2))
    assert receiver.calls[1].is_signed_with(new) and not receiver.calls[1].is_signed_with(old)
    with world.parts.database.reading() as tx:
        stored = tx.orm.scalars(select(Webhook)).one()
        assert new.encode() not in stored.sealed_secret and old.encode() not in (stored.sealed_before or b"")
        log = [(each.action, json.dumps(each.after)) for each in tx.orm.scalars(select(AdminChange))]
    assert [action for action, _ in log] == ["registered", "secret_rotated"] and "whsec" not in str(log)


def test_the_example_of_the_document_checks_a_signature(world: World, staff: Person, receiver: Receiver) -> None:
    page = DOCUMENT.read_text()
    assert all(f"`{kind}`" in page for kind in WEBHOOK_KINDS) and set(WEBHOOK_KINDS) <= set(EVENT_KINDS)
    shown = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    assert shown is not None
    names: dict[str, Any] = {}
    exec(shown.group(1), names)
    _, secret = register(staff, receiver.url)
    happen(world, 1)
    deliver(world)
    [call] = receiver.calls
    now, header = world.clock.now().timestamp(), call.headers["Ficha-Signature"]
    assert names["is_from_ficha"](secret, header, call.body, now)
    assert not names["is_from_ficha"](secret, header, call.body + b" ", now)
    assert not names["is_from_ficha"](secret, header, call.body, now + 3600)
    assert not names["is_from_ficha"]("whsec_other", header, call.body, now)


PRIVATE = [
    "https://127.0.0.1/x",
    "https://localhost/x",
    "https://10.0.0.7/x",
    "https://169.254.169.254/latest/meta-data",
    "https://[::1]/x",
    "https://[::ffff:10.0.0.1]/x",
    "http://93.184.215.14/x",
    "ftp://93.184.215.14/x",
    "https://user:pass@93.184.215.14/x",
    "https://93.184.215.14/x#y",
    "https://93.184.215.14:99999/x",
    "https:///x",
    "not an address",
]


def test_private_addresses_are_refused_at_registration_and_at_each_call(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = build_world(settings_for(database_url, tmp_path / "data"))
    staff = world.somebody_with(Role.STAFF)
    for url in PRIVATE:
        answer = staff.post("/v2/webhooks", {"url": url, "kinds": EMERGENCIES})
        assert answer.status_code == 422, url
        assert answer.json()["errors"][0]["code"] == "direccion_no_permitida", url
    answers = ["93.184.215.14", "10.0.0.7"]

    def resolve(host: str, port: int, **_more: object) -> list[Any]:
        assert host == "integrador.example"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in answers]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    body = {"url": "https://integrador.example/x", "kinds": EMERGENCIES}
    assert staff.post("/v2/webhooks", body).status_code == 422, "one of its addresses is private"
    answers.pop()
    path, _ = register(staff, "https://integrador.example/x")
    answers[:] = ["127.0.0.1"]
    happen(world, 1)
    deliver(world)
    [shown] = deliveries(staff, path)
    assert (shown["attributes"]["state"], shown["attributes"]["fault"]) == ("pending", "private_address")
    world.close()


def test_it_is_switched_changed_and_deleted_by_its_own_people_only(
    world: World, staff: Person, school: Site, receiver: Receiver
) -> None:
    path, _ = register(staff, receiver.url)
    theirs, _ = register(school.service, receiver.url)
    for mine, other in ((staff, theirs), (school.service, path)):
        assert mine.get(other).status_code == 404 and mine.delete(other).status_code == 404
        assert len(mine.get("/v2/webhooks").json()["data"]) == 1
    for who, kind in ((staff, "record.changed"), (school.service, "message.received"), (staff, "access.opened")):
        refused = who.post("/v2/webhooks", {"url": receiver.url, "kinds": [kind]})
        assert (refused.status_code, refused.json()["errors"][0]["code"]) == (422, "tipo_de_evento_no_permitido")

    def patch(body: dict[str, Any]) -> int:
        return staff.client.patch(path, json=body, headers=staff.headers).status_code

    assert patch({"active": False}) == 200
    happen(world, 1)
    deliver(world)
    assert patch({"active": True, "kinds": ["emergency.changed"]}) == 200
    happen(world, 2)
    happen(world, 3, kind="emergency.changed")
    deliver(world)
    assert [told["about"]["id"] for told in receiver.told()] == [3]
    assert patch({"kinds": ["record.changed"]}) == 422 and patch({"url": "https://x.example"}) == 422
    happen(world, 4, kind="emergency.changed")
    assert staff.delete(path).json()["data"] == {"deleted": True}
    deliver(world)
    assert len(receiver.calls) == 1 and staff.get(path).status_code == 404
    with world.parts.database.reading() as tx:
        assert tx.orm.scalars(select(WebhookDelivery)).all() == []
    for _ in range(MOST_OF_ONE):
        register(staff, receiver.url)
    assert staff.post("/v2/webhooks", {"url": receiver.url, "kinds": EMERGENCIES}).status_code == 409


def test_what_was_taken_by_a_process_that_died_is_told_later(world: World, staff: Person, receiver: Receiver) -> None:
    register(staff, "http://127.0.0.1:9/gone")
    happen(world, 1)
    deliver(world)
    world.clock.move(minutes=1)
    with world.parts.database.writing() as tx:
        hook = tx.orm.scalars(select(Webhook)).one()
        assert len(claim_due(tx, hook, 2)) == 1
        hook.url = receiver.url
    deliver(world, LEASE - timedelta(seconds=1))
    assert receiver.calls == []
    deliver(world, timedelta(seconds=1))
    assert len(receiver.calls) == 1


def test_an_erased_record_leaves_no_delivery(world: World, school: Site, receiver: Receiver, pupil: Pupil) -> None:
    path, _ = register(school.service, receiver.url, ["record.changed"])
    pupil.change(50)
    deliver(world)
    assert len(deliveries(school.service, path)) == 1
    erased = pupil.guardian.delete(f"/v2/fmd/{pupil.code}", {"clave": pupil.guardian.body["clave"]})
    assert erased.status_code == 200, erased.text
    with world.parts.database.reading() as tx:
        assert tx.orm.scalars(select(WebhookDelivery)).all() == []


def test_the_console_shows_addresses_deliveries_and_answers(world: World, school: Site, receiver: Receiver) -> None:
    staff = world.somebody_with(Role.STAFF)
    admin, reader = logged_in(world, world.somebody_with(Role.ADMIN)), logged_in(world, staff)
    receiver.statuses = [503]
    path, secret = register(staff, f"{receiver.url}?llave=zanahoria")
    register(school.service, "http://127.0.0.1:9/colegio")
    happen(world, 1)
    deliver(world)
    listed = reader.get("/admin/webhooks?l=en").text
    assert receiver.url in listed and "Colegio San Luis" in listed and "Our staff" in listed
    page = reader.get("/admin/webhooks/1?l=en").text
    assert "503" in page and "emergency.opened" in page and "Waiting" in page and "Replay" not in page
    assert "zanahoria" not in listed + page and secret not in page
    assert "Replay" in admin.get("/admin/webhooks/1?l=en").text
    assert reader.submit("/admin/webhooks/1", repetir="1").status_code == 404
    assert admin.submit("/admin/webhooks/1", repetir="1").headers["location"] == "/admin/webhooks/1?hecho=replayed"
    deliver(world)
    assert states(staff, path) == ["delivered"]
    for word, is_active in (("no", False), ("si", True)):
        assert admin.submit("/admin/webhooks/1", activo=word).status_code == 303
        assert staff.get(path).json()["data"]["attributes"]["active"] is is_active
