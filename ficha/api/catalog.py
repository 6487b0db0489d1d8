"""Every operation we serve, as data: the seed's name for it, who may call it, and how finished it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ficha.core.errors import TITLES
from ficha.http.envelope import ErrorBody

Door = Literal["public", "bearer", "staff", "admin"]
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
    Entry("Welcome", "GET", "/v1/welcome", "utilities", "public", "Welcome"),
    Entry("Health", "GET", "/health", "utilities", "public", "Health"),
    Entry("Health: live", "GET", "/health/live", "utilities", "public", None),
    Entry("Health: ready", "GET", "/health/ready", "utilities", "public", None),
)

BY_NAME: Mapping[str, Entry] = {entry.name: entry for entry in OPERATIONS}


def about(name: str, *, errors: tuple[int, ...] = (), example: Any = None, status: int = 200) -> dict[str, Any]:
    """What a route says of itself in OpenAPI, for its decorator. Errors every operation shares are added here."""
    entry = BY_NAME[name]
    refusals = {400, 408, 429, *errors}
    if entry.method not in ("GET", "DELETE"):
        refusals |= {413, 419}
    if entry.door != "public":
        refusals |= {401}
    if entry.door in ("staff", "admin"):
        refusals |= {403}
    responses: dict[int | str, Any] = {
        code: {"model": ErrorBody, "description": TITLES[code]} for code in sorted(refusals)
    }
    if example is not None:
        responses[status] = {"content": {"application/json": {"example": example}}}
    extra: dict[str, Any] = {"x-status": entry.status, "x-door": entry.door, "x-seed-name": entry.seed or entry.name}
    if entry.door != "public":
        extra["security"] = [{"bearer": []}, {"cookie": []}]
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
