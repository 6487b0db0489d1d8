"""The OpenAPI document, as served and as committed."""

from functools import cache
from typing import Any

from fastapi.openapi.utils import get_openapi

from ficha.asgi.application import Application
from ficha.asgi.routes import served_routes
from ficha.core.settings import Settings
from ficha.http.envelope import ErrorBody

DESCRIPTION = """\
The emergency medical record behind a QR code.

Every JSON answer is `{"meta": …, "data": …}`, every error `{"meta": …, "errors": [{status, code, title, detail,
source}]}`. Unknown fields are refused. Every POST takes an `Idempotency-Key`. Limits are told in the `RateLimit`
headers. `x-status` says how finished an operation is, `x-door` who may call it, `x-seed-name` its name in the
original description.
"""

# Named, not given as a class: FastAPI would build a validator for each status of each operation, a quarter of a start.
ERROR = {"$ref": "#/components/schemas/ErrorBody"}


def install_openapi(app: Application, settings: Settings) -> None:
    app.openapi = cache(lambda: _document(app, settings))


def _document(app: Application, settings: Settings) -> dict[str, Any]:
    schema = get_openapi(
        title="Ficha",
        version=settings.api_version,
        description=DESCRIPTION,
        routes=[route.described for route in served_routes(app.routes)],
    )
    schema["components"]["securitySchemes"] = {
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
        "platform": {"type": "http", "scheme": "bearer", "description": "The messaging platform's own access token."},
    }
    schema["components"]["schemas"] = dict(sorted((schema["components"]["schemas"] | _error_schemas()).items()))
    for operations in schema["paths"].values():
        for method, operation in operations.items():
            _add_what_fastapi_does_not_know(method, operation)
    for unused in ("HTTPValidationError", "ValidationError"):
        schema["components"]["schemas"].pop(unused, None)
    return schema


def _error_schemas() -> dict[str, Any]:
    whole = ErrorBody.model_json_schema(ref_template="#/components/schemas/{model}", mode="serialization")
    return {**whole.pop("$defs", {}), "ErrorBody": whole}


def _add_what_fastapi_does_not_know(method: str, operation: dict[str, Any]) -> None:
    answers = operation["responses"]
    # FastAPI promises its own validation body wherever there are parameters; ours is another.
    if "HTTPValidationError" in str(answers.get("422", "")):
        answers["422"] = {"description": "Parameter Error"} | {"content": answers["400"]["content"]}
    if method == "post" and operation["x-door"] != "signed":
        operation.setdefault("parameters", []).append(
            {
                "name": "Idempotency-Key",
                "in": "header",
                "required": False,
                "description": "Kept for 24 hours: the same key and body get the first answer again.",
                "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
            }
        )
