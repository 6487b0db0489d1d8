"""Whatever is sent, the platform answers as a platform: accepted, or refused in its own words."""

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from ficha.sandbox.whatsapp.sample_files import FILES
from tests.sandbox.whatsapp.conftest import Business, template
from tests.sandbox.whatsapp.test_inbound import ALERT, KINDS, LIST
from tests.sandbox.whatsapp.test_templates import FAIR, IMAGE, alert, header

ATTEMPTS = 300
ODD: list[Any] = [None, True, 0, -1, 1e308, "", "x" * 5000, "\x00", "🙂", [], {}, [[]], {"a": {"b": []}}, [None], ["x"]]
MESSAGES: list[dict[str, Any]] = [
    {"type": "text", "text": {"body": "Hola", "preview_url": False}, "context": {"message_id": "wamid.QUFB"}},
    {"type": "location", "location": {"latitude": 1, "longitude": 2, "name": "a", "address": "b"}},
    {"type": "image", "image": {"link": "https://ejemplo.com/a.png", "caption": "x"}},
    {"type": "contacts", "contacts": [{"name": {"formatted_name": "Luis"}, "phones": [{"phone": "1"}]}]},
    {"type": "reaction", "reaction": {"message_id": "wamid.X", "emoji": "👍"}},
    {"status": "read", "message_id": "wamid.X", "typing_indicator": {"type": "text"}},
    template("jornada_salud", FAIR, header(IMAGE)),
    alert(),
    ALERT,
    LIST,
]


def paths_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from paths_in(child, (*path, key))


def damaged(message: dict[str, Any], numbers: random.Random) -> Any:
    """The message with one value removed or replaced by an odd one."""
    message = copy.deepcopy(message)
    path = numbers.choice([each for each in paths_in(message) if each])
    inner: Any = message
    for key in path[:-1]:
        inner = inner[key]
    if numbers.random() < 0.2:
        del inner[path[-1]]
    else:
        inner[path[-1]] = numbers.choice(ODD)
    return message


@pytest.mark.slow
def test_no_message_breaks_the_platform(business: Business) -> None:
    """The client checks each answer against the contract as well."""
    business.change_behaviour(per_second=None, pair_burst=None, statuses="none")
    numbers = random.Random(20261115)
    statuses = set()
    for _ in range(ATTEMPTS):
        message = damaged({"messaging_product": "whatsapp", "to": "+584125550101", **numbers.choice(MESSAGES)}, numbers)
        answer = business.client.post(f"/{business.number}/messages", json=message)
        assert answer.status_code in (200, 400, 404), (answer.status_code, answer.text, message)
        statuses.add(answer.status_code)
    assert statuses == {200, 400, 404}


@pytest.mark.slow
def test_nothing_a_person_sends_breaks_it_either(business: Business) -> None:
    numbers = random.Random(20261115)
    for _ in range(ATTEMPTS):
        message = damaged({"from": "+584125550101", "name": "Ana", **numbers.choice(KINDS)}, numbers)
        answer = business.control.post("/messages", json=message)
        assert answer.status_code in (201, 400), (answer.status_code, answer.text, message)
    business.wait_until_idle()
    # What was odd on purpose is passed on as it was given, contract or not.
    business.receiver.faults.clear()


@pytest.mark.slow
def test_no_path_breaks_it(business: Business) -> None:
    number, account = business.number, business.config.business_id
    paths = ["", "v23.0", "nada/", "upload:x", "upload:x?sig=y", "%00", "ñ", f"{number}/%2e%2e/messages", "v1/v2/v3"]
    edges = ("messages", "media", "register", "verify_code", "request_code", "whatsapp_business_profile", "uploads")
    paths += [f"{number}/{edge}" for edge in edges] + [f"{account}/message_templates", f"{account}/subscribed_apps"]
    bodies = [b"", b"{}", b"[]", b"\xff\xfe", json.dumps({"pin": [1], "components": 5, "code": {}}).encode()]
    kinds = ["application/json", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "x"]
    for path in paths:
        for method in ("GET", "POST", "DELETE", "PATCH"):
            for body in bodies:
                for kind in kinds:
                    headers = {"Content-Type": kind, "file_offset": "0"}
                    answer = business.client.request(method, f"/{path}", content=body, headers=headers)
                    assert answer.status_code != 500, (method, path, body, kind)


def test_a_large_file_goes_through(business: Business) -> None:
    content = FILES["document"][1] + bytes(20_000_000)
    files = {"file": ("grande.pdf", content, "application/pdf")}
    answer = business.client.post(f"/{business.number}/media", data={"messaging_product": "whatsapp"}, files=files)
    about = business.client.get(f"/{answer.json()['id']}").json()
    assert about["file_size"] == len(content)
