"""Files: uploaded, described, downloaded from an address that expires, and deleted."""

import base64
import hashlib
from urllib.parse import parse_qs, urlsplit

import pytest

from ficha.sandbox.whatsapp.sample_files import FILES
from tests import local_http
from tests.sandbox.whatsapp.conftest import Business
from tests.sandbox.whatsapp.test_sending import error_of

PNG = FILES["image"][1]


def upload(business: Business, content: bytes = PNG, mime: str = "image/png", name: str = "mapa ñ.png") -> str:
    data = {"messaging_product": "whatsapp", "type": mime}
    answer = business.client.post(f"/{business.number}/media", data=data, files={"file": (name, content, mime)})
    assert answer.status_code == 200, answer.text
    media_id: str = answer.json()["id"]
    return media_id


def test_a_file_goes_up_and_comes_down_the_same(business: Business) -> None:
    content = bytes(range(256)) * 40 + b"\r\n--not-a-boundary\r\n"
    media_id = upload(business, content)
    about = business.client.get(f"/{media_id}", params={"phone_number_id": business.number}).json()
    assert about["id"] == media_id and about["mime_type"] == "image/png"
    assert about["sha256"] == hashlib.sha256(content).hexdigest() and about["file_size"] == len(content)
    assert about["url"].startswith(business.sandbox.url)
    fetched = business.client.get(about["url"])
    assert fetched.content == content and fetched.headers["content-type"] == "image/png"
    assert business.client.delete(f"/{media_id}").json() == {"success": True}
    assert error_of(business.client.get(f"/{media_id}"))["error_subcode"] == 33
    assert business.client.get(about["url"]).status_code == 404


def test_the_address_of_a_file_needs_a_token_and_a_user_agent_and_is_valid_for_five_minutes(business: Business) -> None:
    media_id = upload(business)
    url = business.client.get(f"/{media_id}").json()["url"]
    with local_http.client() as stranger:
        assert stranger.get(url).status_code == 401
    nameless = business.client.build_request("GET", url)
    del nameless.headers["User-Agent"]
    assert business.client.send(nameless).status_code == 403
    forged = url.replace(parse_qs(urlsplit(url).query)["mid"][0], "1")
    assert business.client.get(forged).status_code == 404
    business.clock.move(minutes=4, seconds=59)
    assert business.client.get(url).status_code == 200
    business.clock.move(seconds=2)
    assert business.client.get(url).status_code == 404
    assert business.client.get(business.client.get(f"/{media_id}").json()["url"]).content == PNG


def test_ids_expire(business: Business) -> None:
    ours = upload(business)
    business.receive(type="image")
    theirs = business.sandbox.whatsapp.chats
    received = next(message.raw["image"]["id"] for message in theirs.messages.values())
    business.clock.move(days=6, hours=23)
    assert business.client.get(f"/{received}").status_code == 200
    business.clock.move(hours=2)
    assert error_of(business.client.get(f"/{received}"))["code"] == 100
    business.clock.move(days=22)
    assert business.client.get(f"/{ours}").status_code == 200
    business.clock.move(days=2)
    assert error_of(business.client.get(f"/{ours}"))["error_subcode"] == 33


def test_an_upload_may_ask_to_expire_sooner(business: Business) -> None:
    data = {"messaging_product": "whatsapp", "ttl_minutes": "5"}
    files = {"file": ("a.png", PNG, "image/png")}
    media_id = business.client.post(f"/{business.number}/media", data=data, files=files).json()["id"]
    business.clock.move(minutes=6)
    assert business.client.get(f"/{media_id}").status_code == 400


@pytest.mark.parametrize(
    ("mime", "content", "fields", "why"),
    [
        ("application/zip", b"PK", {"messaging_product": "whatsapp"}, "Received file of type 'application/zip'"),
        ("image/png", b"", {"messaging_product": "whatsapp"}, "1 byte"),
        ("image/png", PNG, {}, "messaging_product"),
    ],
)
def test_what_cannot_be_uploaded(
    business: Business, mime: str, content: bytes, fields: dict[str, str], why: str
) -> None:
    files = {"file": ("a", content, mime)}
    answer = business.client.post(f"/{business.number}/media", data=fields, files=files)
    assert (answer.status_code, error_of(answer)["code"]) == (400, 100)
    assert why in error_of(answer)["message"]


def test_a_file_belongs_to_one_number(business: Business) -> None:
    media_id = upload(business)
    other = {"phone_number_id": business.config.new_phone_number_id}
    assert error_of(business.client.get(f"/{media_id}", params=other))["error_subcode"] == 33
    assert error_of(business.client.delete(f"/{media_id}", params=other))["error_subcode"] == 33


def test_files_are_sent_by_id_and_fail_later_when_they_do_not_fit(business: Business) -> None:
    business.receive(type="text", text="Hola")
    media_id = upload(business)
    good = business.send({"type": "image", "image": {"id": media_id, "caption": "Mapa"}})
    bad = business.send({"type": "audio", "audio": {"id": media_id}})
    big = upload(business, b"\x89PNG" + bytes(5_000_001))
    too_big = business.send({"type": "image", "image": {"id": big}})
    business.wait_until_idle()
    assert business.statuses_of(good) == ["sent", "delivered"]
    codes = {each["id"]: each["errors"][0]["code"] for each in business.receiver.statuses if "errors" in each}
    assert codes == {bad: 131053, too_big: 131053}


@pytest.mark.parametrize("kind", sorted(FILES))
def test_what_people_send_can_be_fetched_and_compared(business: Business, kind: str) -> None:
    content = b"contenido de " + kind.encode()
    business.receive(type=kind, data=base64.b64encode(content).decode(), caption="Mire")
    business.wait_until_idle()
    [message] = business.receiver.messages
    body = message[kind]
    digest = hashlib.sha256(content).digest()
    # Base64 in the notification, hex in the description.
    assert body["sha256"] == base64.b64encode(digest).decode()
    assert business.client.get(f"/{body['id']}").json()["sha256"] == digest.hex()
    assert business.client.get(body["url"]).content == content
    assert ("caption" in body) == (kind in ("image", "video", "document"))
    [chat] = business.control.get("/state").json()["chats"]
    shown = business.control.get(chat["messages"][0]["media"]["url"])
    assert shown.content == content and "sandbox" in shown.headers["content-security-policy"]
