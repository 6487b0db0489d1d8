"""Requests made from the contract's schemas, and then spoiled: every answer has Graph's shape, and none spoils the
answers to others. The handler is called without a network, so that many fit into a test."""

import asyncio
import base64
import json
from collections.abc import Callable, Coroutine, Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ficha.sandbox.http_messages import HttpRequest, HttpResponse
from ficha.sandbox.whatsapp.behaviour import Behaviour
from ficha.sandbox.whatsapp.config import WhatsAppConfig
from ficha.sandbox.whatsapp.platform import WhatsAppPlatform
from ficha.sandbox.whatsapp.requests import RequestHandler
from tests.clock import MovableClock
from tests.sandbox.whatsapp.contract import ABSENT, Contract

EXAMPLES = 500
NUMBER, ACCOUNT, APP = "106540352242922", "102290129340398", "634974688087057"
CONTRACT = Contract.load()
NAMES = {"{Version}": "v23.0", "{Phone-Number-ID}": NUMBER, "{WABA-ID}": ACCOUNT, "{App-ID}": APP, "{Media-ID}": "77"}
NOT_IN_CONTRACT = ("product_catalogs", "block_users", "message_qrdls", "messages", "nothing")
# The platform counts them, so the first few are known before they are made.
FLOWS = [str(550003481400100 + number) for number in range(3)]
GROUPS = [
    base64.b64encode(f"capi_group:15550783881:{120363394320096415 + number}".encode()).decode().rstrip("=") + "ZD"
    for number in range(3)
]
HALF = "\ud83d"
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from([HALF, "\x00", "{{1}}", "{{", "+584125550101", "x" * 2000, [], {}, [[]], {"a": None}, [HALF]]),
    st.recursive(st.none() | st.text(max_size=3), lambda inner: st.lists(inner, max_size=2), max_leaves=4),
)


def values_of(schema: dict[str, Any], depth: int = 0) -> st.SearchStrategy[Any]:
    """What fits the schema, now and then something that does not. As much of JSON Schema as the contract uses."""
    assert CONTRACT is not None
    if "$ref" in schema:
        return values_of(CONTRACT.document["components"]["schemas"][schema["$ref"].rpartition("/")[2]], depth)
    if "const" in schema:
        return _spoiled(st.just(schema["const"]))
    if "enum" in schema:
        return _spoiled(st.sampled_from(schema["enum"]))
    for word in ("oneOf", "anyOf"):
        if word in schema:
            return st.one_of([values_of(each, depth + 1) for each in schema[word]])
    match schema.get("type", "object" if "properties" in schema else None):
        case "object" if depth < 6:
            required = set(schema.get("required", ()))
            known = {name: values_of(each, depth + 1) for name, each in schema.get("properties", {}).items()}
            fixed = {name: strategy for name, strategy in known.items() if name in required}
            optional = {name: strategy for name, strategy in known.items() if name not in required}
            return _spoiled(st.fixed_dictionaries(fixed, optional=optional))
        case "array" if depth < 6:
            return _spoiled(st.lists(values_of(schema.get("items", {}), depth + 1), max_size=3))
        case "string":
            return _spoiled(st.sampled_from(["+584125550101", "es", "whatsapp", "text", "body", "mensaje_pendiente"]))
        case "integer" | "number":
            return _spoiled(st.integers(-5, 500))
        case "boolean":
            return _spoiled(st.booleans())
    return ODD


def _spoiled(fine: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(fine, fine, fine, fine, fine, fine, ODD)


@cache
def bodies_of(method: str, path: str) -> tuple[str, st.SearchStrategy[Any]]:
    """Of which kind a body is, and what may be in it. Kept: to think of it anew for each request took longer than all
    answers."""
    assert CONTRACT is not None
    content = CONTRACT.document["paths"][path][method.lower()].get("requestBody", {}).get("content", {})
    kind, schema = next(((kind, each.get("schema", {})) for kind, each in content.items()), ("", None))
    if path.endswith("message_templates") and method == "POST":
        return kind, templates()
    if path.endswith("/flows") and method == "POST":
        return kind, flows()
    return kind, st.none() if schema is None else values_of(schema)


@st.composite
def requests(draw: st.DrawFn) -> HttpRequest:
    assert CONTRACT is not None
    if draw(st.integers(0, 9)) == 0:
        edge, method = draw(st.sampled_from(NOT_IN_CONTRACT)), draw(st.sampled_from(["GET", "POST", "DELETE", "PUT"]))
        return _request(method, f"/v23.0/{draw(st.sampled_from([NUMBER, ACCOUNT]))}/{edge}", draw(ODD), {})
    method, path = draw(st.sampled_from(sorted(CONTRACT.operations())))
    kind, bodies = bodies_of(method, path)
    body = draw(bodies)
    words = st.sampled_from(["fields", "limit", "after", "name", "hsm_id", "messaging_product", "sig", "input_token"])
    query = draw(st.dictionaries(words, st.sampled_from(["id", "1", "Q9", "-1", "whatsapp", "💥"]), max_size=3))
    for name, value in (NAMES | {"{Flow-ID}": draw(st.sampled_from(FLOWS)), "{group_id}": draw(group_ids())}).items():
        path = path.replace(name, value)
    if kind == "multipart/form-data" and isinstance(body, dict) and draw(st.booleans()):
        return _form(method, path, body, query)
    return _request(method, path, body, query)


def group_ids() -> st.SearchStrategy[str]:
    return st.sampled_from([*GROUPS, GROUPS[0][:-2]])


def flows() -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {
            "name": _spoiled(st.sampled_from(["cita", "encuesta", "registro"])),
            "categories": _spoiled(st.sampled_from([["OTHER"], '["SURVEY"]', ["SURVEY", "OTHER"]])),
        },
        optional={
            "clone_flow_id": _spoiled(st.sampled_from(FLOWS)),
            "endpoint_uri": _spoiled(st.just("https://ejemplo.com")),
            "flow_json": _spoiled(st.sampled_from(['{"version": "7.0", "screens": [{"id": "A", "layout": {}}]}', "{"])),
            "publish": _spoiled(st.booleans()),
        },
    )


def templates() -> st.SearchStrategy[Any]:
    text = _spoiled(st.sampled_from(["Hola {{1}}", "Hola {{nombre}}", "x"]))
    kind = _spoiled(st.sampled_from(["HEADER", "BODY", "FOOTER", "BUTTONS"]))
    buttons = _spoiled(st.lists(st.fixed_dictionaries({"type": text, "text": text}), max_size=2))
    part = st.fixed_dictionaries({"type": kind}, optional={"text": text, "format": kind, "buttons": buttons})
    return st.fixed_dictionaries(
        {
            "name": _spoiled(st.sampled_from(["aviso", "otro", 7])),
            "language": _spoiled(st.sampled_from(["es", "pt_BR"])),
            "category": _spoiled(st.sampled_from(["UTILITY", "MARKETING"])),
            "components": _spoiled(st.lists(_spoiled(part), max_size=3)),
        },
        optional={"parameter_format": _spoiled(st.sampled_from(["NAMED", "POSITIONAL"]))},
    )


def _request(method: str, path: str, body: Any, query: dict[str, str]) -> HttpRequest:
    headers = {"authorization": "Bearer sandbox-token", "content-type": "application/json", "file_offset": "0"}
    return HttpRequest(method, path, query, headers, b"" if body is None else json.dumps(body).encode())


def _form(method: str, path: str, fields: dict[str, Any], query: dict[str, str]) -> HttpRequest:
    start = "--x\r\nContent-Disposition: form-data; name="
    parts = [
        f"{start}{name}{'; filename=a' if name == 'file' else ''}\r\n\r\n{value}\r\n" for name, value in fields.items()
    ]
    body = ("".join(parts) + "--x--\r\n").encode("utf-8", "surrogatepass")
    plain = _request(method, path, None, query)
    headers = {**plain.headers, "content-type": "multipart/form-data; boundary=x"}
    return HttpRequest(method, path, query, headers, body)


Answer = Callable[[HttpRequest], HttpResponse]


@pytest.fixture
def answer() -> Iterator[Answer]:
    behaviour = Behaviour(
        per_second=None, pair_burst=None, statuses="none", review_seconds=None, management_per_hour=None
    )
    handler = RequestHandler(WhatsAppPlatform(WhatsAppConfig(behaviour=behaviour), MovableClock().now))
    loop = asyncio.new_event_loop()

    def ask(request: HttpRequest) -> HttpResponse:
        called: Coroutine[Any, Any, HttpResponse] = handler(request)
        return loop.run_until_complete(called)

    yield ask
    loop.close()


def check_shape(response: HttpResponse) -> None:
    content = json.loads(response.body)
    if response.status < 400:
        assert isinstance(content, dict) and "error" not in content
        return
    assert response.status in (400, 401, 403, 404, 429), response
    error = content["error"]
    assert type(error["code"]) is int and isinstance(error["message"], str) and error["fbtrace_id"]


@pytest.mark.slow
@pytest.mark.skipif(CONTRACT is None, reason=ABSENT)
@settings(max_examples=EXAMPLES, suppress_health_check=[*HealthCheck])
@given(request=requests())
def test_every_answer_has_the_platform_s_shape(answer: Answer, request: HttpRequest) -> None:
    check_shape(answer(request))
    for lists in (f"{ACCOUNT}/message_templates", f"{ACCOUNT}/flows", f"{NUMBER}/groups"):
        listed = answer(_request("GET", f"/v23.0/{lists}", None, {"limit": "999"}))
        assert listed.status == 200, "what one caller made spoils no listing"


@pytest.mark.parametrize(
    "body",
    [
        {"name": 7, "language": "es", "category": "UTILITY", "components": [{"type": "BODY", "text": "x"}]},
        {"name": "a", "language": 7, "category": "UTILITY", "components": [{"type": "BODY", "text": "x"}]},
        {"name": "a", "language": "es", "category": "UTILITY", "components": [{"type": "BODY", "text": 7}]},
        {"name": "a", "language": "es", "category": "UTILITY", "components": [{"type": "BODY"}, {"buttons": 7}]},
        {"name": HALF, "language": "es", "category": "UTILITY", "components": [{"type": "BODY", "text": "x"}]},
    ],
)
def test_a_template_of_a_wrong_shape_is_refused(answer: Answer, body: dict[str, Any]) -> None:
    response = answer(_request("POST", f"/v23.0/{ACCOUNT}/message_templates", body, {}))
    check_shape(response)
    assert response.status == 400


def test_what_other_clients_send_is_understood(answer: Answer) -> None:
    image = {"link": "https://ejemplo.com/a.png", "caption": None}
    message = {"to": "+584125550101", "type": "image", "image": image, "context": None}
    path, query = f"/v23.0/{NUMBER}/messages", {"messaging_product": "whatsapp"}
    assert answer(_request("POST", path, message, query)).status == 200
    assert answer(_request("POST", path, message, {})).status == 400
    asked = {"limit": "1", "fields": "id,name"}
    first = json.loads(answer(_request("GET", f"/v23.0/{ACCOUNT}/message_templates", None, asked)).body)
    assert "fields=id%2Cname" in first["paging"]["next"] and "limit=1" in first["paging"]["next"]


def test_people_are_blocked_and_links_are_made_as_the_platform_does(answer: Answer) -> None:
    def said(method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        response = answer(_request(method, f"/v23.0/{NUMBER}/{path}", body, {}))
        check_shape(response)
        return json.loads(response.body)

    block = {"messaging_product": "whatsapp", "block_users": [{"user": "+584125550101"}]}
    user = {"input": "+584125550101", "wa_id": "584125550101"}
    blocked = said("POST", "block_users", block)
    assert blocked == {"messaging_product": "whatsapp", "block_users": {"added_users": [user]}}
    assert [each["wa_id"] for each in said("GET", "block_users")["data"]] == ["584125550101"]
    assert said("DELETE", "block_users", block)["block_users"] == {"removed_users": [user]}
    assert said("GET", "block_users")["data"] == []
    for wrong in ({}, block | {"block_users": [{"user": 7}]}, block | {"block_users": [{"user": "nadie"}]}):
        assert said("POST", "block_users", wrong)["error"]["code"] == 100
    made = said("POST", "message_qrdls", {"prefilled_message": "Hola"})
    code = made["code"]
    assert made["deep_link_url"] == f"https://wa.me/message/{code}"
    changed = said("POST", "message_qrdls", {"code": code, "prefilled_message": "Buenas"})
    assert said("GET", "message_qrdls")["data"] == said("GET", f"message_qrdls/{code}")["data"] == [changed]
    assert said("DELETE", f"message_qrdls/{code}") == {"success": True}
    gone = said("GET", f"message_qrdls/{code}")["error"]
    assert (gone["code"], gone["error_subcode"]) == (100, 33)
    assert said("POST", "message_qrdls", {"prefilled_message": ""})["error"]["code"] == 100


@pytest.mark.parametrize(
    "path",
    [
        f"{ACCOUNT}/product_catalogs",
        f"{NUMBER}/product_catalogs",
        f"{NUMBER}/flows",
        f"{ACCOUNT}/groups",
        f"{FLOWS[0]}/assets",
        f"{GROUPS[0]}/join_requests",
        GROUPS[0],
    ],
)
def test_what_the_sandbox_has_not_is_refused_with_a_subcode(answer: Answer, path: str) -> None:
    error = json.loads(answer(_request("GET", f"/v23.0/{path}", None, {})).body)["error"]
    assert (error["code"], error["error_subcode"]) == (100, 33)
