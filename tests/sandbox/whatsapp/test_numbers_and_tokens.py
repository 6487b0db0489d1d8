"""The business itself: its tokens, its numbers, its account."""

from typing import Any

import httpx
import pytest

from ficha.sandbox.whatsapp.tokens import LONG_LIVED_SECONDS
from tests import local_http
from tests.sandbox.whatsapp.conftest import Business
from tests.sandbox.whatsapp.receiver import Receiver
from tests.sandbox.whatsapp.test_sending import error_of

PROOF = "5e99d60d3ce490c0a8ed1012dfc890bd7a28314643d5e367ed47cb3918c39849"


def as_(business: Business, authorization: str | None) -> httpx.Client:
    headers = {} if authorization is None else {"Authorization": authorization}
    return local_http.client(base_url=business.client.base_url, headers=headers)


@pytest.mark.parametrize(
    ("authorization", "status", "code", "subcode"),
    [
        (None, 401, 104, None),
        ("Bearer", 401, 190, None),
        ("Bearer nada", 401, 190, None),
        ("Basic c2FuZGJveA==", 401, 190, None),
        ("Bearer expired-token", 401, 190, 463),
        ("Bearer revoked-token", 401, 190, 460),
        ("Bearer logged-out-token", 401, 190, 467),
        ("Bearer no-permission-token", 403, 10, None),
    ],
)
def test_each_invalid_token_fails_in_its_own_way(
    business: Business, authorization: str | None, status: int, code: int, subcode: int | None
) -> None:
    with as_(business, authorization) as client:
        answer = client.post(f"/{business.number}/messages", json={"messaging_product": "whatsapp"})
    error = error_of(answer)
    assert (answer.status_code, error["code"], error.get("error_subcode")) == (status, code, subcode)
    assert ("www-authenticate" in answer.headers) == (status == 401)
    assert business.accepted() == []


def test_a_token_without_permission_manages_nothing(business: Business) -> None:
    with as_(business, "Bearer no-permission-token") as client:
        assert error_of(client.get(f"/{business.number}"))["code"] == 200
        assert client.get("/me").status_code == 200


def test_a_token_may_come_as_oauth_or_in_the_query(business: Business) -> None:
    token = business.config.token
    with as_(business, f"OAuth {token}") as client:
        assert client.get(f"/{business.number}").status_code == 200
    with as_(business, None) as client:
        assert client.get(f"/{business.number}", params={"access_token": token}).status_code == 200
        missing = client.get("/me")
        assert (missing.status_code, error_of(missing)["code"]) == (400, 2500)


def test_a_proof_of_the_app_secret_is_checked(business: Business) -> None:
    tokens = business.sandbox.whatsapp.tokens
    tokens.config = type(tokens.config)(app_secret="app-secret-for-tests")
    tokens.check_proof("EAATESTTOKEN", PROOF)
    answer = business.client.get(f"/{business.number}", params={"appsecret_proof": PROOF})
    assert error_of(answer)["message"] == "Invalid appsecret_proof provided in the API argument"


def test_tokens_are_issued_for_codes_and_exchanged(business: Business) -> None:
    config = business.config
    app = {"client_id": config.app_id, "client_secret": config.app_secret}
    path = "/oauth/access_token"
    given = business.client.get(path, params={**app, "code": "sandbox-code", "redirect_uri": "https://e.com"}).json()
    assert given["token_type"] == "bearer" and given["expires_in"] == LONG_LIVED_SECONDS
    with as_(business, f"Bearer {given['access_token']}") as client:
        assert client.get("/me").json()["id"]
        business.clock.move(seconds=LONG_LIVED_SECONDS + 1)
        assert error_of(client.get("/me"))["error_subcode"] == 463
    again = error_of(business.client.get(path, params={**app, "code": "sandbox-code"}))
    assert (again["code"], again["error_subcode"]) == (100, 36009)
    assert error_of(business.client.get(path, params={**app, "code": "otro"}))["error_subcode"] == 36007
    longer = {**app, "grant_type": "fb_exchange_token", "fb_exchange_token": config.token}
    assert "expires_in" in business.client.get(path, params=longer).json()
    own = business.client.get(path, params={**app, "grant_type": "client_credentials"}).json()
    assert own == {"access_token": f"{config.app_id}|{config.app_secret}", "token_type": "bearer"}
    assert error_of(business.client.get(path, params={**app, "client_secret": "otro"}))["code"] == 1
    assert error_of(business.client.get(path, params={**app, "client_id": "1"}))["code"] == 101


def test_a_token_can_be_asked_about(business: Business) -> None:
    config = business.config
    with as_(business, f"Bearer {config.app_id}|{config.app_secret}") as client:
        good = client.get("/debug_token", params={"input_token": config.token}).json()["data"]
        bad = client.get("/debug_token", params={"input_token": "expired-token"}).json()["data"]
        unknown = client.get("/debug_token", params={"input_token": "nada"}).json()["data"]
    assert good["is_valid"] and good["expires_at"] == 0 and len(good["scopes"]) == 2
    assert not bad["is_valid"] and bad["error"]["subcode"] == 463
    assert not unknown["is_valid"] and unknown["error"]["code"] == 190
    assert "input_token" not in str(business.control.get("/log").json())


def test_what_does_not_exist_is_refused_as_the_graph_api_does(business: Business) -> None:
    for method, path in (("GET", "/1"), ("POST", "/1/messages"), ("GET", "/nada"), ("DELETE", "/1"), ("PUT", "/1")):
        answer = business.client.request(method, path, json={})
        error = error_of(answer)
        assert (answer.status_code, error["code"], error["error_subcode"]) == (400, 100, 33)
        assert error["type"] == "GraphMethodException"


def test_a_number_describes_itself(business: Business) -> None:
    about = business.client.get(f"/{business.number}")
    assert about.json()["display_phone_number"] == "+1 555-078-3881" and "status" not in about.json()
    assert about.headers["facebook-api-version"] == "v23.0" and about.headers["x-fb-trace-id"]
    wanted = business.client.get(f"/{business.number}", params={"fields": "id,status,quality_rating,nada"}).json()
    assert wanted == {"id": business.number, "status": "CONNECTED", "quality_rating": "GREEN"}
    numbers = business.client.get(f"/{business.config.business_id}/phone_numbers", params={"limit": 1}).json()
    assert [each["id"] for each in numbers["data"]] == [business.number] and "next" in numbers["paging"]


def test_a_new_number_is_verified_registered_and_used(business: Business) -> None:
    new = business.config.new_phone_number_id

    def post(edge: str, **body: Any) -> httpx.Response:
        return business.client.post(f"/{new}/{edge}", json=body)

    message = {"messaging_product": "whatsapp", "to": "+584125550101", "text": {"body": "x"}}
    assert error_of(post("messages", **message))["code"] == 133010
    pin = {"messaging_product": "whatsapp", "pin": "212834"}
    assert error_of(post("register", **pin))["code"] == 133006
    assert error_of(post("request_code", code_method="PALOMA", language="es"))["code"] == 100
    assert post("request_code", code_method="SMS", language="es").json() == {"success": True}
    code = business.control.get("/state").json()["number"]["codes"][new]
    assert error_of(post("verify_code", code="000000" if code != "000000" else "111111"))["code"] == 100
    business.clock.move(minutes=11)
    assert error_of(post("verify_code", code=code))["code"] == 100
    # As a form this time: the platform takes it either way.
    form = {"code_method": "VOICE", "language": "es"}
    assert business.client.post(f"/{new}/request_code", data=form).json() == {"success": True}
    code = business.control.get("/state").json()["number"]["codes"][new]
    assert post("verify_code", code=code).json() == {"success": True}
    assert error_of(post("verify_code", code=code))["code"] == 100
    assert error_of(post("register", **pin | {"pin": "1"}))["code"] == 100
    assert post("register", **pin).json() == {"success": True}
    assert post("messages", **message).status_code == 200
    assert post("deregister").json() == {"success": True}
    assert error_of(post("register", **pin | {"pin": "000000"}))["code"] == 133005
    assert business.client.post(f"/{new}", json={"pin": "000000"}).json() == {"success": True}
    assert post("register", **pin | {"pin": "000000"}).json() == {"success": True}


def test_codes_and_registrations_run_out(business: Business) -> None:
    new = business.config.new_phone_number_id
    ask = {"code_method": "SMS", "language": "es"}
    codes = [business.client.post(f"/{new}/request_code", json=ask) for _ in range(6)]
    assert error_of(codes[-1])["error_subcode"] == 2388367 and error_of(codes[-1])["message"] == "Request code error"
    pin = {"messaging_product": "whatsapp", "pin": "212834"}
    tries = [business.client.post(f"/{business.number}/register", json=pin) for _ in range(11)]
    assert [each.status_code for each in tries] == [200] * 10 + [400]
    assert error_of(tries[-1])["code"] == 133016


@pytest.mark.parametrize(
    "change", [{"about": "x" * 140}, {"websites": ["a", "b", "c"]}, {"messaging_product": None}, {"description": 5}]
)
def test_a_profile_has_limits(business: Business, change: dict[str, Any]) -> None:
    path = f"/{business.number}/whatsapp_business_profile"
    assert error_of(business.client.post(path, json={"messaging_product": "whatsapp"} | change))["code"] == 100


def test_who_unsubscribes_gets_no_notifications(business: Business) -> None:
    path = f"/{business.config.business_id}/subscribed_apps"
    assert len(business.client.get(path).json()["data"]) == 1
    assert business.client.delete(path).json() == {"success": True}
    assert business.client.get(path).json() == {"data": []}
    business.receive(type="text", text="Hola")
    business.wait_until_idle()
    assert business.receiver.notifications == []
    assert business.client.post(path).json() == {"success": True}
    business.receive(type="text", text="Hola")
    business.wait_until_idle()
    assert len(business.receiver.notifications) == 1


def test_another_address_is_accepted_once_it_answers_the_challenge(business: Business) -> None:
    path = f"/{business.config.business_id}/subscribed_apps"
    with Receiver() as other:
        ask = {"override_callback_uri": other.url, "verify_token": "otro"}
        assert error_of(business.client.post(path, json=ask))["error_subcode"] == 2200
        ask["verify_token"] = other.verify_token
        assert business.client.post(path, json=ask).json() == {"success": True}
        assert business.client.get(path).json()["data"][0]["override_callback_uri"] == other.url
        business.receive(type="text", text="Hola")
        business.wait_until_idle()
        assert len(other.messages) == 1 and business.receiver.notifications == []
    far = {"override_callback_uri": "https://ejemplo.com/hook", "verify_token": "x"}
    assert "this machine" in error_of(business.client.post(path, json=far))["message"]
