"""The sandbox against the platform's published contract. Skipped where that document is not at hand."""

from typing import Any

import pytest

from tests import local_http
from tests.sandbox.whatsapp.conftest import ANA, Business, body_text, template
from tests.sandbox.whatsapp.contract import ABSENT, Broken, Contract
from tests.sandbox.whatsapp.published import PATHS
from tests.sandbox.whatsapp.test_media import upload
from tests.sandbox.whatsapp.test_uploads import PICTURE, add, begin

CONTRACT = Contract.load()
pytestmark = pytest.mark.skipif(CONTRACT is None, reason=ABSENT)
EXAMPLES = dict(CONTRACT.send_examples()) if CONTRACT else {}
NOTIFICATIONS = dict(CONTRACT.webhook_examples()) if CONTRACT else {}

# Why an example of the contract is refused: it names what exists in nobody's account.
REASONS = {
    132001: "template",
    100: "media attachment ID",
    131009: "Message ID is invalid",
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_is_accepted_or_refused_for_a_reason(business: Business, contract: Contract, name: str) -> None:
    business.receive(from_="+16505551234", type="text", text="Hola")
    message = EXAMPLES[name]
    path = f"/{business.number}/messages"
    contract.check_request("POST", f"/v23.0{path}", message)
    answer = business.client.post(path, json=message)
    if answer.status_code == 200:
        business.wait_until_idle()
        assert [each["status"] for each in business.receiver.statuses] == ["sent", "delivered"]
        return
    error = answer.json()["error"]
    said = error["message"] + error.get("error_data", {}).get("details", "")
    assert REASONS[error["code"]] in said
    # An id that nobody has, a message nobody wrote, a template nobody made.
    kind = message.get("type", "")
    assert "status" in message or kind in ("reaction", "template") or "id" in message[kind]


def test_most_examples_are_accepted(business: Business) -> None:
    business.receive(from_="+16505551234", type="text", text="Hola")
    path = f"/{business.number}/messages"
    accepted = [name for name, each in EXAMPLES.items() if business.client.post(path, json=each).status_code == 200]
    assert {"Send Test Message", "Send Template With Named Parameters", "Send Location Request"} <= set(accepted)
    assert len(accepted) > len(EXAMPLES) / 2


@pytest.mark.parametrize("name", NOTIFICATIONS)
def test_every_notification_of_the_contract_can_be_sent(business: Business, name: str) -> None:
    business.control.post("/messages/raw", json={"body": NOTIFICATIONS[name]})
    business.wait_until_idle()
    [notification] = business.receiver.notifications
    assert notification.json == NOTIFICATIONS[name] and notification.is_signed_with(business.config.app_secret)


class Asked:
    """The client checks each answer against its schema; this notes which operations were asked."""

    def __init__(self, business: Business, contract: Contract) -> None:
        self._client, self._contract = business.client, contract
        self.seen: set[tuple[str, str]] = set()

    def __call__(self, method: str, path: str, **more: Any) -> Any:
        answer = self._client.request(method, path, **more)
        assert answer.status_code == 200, answer.text
        self.seen.add((method, self._contract.path_of(method, answer.request.url.path, answer.json())))
        return answer.json()


def test_every_operation_of_the_contract_is_served(business: Business, contract: Contract) -> None:
    config, ask = business.config, Asked(business, contract)
    seen = ask.seen
    number, new, account = business.number, config.new_phone_number_id, config.business_id
    business.client.event_hooks["response"].append(
        lambda answer: seen.add(
            (answer.request.method, contract.path_of(answer.request.method, answer.request.url.path))
        )
    )
    media_id = upload(business)
    ask("GET", f"/{media_id}")
    business.client.delete(f"/{media_id}")
    seen.add(("DELETE", "/{Version}/{Media-ID}"))
    ask("POST", f"/{number}/messages", json={"messaging_product": "whatsapp", "to": ANA, "text": {"body": "x"}})
    ask("GET", f"/{number}")
    ask("POST", f"/{number}", json={"pin": "123456"})
    ask("POST", f"/{new}/request_code", json={"code_method": "SMS", "language": "es"})
    code = business.sandbox.whatsapp.numbers[new].code
    ask("POST", f"/{new}/verify_code", json={"code": code})
    ask("POST", f"/{new}/register", json={"messaging_product": "whatsapp", "pin": "123456"})
    ask("POST", f"/{new}/deregister")
    ask("GET", f"/{number}/whatsapp_business_profile")
    ask("POST", f"/{number}/whatsapp_business_profile", json={"messaging_product": "whatsapp", "about": "Hola"})
    for method in ("GET", "POST", "DELETE"):
        ask(method, f"/{account}/subscribed_apps")
    ask("GET", f"/{account}/phone_numbers")
    ask("GET", f"/{account}/message_templates")
    body = [{"type": "BODY", "text": "x"}]
    ask(
        "POST",
        f"/{account}/message_templates",
        json={"name": "a", "language": "es", "category": "UTILITY", "components": body},
    )
    ask("DELETE", f"/{account}/message_templates", params={"name": "a"})
    session = begin(business)
    ask("GET", f"/{session}")
    add(business, session, PICTURE, 0)
    app = {"client_id": config.app_id, "client_secret": config.app_secret, "grant_type": "client_credentials"}
    ask("GET", "/oauth/access_token", params=app)
    ask("GET", "/debug_token", params={"input_token": config.token})
    ask("GET", "/me")
    assert {each for each in contract.operations() if each[1] not in PATHS} - seen == set()


def test_every_operation_on_flows_groups_and_the_catalogue_is_served(business: Business, contract: Contract) -> None:
    number, account, ask = business.number, business.config.business_id, Asked(business, contract)
    ours = {"messaging_product": "whatsapp"}
    ask("GET", f"/{number}/whatsapp_commerce_settings")
    ask("POST", f"/{number}/whatsapp_commerce_settings", params={"is_cart_enabled": "false"})
    flow = ask("POST", f"/{account}/flows", json={"name": "a", "categories": ["OTHER"]})["id"]
    ask("GET", f"/{account}/flows")
    ask("GET", f"/{flow}")
    ask("POST", f"/{flow}", data={"name": "b"})
    ask.seen.add(("POST", "/{Version}/{Flow-ID}"))  # Its answer does not tell it from that of a number.
    file = {"file": ("flow.json", b'{"version": "7.0", "screens": [{"id": "A", "layout": {}}]}', "application/json")}
    ask("POST", f"/{flow}/assets", data={"name": "flow.json", "asset_type": "FLOW_JSON"}, files=file)
    ask("GET", f"/{flow}/assets")
    draft = ask("POST", f"/{account}/flows", data={"name": "c", "clone_flow_id": flow})["id"]
    ask("DELETE", f"/{draft}")
    ask.seen.add(("DELETE", "/{Version}/{Flow-ID}"))  # Nor from that of a file.
    ask("POST", f"/{flow}/publish")
    ask("POST", f"/{flow}/deprecate")
    ask("POST", f"/{number}/groups", json=ours | {"subject": "a", "join_approval_mode": "approval_required"})
    [group] = [each["id"] for each in ask("GET", f"/{number}/groups")["data"]["groups"]]
    ask("GET", f"/{group}")
    ask("POST", f"/{group}", json=ours | {"subject": "b"})
    link = ask("POST", f"/{group}/invite_link", json=ours)["invite_link"]
    for method in ("DELETE", "POST"):
        business.control.post("/groups/join", json={"invite_link": link, "user": ANA})
        [asked] = [each["join_request_id"] for each in ask("GET", f"/{group}/join_requests")["data"]]
        ask(method, f"/{group}/join_requests", json=ours | {"join_requests": [asked]})
        ask(method, f"/{group}/participants", json=ours | {"participants": [{"user": ANA}]})
    ask("DELETE", f"/{group}/invite_link", json=ours)
    ask("DELETE", f"/{group}")
    # There is no second account to copy from.
    left_out = {("POST", "/{Version}/{WABA-ID}/migrate_flows")}
    assert {each for each in contract.operations() if each[1] in PATHS} - ask.seen == left_out


def test_the_contract_finds_what_is_broken(contract: Contract) -> None:
    path = "/v23.0/106540352242922/messages"
    with pytest.raises(Broken):
        contract.check_request("POST", path, {"messaging_product": "whatsapp", "to": ANA, "type": "text", "text": {}})
    with pytest.raises(Broken):
        contract.check_answer("POST", path, 200, {"messaging_product": "whatsapp", "messages": []})
    with pytest.raises(Broken):
        contract.check_answer("POST", path, 400, {"error": {"code": 1}})
    with pytest.raises(Broken):
        contract.check_webhook({"object": "whatsapp_business_account", "entry": [{"changes": []}]})
    good = template("mensaje_pendiente", body_text("x")) | {"messaging_product": "whatsapp", "to": ANA}
    contract.check_request("POST", path, good)


def test_a_real_answer_keeps_the_contract(business: Business, contract: Contract) -> None:
    answer = local_http.get(f"{business.sandbox.url}/v23.0/me")
    contract.check_answer("GET", "/v23.0/me", answer.status_code, answer.json())
