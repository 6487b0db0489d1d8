"""The OpenAPI document, as served and as committed."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, time, timedelta
from functools import cache
from importlib import import_module
from typing import Any

from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from ficha.asgi.application import Application
from ficha.asgi.routes import served_routes
from ficha.core.errors import TITLES
from ficha.core.settings import Settings
from ficha.http.envelope import ErrorBody
from ficha.http.record_schemas import NULL, REFERENCE, Schemas, add_record, resolved

DESCRIPTION = """\
The emergency medical record behind a QR code.

Every JSON answer is `{"meta": …, "data": …}`, every error `{"meta": …, "errors": [{status, code, title, detail,
source}]}`. Unknown fields are refused. Every POST takes an `Idempotency-Key`. Limits are told in the `RateLimit`
headers. `x-status` says how finished an operation is, `x-door` who may call it, `x-seed-name` its name in the
original description.
"""

# Named, not given as a class: FastAPI would build a validator for each status of each operation, a quarter of a start.
ERROR = {"$ref": f"{REFERENCE}ErrorBody"}
SECURITY_SCHEMES: Mapping[str, Any] = {
    "bearer": {"type": "http", "scheme": "bearer", "description": "`<ID>|<SECRET>` from registration or login."},
    "cookie": {"type": "apiKey", "in": "cookie", "name": "ficha_session", "description": "Front ends of our own."},
    "signature": {
        "type": "apiKey",
        "in": "header",
        "name": "X-Hub-Signature-256",
        "description": "`sha256=` and the HMAC of the body's bytes, by the platform's app secret.",
    },
    "chatwoot": {
        "type": "apiKey",
        "in": "header",
        "name": "api_access_token",
        "description": "A token of the conversation platform, passed on to it.",
    },
    "desk_signature": {
        "type": "apiKey",
        "in": "header",
        "name": "X-Chatwoot-Signature",
        "description": "`sha256=` and the HMAC of X-Chatwoot-Timestamp, a point and the body's bytes.",
    },
    "payment_signature": {
        "type": "apiKey",
        "in": "header",
        "name": "X-Payment-Signature",
        "description": "`sha256=` and the HMAC of X-Payment-Timestamp (seconds, at most 5 minutes from now), a point "
        "and the body's bytes, by `FICHA_PAYMENTS_SECRET`.",
    },
    "platform": {"type": "http", "scheme": "bearer", "description": "The messaging platform's own access token."},
}
HEADERS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "Content-Language": ("The language of `detail`.", {"type": "string", "enum": ["es", "en", "pt"]}),
    "ETag": ("The version of what is told, for `If-Match` and `If-None-Match`.", {"type": "string"}),
    "Idempotency-Replayed": (
        "`true` where this is the answer that the first request with its key got.",
        {"type": "string", "const": "true"},
    ),
    "Location": ("Where what was made can be read, if it has an address.", {"type": "string"}),
    "RateLimit": (
        "What is left of each limit that the request was counted against, and in how many seconds it begins anew.",
        {"type": "string", "examples": ['"token";r=599;t=60']},
    ),
    "RateLimit-Policy": (
        "How often in how many seconds each of these limits allows it.",
        {"type": "string", "examples": ['"token";q=600;w=60']},
    ),
    "Retry-After": ("Seconds to wait before the next try.", {"type": "integer", "minimum": 1}),
    "WWW-Authenticate": ("Which token is asked for.", {"type": "string"}),
    "X-Request-Id": ("Names the request in our logs: the caller's own, or a new one.", {"type": "string"}),
}
ALWAYS = ("RateLimit", "RateLimit-Policy", "X-Request-Id")
# What an error brings besides.
ERROR_HEADERS: Mapping[int, tuple[str, ...]] = {401: ("WWW-Authenticate",)} | dict.fromkeys(
    (409, 429, 502, 503), ("Retry-After",)
)
JSON = "application/json"
# In examples, of what is to end in the future. Where the document is served a day in a month stands in its place,
# sooner than the latest that is taken: each example works on the day on which it is read.
ENDS_EXAMPLE = "2026-12-31T00:00:00+00:00"
ENDS_IN = timedelta(days=30)


def install_openapi(app: Application, settings: Settings) -> None:
    app.openapi = cache(lambda: _document(app, settings))


def dated_document(document: Mapping[str, Any], now: datetime) -> str:
    """As JSON, as it is served at this moment. The committed one is the same on every day."""
    ends = datetime.combine((now + ENDS_IN).date(), time(), UTC)
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).replace(ENDS_EXAMPLE, ends.isoformat())


def _document(app: Application, settings: Settings) -> dict[str, Any]:
    routes = [route.described for route in served_routes(app.routes)]
    made = get_openapi(title="Ficha", version=settings.api_version, description=DESCRIPTION, routes=routes)
    schemas: Schemas = made["components"]["schemas"] | _error_schemas()
    add_record(schemas)
    for route in routes:
        if route.include_in_schema:
            for method in route.methods or ():
                _complete(method, made["paths"][route.path_format][method.lower()], route)
    responses = {_error_name(status): _error(status) for status in TITLES}
    paths, schemas = resolved(made["paths"], schemas), resolved(schemas, schemas)
    components = {
        "schemas": _used(schemas, [paths, responses]),
        "responses": {name: said for name, said in responses.items() if f"/responses/{name}'" in str(paths)},
        "headers": {name: {"description": said, "schema": schema} for name, (said, schema) in HEADERS.items()},
        "securitySchemes": dict(SECURITY_SCHEMES),
    }
    return {
        "openapi": made["openapi"],
        "info": made["info"]
        | {
            "contact": {"name": "Ficha", "url": settings.public_url},
            "license": {"name": "Apache License 2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": settings.public_url}],
        "tags": list(_tags(routes)),
        "paths": paths,
        "components": components,
    }


def _error_schemas() -> dict[str, Any]:
    whole = ErrorBody.model_json_schema(ref_template=REFERENCE + "{model}", mode="serialization")
    return {**whole.pop("$defs", {}), "ErrorBody": whole}


def _tags(routes: Iterable[APIRoute]) -> Iterator[dict[str, str]]:
    """The areas, in their order, with what their packages say of themselves."""
    areas = {str(tag): route.endpoint.__module__ for route in routes for tag in route.tags}
    for area, module in areas.items():
        yield {"name": area, "description": (import_module(module.rpartition(".")[0]).__doc__ or area).strip()}


def _complete(method: str, operation: dict[str, Any], route: APIRoute) -> None:
    """Adds what FastAPI does not know or tells otherwise."""
    parameters = operation.setdefault("parameters", [])
    for parameter in parameters:
        parameter["schema"] = _without_null(parameter["schema"])
    body = operation.get("requestBody", {}).get("content", {}).get(JSON)
    if body is not None:
        body["schema"] = _without_null(body["schema"])
        if route.body_field is not None and route.body_field.field_info.examples:
            body["schema"]["examples"] = route.body_field.field_info.examples
    if method == "POST" and operation["x-door"] != "signed":
        parameters.append(
            {
                "name": "Idempotency-Key",
                "in": "header",
                "required": False,
                "description": "Kept for 24 hours: the same key and body get the first answer again. Of one of more "
                "than 100 kB it is only kept that it was given: a repetition is answered 409 `respuesta_no_guardada`, "
                "or carried out again where it changed nothing.",
                "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
            }
        )
    if not parameters:
        del operation["parameters"]
    operation["responses"] = {
        status: _answer(int(status), said, operation, route) for status, said in operation["responses"].items()
    }


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """What may be left out is not sent as `null`, as FastAPI has it."""
    choices = [each for each in schema.get("anyOf", ()) if each != NULL]
    if len(choices) != 1:
        return schema
    outside = {key: value for key, value in schema.items() if key != "anyOf"}
    inner: dict[str, Any] = choices[0]
    return inner | ({} if outside.get("title") == "Body" else outside)


def _answer(status: int, said: dict[str, Any], operation: dict[str, Any], route: APIRoute) -> dict[str, Any]:
    # FastAPI promises its own validation body wherever there are parameters; ours is another.
    if "HTTPValidationError" in str(said) or said == _plain_error(status):
        return {"$ref": f"#/components/responses/{_error_name(status)}"}
    content = said.get("content", {})
    declared = route.responses.get(status, {}).get("content", {})
    for kind, shown in content.items():
        if "example" in declared.get(kind, {}):
            shown["example"] = declared[kind]["example"]  # FastAPI takes its nulls out.
        if status < 400 and kind == JSON and "schema" not in shown:
            usual = operation["responses"][str(route.status_code)]["content"].get(JSON, {})
            shown["schema"] = usual.get("schema", {})  # Of what is passed on, only the platform knows it.
    names = {parameter["name"] for parameter in operation.get("parameters", ())}
    headers = list(ERROR_HEADERS.get(status, ()))
    if status < 400 and names & {"If-Match", "If-None-Match"}:
        headers.append("ETag")
    if status == 201:
        headers.append("Location")
    if status < 300 and "Idempotency-Key" in names:
        headers.append("Idempotency-Replayed")
    return said | {"headers": _headers(headers) | said.get("headers", {})}


def _plain_error(status: int) -> dict[str, Any]:
    return {"description": TITLES.get(status, ""), "content": {JSON: {"schema": ERROR}}}


def _error(status: int) -> dict[str, Any]:
    return _plain_error(status) | {"headers": _headers(("Content-Language", *ERROR_HEADERS.get(status, ())))}


def _error_name(status: int) -> str:
    return TITLES[status].replace(" ", "")


def _headers(names: Iterable[str]) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in (*names, *ALWAYS)}


def _used(schemas: Schemas, roots: list[Any]) -> Schemas:
    """Those that something refers to, in the order of their names."""
    found: set[str] = set()
    waiting = _names_in(roots)
    while waiting:
        found |= waiting
        waiting = {name for each in waiting for name in _names_in(schemas[each])} - found
    return {name: schemas[name] for name in sorted(found)}


def _names_in(value: Any) -> set[str]:
    return set(re.findall(rf"'{REFERENCE}([^']+)'", str(value)))
