"""The window in which one may write freely, and the limits of how often."""

import pytest

from tests.sandbox.whatsapp.conftest import ANA, Business, body_text, template
from tests.sandbox.whatsapp.test_sending import error_of


def code_of(business: Business, wamid: str) -> int | None:
    [status] = [each for each in business.receiver.statuses if each["id"] == wamid]
    return int(status["errors"][0]["code"]) if status["status"] == "failed" else None


def test_outside_the_window_a_text_is_accepted_and_then_fails(business: Business) -> None:
    wamid = business.send_text("Hola")
    business.wait_until_idle()
    assert code_of(business, wamid) == 131047
    [value] = business.receiver.notifications[0].values
    assert "contacts" not in value
    assert value["statuses"][0]["errors"][0]["error_data"]["details"].startswith("Message failed to send because more")


def test_the_window_opens_when_the_person_writes_and_lasts_a_day(business: Business) -> None:
    business.receive(type="text", text="Hola")
    business.clock.move(hours=23, minutes=59)
    inside = business.send_text()
    business.wait_until_idle()
    # Our own messages and read receipts do not keep it open.
    business.clock.move(minutes=2)
    outside = business.send_text()
    business.wait_until_idle()
    assert business.statuses_of(inside) == ["sent", "delivered"]
    assert business.statuses_of(outside) == ["failed"]
    reminder = business.send(template("mensaje_pendiente", body_text("Escríbanos")))
    business.receive(type="button", text="Hola", payload="x")
    again = business.send_text()
    business.wait_until_idle()
    assert business.statuses_of(reminder) == business.statuses_of(again) == ["sent", "delivered"]


def test_system_messages_do_not_open_it(business: Business) -> None:
    business.receive(type="system")
    wamid = business.send_text()
    business.wait_until_idle()
    assert code_of(business, wamid) == 131047


def test_each_person_has_a_window_of_their_own(business: Business) -> None:
    business.receive(type="text", text="Hola")
    other = business.send_text(to="+584125550102")
    business.wait_until_idle()
    assert code_of(business, other) == 131047


def test_the_clock_can_be_moved_over_http(business: Business) -> None:
    business.receive(type="text", text="Hola")
    business.control.post("/clock", json={"advance_seconds": 86_400})
    wamid = business.send_text()
    business.wait_until_idle()
    assert code_of(business, wamid) == 131047


def test_the_window_may_refuse_at_once(business: Business) -> None:
    business.change_behaviour(window_refuses_at_once=True)
    answer = business.post({"text": {"body": "Hola"}})
    assert (answer.status_code, error_of(answer)["code"]) == (400, 131047)
    assert business.accepted() == []


def test_a_message_to_someone_without_whatsapp_fails_later(business: Business) -> None:
    business.change_behaviour(fails={ANA: 131026, "16505550000": 130472})
    wamid = business.send(template("mensaje_pendiente", body_text("x")))
    other = business.send(template("mensaje_pendiente", body_text("x")) | {"to": "+1 650 555 0000"})
    business.wait_until_idle()
    assert (code_of(business, wamid), code_of(business, other)) == (131026, 130472)


def test_someone_may_be_refused_at_once(business: Business) -> None:
    business.change_behaviour(refuses={ANA: 131049})
    assert error_of(business.post({"text": {"body": "x"}}))["code"] == 131049
    assert business.post({"to": "+584125550102", "text": {"body": "x"}}).status_code == 200


def test_a_test_number_writes_only_to_its_list(business: Business) -> None:
    business.change_behaviour(allowed=["+58 412 555 0101"])
    assert business.post({"text": {"body": "x"}}).status_code == 200
    answer = business.post({"to": "+584125550102", "text": {"body": "x"}})
    assert (answer.status_code, error_of(answer)["code"]) == (400, 131030)
    assert error_of(answer)["message"] == "(#131030) Recipient phone number not in allowed list"


def test_the_pair_limit_lets_a_burst_through_and_then_one_in_six_seconds(business: Business) -> None:
    business.change_behaviour(per_second=None, statuses="none")
    for _ in range(45):
        business.send_text()
    answer = business.post({"text": {"body": "x"}})
    assert (answer.status_code, error_of(answer)["code"]) == (400, 131056)
    # Somebody else is not concerned.
    assert business.post({"to": "+584125550102", "text": {"body": "x"}}).status_code == 200
    business.clock.move(seconds=5)
    assert error_of(business.post({"text": {"body": "x"}}))["code"] == 131056
    business.clock.move(seconds=1.5)
    business.send_text()
    assert error_of(business.post({"text": {"body": "x"}}))["code"] == 131056
    business.clock.move(minutes=2)
    for _ in range(20):
        business.send_text()
    business.change_behaviour(pair_burst=None)
    business.send_text()


@pytest.mark.parametrize("status", [400, 429])
def test_a_number_sends_only_so_many_in_a_second(business: Business, status: int) -> None:
    business.change_behaviour(per_second=3, limit_status=status, statuses="none")
    answers = [business.post({"to": f"+58412555{n:04d}", "text": {"body": "x"}}) for n in range(40)]
    refused = [each for each in answers if each.status_code != 200]
    assert len(refused) > 10
    assert {(each.status_code, error_of(each)["code"]) for each in refused} == {(status, 130429)}
    assert len(business.accepted()) == 40 - len(refused)


def test_management_calls_are_counted_by_the_hour(business: Business) -> None:
    business.change_behaviour(management_per_hour=2)
    path = f"/{business.config.business_id}/phone_numbers"
    first, _, third = (business.client.get(path) for _ in range(3))
    assert first.headers["x-app-usage"] == '{"call_count": 50, "total_cputime": 1, "total_time": 1}'
    assert (third.status_code, error_of(third)["code"]) == (400, 80007)
    assert '"estimated_time_to_regain_access": 60' in third.headers["x-business-use-case-usage"]
    # Messages are not management.
    assert business.post({"text": {"body": "x"}}).status_code == 200
    business.clock.move(minutes=61)
    assert business.client.get(path).status_code == 200
