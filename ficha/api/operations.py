"""Declaring an operation: one decorator holds its row of the catalogue and what OpenAPI says about it.

What an operation answers is written in quotes, `-> "Answer[Me]"`: Pydantic then makes that model when the operation is
first asked for, and a start is shorter by a sixteenth.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from email.utils import format_datetime
from typing import Any, Literal, TypedDict, Unpack

from fastapi.params import Depends
from starlette.responses import Response
from starlette.routing import Route

from ficha.asgi.routes import E, Routes, ServedRoute
from ficha.asgi.served import Served
from ficha.asgi.threads import Pool
from ficha.core.errors import GOOD_TITLES, TITLES, FichaError
from ficha.http.openapi import ERROR
from ficha.http.served_operation import ServedOperation

AllowedCallers = Literal[
    "public",
    "bearer",
    "staff",
    "admin",
    "institution",
    "staff or institution",
    "tag",
    "tag or bearer",
    "link",
    "signed",
    "platform",
]
# Testing: settled by the wire contract, and only added to. Developing: beyond it, and may still change.
Progress = Literal["Developing", "Testing"]
SHORTEST_NOTICE = timedelta(days=180)

# The security schemes of the OpenAPI document by which each proves who it is; any one of them is enough.
CREDENTIALS: Mapping[AllowedCallers, tuple[str, ...]] = {
    "public": (),
    "bearer": ("bearer", "cookie"),
    "staff": ("bearer", "cookie"),
    "admin": ("bearer", "cookie"),
    "institution": ("bearer",),
    "staff or institution": ("bearer", "cookie"),
    "tag": (),  # It is part of the request itself.
    "tag or bearer": ("bearer", "cookie"),
    "link": (),  # Its address is the secret.
    "signed": ("signature",),
    "platform": ("platform",),
}
# Who of the demo sends an example that names nobody else.
EXAMPLE_CALLERS: Mapping[AllowedCallers, str] = {
    "bearer": "ana@demo.example",
    "tag or bearer": "ana@demo.example",
    "staff": "soporte@demo.example",
    "admin": "admin@demo.example",
    "staff or institution": "soporte@demo.example",
    "institution": "colegio-san-luis@instituciones.invalid",
}
# Called by others, with what they were given: a browser session of ours means nothing there.
NO_COOKIES: frozenset[AllowedCallers] = frozenset({"link", "signed", "platform"})
# Where a repetition with an Idempotency-Key means nothing either.
NO_KEYS: frozenset[AllowedCallers] = frozenset({"link", "signed"})


@dataclass(frozen=True)
class Deprecation:
    """An operation that will go: since when that is said, on which day it is gone, and what takes its place. Every
    answer of it says so (RFC 9745, RFC 8594)."""

    since: date
    gone: date
    successor: str

    def __post_init__(self) -> None:
        if self.gone - self.since < SHORTEST_NOTICE:
            raise ValueError(f"callers are told at least {SHORTEST_NOTICE.days} days before")

    @property
    def headers(self) -> list[tuple[bytes, bytes]]:
        since, gone = (datetime.combine(day, time(), UTC) for day in (self.since, self.gone))
        return [
            (b"deprecation", b"@%d" % since.timestamp()),
            (b"sunset", format_datetime(gone, usegmt=True).encode()),
            (b"link", f'<{self.successor}>; rel="successor-version"'.encode()),
        ]


@dataclass(frozen=True)
class OperationRow:
    """One row of the catalogue. `seed` is the name in the original description, None where the operation is ours."""

    area: str
    name: str
    method: str
    path: str
    callers: AllowedCallers
    seed: str | None
    progress: Progress


class Declaration(TypedDict, total=False):
    """What the decorator takes besides path and name; what is declared here may be declared for all operations of the
    file instead. Errors that follow from the method, the callers or a `body` of the function need not be listed."""

    callers: AllowedCallers
    # Whether it is in the original description: under its own name, or under this one.
    seed: str | bool | None
    progress: Progress
    status: int
    errors: tuple[int, ...]
    example: Any
    # Of the example request: what stands in its path, if that is not what the parameters say; who of the demo sends it,
    # if it is none of those in EXAMPLE_CALLERS; and whether it works only once there.
    example_path: Mapping[str, str | int]
    example_caller: str
    example_once: bool
    # Whether the number in it is of something that the reader made before: the demo has none.
    example_of_own: bool
    # The content type of a good answer, if it is not JSON.
    media_type: str
    # The schema of a body that FastAPI does not read, by its content type.
    body: Mapping[str, Any]
    # The security schemes of which any one is enough, if they are not those of CREDENTIALS. None: without any, too.
    credentials: Sequence[str | None]
    # Added to the described responses, or put in their place.
    responses: Mapping[int | str, dict[str, Any]]
    response_class: type[Response]
    response_model: Any
    dependencies: Sequence[Depends]
    # The threads it runs in, if it may take long.
    pool: Pool
    # That it will go.
    deprecated: Deprecation
    # A handler of the fast lane answers it, and the function only describes it. A request that the handler does not
    # know as its own is checked like any other, by what the function asks for, and then refused with this error.
    in_lane: type[FichaError]


class Operations:
    """The operations of one file, in the order in which their paths are matched. `area` is the name of its folder;
    `shared` is declared of all of them."""

    def __init__(
        self, area: str, prefix: str = "", *, served: type[Served] = ServedOperation, **shared: Unpack[Declaration]
    ) -> None:
        self._area, self._prefix, self._shared, self._served = area, prefix, shared, served
        self._routes = Routes(prefix, served=served)
        self._rows: list[OperationRow] = []

    def get(self, path: str, name: str, **declared: Unpack[Declaration]) -> Callable[[E], E]:
        return self._declare("GET", path, name, declared)

    def post(self, path: str, name: str, **declared: Unpack[Declaration]) -> Callable[[E], E]:
        return self._declare("POST", path, name, declared)

    def put(self, path: str, name: str, **declared: Unpack[Declaration]) -> Callable[[E], E]:
        return self._declare("PUT", path, name, declared)

    def patch(self, path: str, name: str, **declared: Unpack[Declaration]) -> Callable[[E], E]:
        return self._declare("PATCH", path, name, declared)

    def delete(self, path: str, name: str, **declared: Unpack[Declaration]) -> Callable[[E], E]:
        return self._declare("DELETE", path, name, declared)

    def rows(self, prefix: str = "") -> Iterator[OperationRow]:
        return (replace(row, path=_without_convertors(prefix + row.path)) for row in self._rows)

    def under(self, prefix: str = "") -> list[ServedRoute]:
        return self._routes.under(prefix)

    def _declare(self, method: str, path: str, name: str, declared: Declaration) -> Callable[[E], E]:
        declared = {**self._shared, **declared}
        seed = declared.get("seed", False)
        row = OperationRow(
            area=self._area,
            name=name,
            method=method,
            path=self._prefix + path,
            callers=declared["callers"],
            seed=seed if isinstance(seed, str) else name if seed else None,
            progress=declared.get("progress", "Testing"),
        )
        self._rows.append(row)
        not_described = ("response_class", "response_model", "dependencies", "pool", "in_lane")
        passed_on: dict[str, Any] = {key: value for key, value in declared.items() if key in not_described}
        # A body that is not JSON is a file.
        takes_files = any(kind != "application/json" for kind in declared.get("body", ()))

        def add(function: E) -> E:
            errors = _shared_errors(row) | _body_errors(function) | set(declared.get("errors", ()))
            if method == "POST" and row.callers not in NO_KEYS and issubclass(self._served, ServedOperation):
                errors |= {409}  # Its Idempotency-Key may have been used before.
            described = _described(row, declared, errors)
            if "deprecated" in declared:
                described |= {"deprecated": True, "headers": declared["deprecated"].headers}
            route = self._routes.api_route(path, methods=[method], takes_files=takes_files, **described, **passed_on)
            return route(function)

        return add


def _described(row: OperationRow, declared: Declaration, errors: set[int]) -> dict[str, Any]:
    """The arguments of FastAPI's route that describe the operation in OpenAPI."""
    extra: dict[str, Any] = {"x-status": row.progress, "x-door": row.callers, "x-seed-name": row.seed or row.name}
    if caller := declared.get("example_caller", EXAMPLE_CALLERS.get(row.callers)):
        extra["x-example-caller"] = caller
    if "example_path" in declared:
        extra["x-example-path"] = dict(declared["example_path"])
    if declared.get("example_once"):
        extra["x-example-once"] = True
    if declared.get("example_of_own"):
        extra["x-example-of-own"] = True
    credentials = declared.get("credentials", CREDENTIALS[row.callers])
    extra["security"] = [{scheme: []} if scheme else {} for scheme in credentials]
    if row.callers == "tag or bearer":
        extra["security"].append({})
    if "body" in declared:
        content = {media_type: {"schema": schema} for media_type, schema in declared["body"].items()}
        extra["requestBody"] = {"required": True, "content": content}
    return {
        "operation_id": row.name.lower().replace(":", "").replace(" ", "_"),
        "summary": row.name,
        "tags": [row.area],
        "status_code": declared.get("status", 200),
        "response_description": GOOD_TITLES[declared.get("status", 200)],
        "responses": _responses(declared, errors),
        "openapi_extra": extra,
    }


def _responses(declared: Declaration, errors: set[int]) -> dict[int | str, Any]:
    status, media_type = declared.get("status", 200), declared.get("media_type", "application/json")
    responses: dict[int | str, Any] = {
        code: {"description": TITLES[code], "content": {"application/json": {"schema": ERROR}}}
        for code in sorted(errors)
    }
    if media_type != "application/json":
        schema = {"type": "string"} if media_type.startswith("text/") else {"type": "string", "format": "binary"}
        responses[status] = {"content": {media_type: {"schema": schema}}}
    if "example" in declared:
        good = responses.setdefault(status, {"content": {media_type: {}}})
        good["content"][media_type]["example"] = declared["example"]
    return responses | dict(declared.get("responses", {}))


def _shared_errors(row: OperationRow) -> set[int]:
    """What every operation with this method and these callers may answer."""
    errors = {400, 408}
    if row.callers not in NO_COOKIES:
        errors |= {422, 429}  # A parameter that it does not know; too many requests.
    if row.method not in ("GET", "DELETE"):
        errors |= {413} if row.callers in NO_COOKIES else {413, 419}
    if CREDENTIALS[row.callers]:
        errors |= {401}
    if row.callers in ("staff", "admin", "institution", "staff or institution", "signed"):
        errors |= {403}
    return errors


def _body_errors(function: Callable[..., Any]) -> set[int]:
    """What every operation with a JSON body may answer."""
    return {413, 415, 422} if "body" in function.__annotations__ else set()


def _without_convertors(path: str) -> str:
    """`/messages/{id}` for `/messages/{id:path}`, as OpenAPI writes it."""
    return Route(path or "/", _without_convertors).path_format if path else ""
