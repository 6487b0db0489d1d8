"""The control operations: chats, statuses, reset, and who may use them."""

import threading
from typing import Any

import pytest

from tests.sandbox.whatsapp.conftest import ANA, ANA_ID, USERNAME, Business, body_text, template


def state(business: Business, **query: Any) -> dict[str, Any]:
    found: dict[str, Any] = business.control.get("/state", params=query).json()
    return found


def test_a_chat_has_the_messages_of_both_sides_with_their_statuses(business: Business) -> None:
    business.receive(type="text", text="Hola", name="Ana Pérez")
    business.clock.move(seconds=1)
    business.send({"type": "location", "location": {"latitude": 10.5, "longitude": -66.9, "name": "Plaza"}})
    business.wait_until_idle()
    [chat] = state(business)["chats"]
    assert chat["user"] == {
        "wa_id": ANA_ID,
        "user_id": business.sandbox.whatsapp.people.with_id(ANA).user_id,
        "name": "Ana Pérez",
        "username": None,
    }
    assert chat["window_open"] and chat["window_open_until"].startswith("2026-11-16") and chat["stopped"] is False
    theirs, ours = chat["messages"]
    assert (theirs["direction"], theirs["text"], theirs["statuses"]) == ("in", "Hola", [])
    assert (ours["direction"], ours["type"], ours["text"]) == ("out", "location", "Plaza")
    assert ours["location"] == {"lat": 10.5, "lng": -66.9, "name": "Plaza", "address": None}
    assert [each["status"] for each in ours["statuses"]] == ["sent", "delivered"]
    assert ours["raw"]["location"]["name"] == "Plaza"


def test_the_version_grows_and_can_be_waited_for(business: Business) -> None:
    before = state(business)["version"]
    assert state(business, since=before) == {"version": before, "changed": False}
    states: list[dict[str, Any]] = []
    waiting = threading.Thread(target=lambda: states.append(state(business, since=before, wait=20)))
    waiting.start()
    business.sandbox.receive(from_=ANA, type="text", text="Hola")
    waiting.join(60)
    assert states[0]["changed"] and states[0]["version"] > before
    assert states[0]["chats"][0]["messages"][0]["text"] == "Hola"


def test_opening_the_chat_reads_everything_that_arrived(business: Business) -> None:
    business.receive(type="text", text="Hola")
    first, second = business.send_text("Uno"), business.send_text("Dos")
    failed = business.send_text("Tres", recipient_identity_key_hash="otra")
    business.wait_until_idle()
    assert business.control.post("/read", json={"user": ANA}).json() == {"read": 2}
    business.wait_until_idle()
    assert business.statuses_of(first) == business.statuses_of(second) == ["sent", "delivered", "read"]
    assert business.statuses_of(failed) == ["failed"]
    assert business.control.post("/read", json={"user": {"wa_id": ANA_ID}}).json() == {"read": 0}


def test_a_status_can_be_set_by_hand(business: Business) -> None:
    business.change_behaviour(statuses="none")
    wamid = business.send(template("mensaje_pendiente", body_text("x")))
    for status in ("sent", "played", "failed"):
        body = {"id": wamid, "status": status, "error_code": 131026 if status == "failed" else None}
        assert business.control.post("/statuses", json=body).status_code == 200
    business.wait_until_idle()
    assert business.statuses_of(wamid) == ["sent", "played", "failed"]
    assert business.receiver.statuses[-1]["errors"][0]["code"] == 131026
    bad: list[dict[str, Any]] = [
        {"id": "x"},
        {"id": wamid, "status": "lost"},
        {"id": wamid, "status": "failed", "error_code": 7},
    ]
    assert [business.control.post("/statuses", json=each).status_code for each in bad] == [404, 400, 400]


def test_starting_over_forgets_everything_but_the_version(business: Business) -> None:
    business.receive(type="text", text="Hola")
    business.send_text()
    business.set_faults({"action": "error", "code": 2})
    business.change_behaviour(statuses="none")
    before = state(business)["version"]
    assert business.control.post("/reset").json()["version"] > before
    after = state(business)
    assert after["chats"] == [] and after["version"] > before and after["pending"] == 0
    assert business.control.get("/log").json() == business.accepted() == business.control.get("/faults").json() == []
    assert business.control.get("/behaviour").json()["statuses"] == "normal"


@pytest.mark.parametrize("change", [{"estados": 1}, {"statuses": "sideways"}, {"per_second": "many"}, {"fails": 3}])
def test_the_platform_cannot_behave_in_ways_it_does_not_know(business: Business, change: dict[str, Any]) -> None:
    answer = business.control.put("/behaviour", json=change)
    assert answer.status_code == 400 and next(iter(change)) in answer.json()["error"]


def test_pages_of_other_machines_are_kept_out(business: Business) -> None:
    """Neither a page elsewhere nor a name that was made to point here may drive the sandbox."""
    for headers in ({"Origin": "https://ejemplo.com"}, {"Host": "ejemplo.com"}, {"Origin": "null"}):
        assert business.control.post("/reset", headers=headers).status_code == 403
    page = {"Origin": "http://127.0.0.1:8000"}
    asked = business.control.options("/messages", headers=page)
    assert asked.status_code == 204 and asked.headers["access-control-allow-origin"] == page["Origin"]
    assert business.control.get("/state", headers=page).headers["access-control-allow-origin"] == page["Origin"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nada", 404),
        ("DELETE", "/state", 404),
        ("GET", "/media/1", 404),
        ("POST", "/statuses", 404),
        ("POST", "/read", 400),
        ("POST", "/people", 400),
        ("PUT", "/faults", 400),
    ],
)
def test_what_is_not_understood_is_refused_with_a_sentence(
    business: Business, method: str, path: str, status: int
) -> None:
    answer = business.control.request(method, path)
    assert answer.status_code == status and answer.json()["error"]
    assert business.control.post("/clock", json={"advance_seconds": "x"}).status_code == 400
    assert business.control.post("/messages", content=b"[]").status_code == 400


def test_a_person_without_a_number_has_a_chat_too(business: Business) -> None:
    business.receive(from_=USERNAME, type="text", text="Hola")
    [chat] = state(business)["chats"]
    assert chat["user"]["wa_id"] is None and chat["user"]["user_id"] == USERNAME


def test_someone_without_messages_has_no_chat(business: Business) -> None:
    business.change_behaviour(allowed=["+584125550102"])
    assert business.post({"text": {"body": "x"}}).status_code == 400
    assert state(business)["chats"] == []


def test_the_newest_chat_comes_first(business: Business) -> None:
    for minute, person in enumerate(("+584125550101", "+584125550102", "+584125550103")):
        business.clock.move(minutes=minute)
        business.receive(from_=person, type="text", text="Hola")
    assert [chat["user"]["wa_id"][-1] for chat in state(business)["chats"]] == ["3", "2", "1"]
