"""Every operation we serve, as data: the seed's name for it, who may call it, and how finished it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ficha.core.errors import TITLES
from ficha.http.openapi import ERROR

Door = Literal["public", "bearer", "staff", "admin", "tag", "tag or bearer", "signed", "platform"]
Status = Literal["Developing", "Testing"]


@dataclass(frozen=True)
class Entry:
    """`seed` is None where the operation is ours and the seed has no name for it."""

    name: str
    method: str
    path: str
    area: str
    door: Door
    seed: str | None
    status: Status = "Testing"


# Paths are written with the default prefixes.
OPERATIONS = (
    Entry("Register", "POST", "/v2/auth/register", "accounts", "public", "Register"),
    Entry("Login", "POST", "/v2/auth/login", "accounts", "public", "Login"),
    Entry("Logout", "POST", "/v2/auth/logout", "accounts", "bearer", "Logout"),
    Entry("Test register", "POST", "/test/auth/register", "accounts", "public", "Test register"),
    Entry("CSRF cookie", "GET", "/sanctum/csrf-cookie", "accounts", "public", "CSRF cookie"),
    Entry("Me", "GET", "/v2/auth/me", "accounts", "bearer", "Me"),
    Entry("Tokens", "GET", "/v2/auth/tokens", "accounts", "bearer", "Tokens"),
    Entry("Renew token", "POST", "/v2/auth/tokens", "accounts", "bearer", None),
    Entry("Revoke token", "DELETE", "/v2/auth/tokens/{id}", "accounts", "bearer", None),
    Entry(
        "Phone verification: request",
        "POST",
        "/v2/auth/phone/request-code",
        "accounts",
        "bearer",
        "Phone verification",
    ),
    Entry(
        "Phone verification: verify", "POST", "/v2/auth/phone/verify-code", "accounts", "bearer", "Phone verification"
    ),
    Entry("Email operations: request", "POST", "/v2/email/request-code", "accounts", "bearer", "Email operations"),
    Entry("Email operations: verify", "POST", "/v2/email/verify-code", "accounts", "bearer", "Email operations"),
    Entry("Email operations: test", "POST", "/v2/email/test", "accounts", "admin", "Email operations"),
    Entry("Forgot clave", "POST", "/v2/auth/password/forgot", "accounts", "public", None),
    Entry("Reset clave", "POST", "/v2/auth/password/reset", "accounts", "public", None),
    Entry("Local: Login", "POST", "/v1/local/login", "accounts", "public", "Local group: Login"),
    Entry("Local: Logout", "POST", "/v1/local/logout", "accounts", "bearer", "Local group: Logout"),
    Entry("Local: Update data", "PUT", "/v1/local/data", "accounts", "bearer", "Local group: Update data"),
    Entry("Local: Delete data", "DELETE", "/v1/local/data", "accounts", "bearer", "Local group: Delete data"),
    Entry("FMD", "GET", "/v2/fmd/{code}", "fmd", "bearer", "FMD"),
    Entry("FMD Models Data", "GET", "/v2/fmd/{code}/models", "fmd", "bearer", "FMD Models Data"),
    Entry("FMD Model Data", "GET", "/v2/fmd/{code}/{model}", "fmd", "bearer", "FMD Model Data"),
    Entry("FMD Model exists", "GET", "/v2/fmd/{code}/{model}/exists", "fmd", "bearer", "FMD Model exists"),
    Entry("Check existent FMD", "GET", "/v2/fmd/{code}/exists", "fmd", "bearer", "Check existent FMD"),
    Entry("FMD Patch", "PATCH", "/v2/fmd/{code}", "fmd", "bearer", "FMD Patch"),
    Entry("Patch one model", "PATCH", "/v2/fmd/{code}/{model}", "fmd", "bearer", None),
    Entry("Put one model", "PUT", "/v2/fmd/{code}/{model}", "fmd", "bearer", None),
    Entry("Relationship", "PATCH", "/v2/fmd/{code}/relationship", "fmd", "bearer", "Relationship"),
    Entry(
        "FMD Patch Emergency Contacts",
        "PATCH",
        "/v2/fmd/{code}/emergency-contacts",
        "fmd",
        "bearer",
        "FMD Patch Emergency Contacts",
    ),
    Entry(
        "FMD Update Emergency Contacts",
        "PUT",
        "/v2/fmd/{code}/emergency-contacts",
        "fmd",
        "bearer",
        "FMD Update Emergency Contacts",
    ),
    Entry(
        "FMD Patch Template Type",
        "PATCH",
        "/v2/fmd/{code}/template-type",
        "fmd",
        "bearer",
        "FMD Patch Template Type",
    ),
    Entry("FMD schemas", "GET", "/v2/fmd/schemas", "fmd", "public", None),
    Entry("FMD schema", "GET", "/v2/fmd/schemas/{model}", "fmd", "public", None),
    Entry("FMD terms", "GET", "/v2/fmd/terms", "fmd", "public", None),
    Entry("FMD history", "GET", "/v2/fmd/{code}/history", "fmd", "bearer", None),
    Entry("FMD access log", "GET", "/v2/fmd/{code}/access-log", "fmd", "bearer", None),
    Entry("FMD export", "GET", "/v2/fmd/{code}/export", "fmd", "bearer", None),
    Entry("Grant access", "POST", "/v2/fmd/{code}/grants", "fmd", "bearer", None),
    Entry("Grants", "GET", "/v2/fmd/{code}/grants", "fmd", "bearer", None),
    Entry("Withdraw access", "DELETE", "/v2/fmd/{code}/grants/{id}", "fmd", "bearer", None),
    Entry("Product", "GET", "/v2/products/{code}", "products", "bearer", "Product"),
    Entry("Claim product", "POST", "/v2/products/{code}/claim", "products", "bearer", "Claim product"),
    Entry("Product lost", "POST", "/v2/products/{code}/lost", "products", "bearer", "Product lost"),
    Entry("Retire product", "POST", "/v2/products/{code}/retire", "products", "bearer", "Retire product"),
    Entry("Generators: QR", "GET", "/v2/generators/qr", "products", "bearer", "Generators: QR"),
    Entry(
        "Template message sending",
        "POST",
        "/v2/whatsapp/messages/template",
        "messaging",
        "staff",
        "Template message sending",
    ),
    Entry(
        "Send Location Message",
        "POST",
        "/v2/whatsapp/messages/location",
        "messaging",
        "staff",
        "Send Location Message",
    ),
    Entry("Send text message", "POST", "/v2/whatsapp/messages/text", "messaging", "staff", None),
    Entry("Send media message", "POST", "/v2/whatsapp/messages/media", "messaging", "staff", None),
    Entry("Message", "GET", "/v2/whatsapp/messages/{id}", "messaging", "staff", None),
    Entry(
        "Read receipt",
        "POST",
        "/{api_version}/{business_phone_number_id}/messages",
        "messaging",
        "platform",
        "Read receipt",
    ),
    Entry("Inbox", "POST", "/v2/whatsapp/inbox", "messaging", "staff", "Inbox"),
    Entry("Webhook", "POST", "/v2/webhook/whatsapp", "messaging", "signed", "Webhook"),
    Entry("Webhook handshake", "GET", "/v2/webhook/whatsapp", "messaging", "public", None),
    Entry("Media Test", "GET", "/v2/whatsapp/media-test", "messaging", "staff", "Media Test"),
    Entry("Media download", "GET", "/v2/whatsapp/media/{media_id}", "messaging", "staff", "Media download"),
    Entry("Resumable upload: start", "POST", "/v2/whatsapp/uploads", "messaging", "staff", "Resumable upload"),
    Entry("Resumable upload: bytes", "POST", "/v2/whatsapp/uploads/{id}", "messaging", "staff", "Resumable upload"),
    Entry("Resumable upload: offset", "GET", "/v2/whatsapp/uploads/{id}", "messaging", "staff", "Resumable upload"),
    Entry("oauth", "GET", "/v2/whatsapp/oauth", "messaging", "staff", "oauth"),
    Entry("Test Connection", "GET", "/v2/whatsapp/test-connection", "messaging", "staff", "Test Connection"),
    Entry(
        "Platform phone: request code",
        "POST",
        "/v2/whatsapp/phone/request-code",
        "messaging",
        "admin",
        "Phone verification",
    ),
    Entry(
        "Platform phone: verify code",
        "POST",
        "/v2/whatsapp/phone/verify-code",
        "messaging",
        "admin",
        "Phone verification",
    ),
    Entry("Create emergency", "POST", "/v2/emergencies", "emergencies", "tag or bearer", "Create emergency"),
    Entry("Emergencies", "GET", "/v2/emergencies", "emergencies", "bearer", "Emergencies"),
    Entry("Emergency", "GET", "/v2/emergencies/{id}", "emergencies", "bearer", "Emergency"),
    Entry("Change emergency", "PATCH", "/v2/emergencies/{id}", "emergencies", "bearer", "Change emergency"),
    Entry("Events", "GET", "/v2/events", "emergencies", "bearer", "Events"),
    Entry("Maps URL generator", "GET", "/v2/maps/url", "utilities", "public", "Maps URL generator"),
    Entry("Welcome", "GET", "/v1/welcome", "utilities", "public", "Welcome"),
    Entry("Health", "GET", "/health", "utilities", "public", "Health"),
    Entry("Health: live", "GET", "/health/live", "utilities", "public", None),
    Entry("Health: ready", "GET", "/health/ready", "utilities", "public", None),
)

BY_NAME: Mapping[str, Entry] = {entry.name: entry for entry in OPERATIONS}


# What a caller shows at each door, by the names of the document's security schemes; of several, any one will do.
SHOWN: Mapping[Door, tuple[str, ...]] = {
    "public": (),
    "bearer": ("bearer", "cookie"),
    "staff": ("bearer", "cookie"),
    "admin": ("bearer", "cookie"),
    "tag": (),  # It is part of the request itself.
    "tag or bearer": ("bearer", "cookie"),
    "signed": ("signature",),
    "platform": ("platform",),
}
# Browsers with a session of ours never come through these.
NO_COOKIES: frozenset[Door] = frozenset({"signed", "platform"})


def about(
    name: str,
    *,
    errors: tuple[int, ...] = (),
    example: Any = None,
    status: int = 200,
    kind: str = "application/json",
    body: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """What a route says of itself in OpenAPI, for its decorator. Errors every operation shares are added here.
    `kind` is the type of a good answer; `body` describes one that FastAPI does not read, by its type."""
    entry = BY_NAME[name]
    shown = SHOWN[entry.door]
    refusals = {400, 408, *errors}
    if entry.door not in NO_COOKIES:
        refusals |= {429}
    if entry.method not in ("GET", "DELETE"):
        refusals |= {413} if entry.door in NO_COOKIES else {413, 419}
    if shown:
        refusals |= {401}
    if entry.door in ("staff", "admin", "signed"):
        refusals |= {403}
    responses: dict[int | str, Any] = {
        code: {"description": TITLES[code], "content": {"application/json": {"schema": ERROR}}}
        for code in sorted(refusals)
    }
    if kind != "application/json":
        schema = {"type": "string"} if kind.startswith("text/") else {"type": "string", "format": "binary"}
        responses[status] = {"content": {kind: {"schema": schema}}}
    if example is not None:
        responses.setdefault(status, {"content": {kind: {}}})["content"][kind]["example"] = example
    extra: dict[str, Any] = {"x-status": entry.status, "x-door": entry.door, "x-seed-name": entry.seed or entry.name}
    if shown:
        extra["security"] = [{scheme: []} for scheme in shown]
    if entry.door == "tag or bearer":
        extra["security"].append({})
    if body is not None:
        extra["requestBody"] = {"required": True, "content": {kind: {"schema": one} for kind, one in body.items()}}
    return {
        "operation_id": entry.name.lower().replace(":", "").replace(" ", "_"),
        "summary": entry.name,
        "tags": [entry.area],
        "status_code": status,
        "responses": responses,
        "openapi_extra": extra,
    }


def meta_example(status: int = 200, **more: Any) -> dict[str, Any]:
    return {
        "timestamp": "2026-11-15T12:00:00+00:00",
        "api_version": "v2.0.0",
        "status": status,
        "copyright": "© Ficha",
        **more,
    }
