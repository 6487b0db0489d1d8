"""The OpenAPI document read as a reference: areas, operations, fields, and an example of each call."""

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ficha.web.docs.schemas import Field, Schemas

Document = Mapping[str, Any]
TOKEN = "<ID>|<SECRET>"  # noqa: S105  A placeholder.
# The header in the example, for doors that take no token of ours.
DOOR_HEADERS = {
    "signed": "X-Hub-Signature-256: sha256=<HMAC>",
    "platform": "Authorization: Bearer <PLATFORM_TOKEN>",
}
# Paths keep their braces in an example: `/v2/auth/tokens/{id}`.


@dataclass(frozen=True)
class Operation:
    anchor: str
    area: str
    name: str
    seed: str
    status: str
    door: str
    method: str
    path: str
    description: str
    parameters: list[Field]
    body: list[Field]
    body_is_required: bool
    body_example: str
    curl: str
    answer_status: str
    answer: str
    errors: list[tuple[str, str]]

    @property
    def needs_token(self) -> bool:
        return self.door not in ("public", "signed")

    @property
    def words(self) -> str:
        """What the filter of the page searches."""
        return " ".join((self.name, self.seed, self.method, self.path, self.door, self.status, self.area)).lower()


@dataclass(frozen=True)
class Area:
    name: str
    operations: list[Operation]


def areas_of(document: Document, base_url: str) -> list[Area]:
    """In the order in which the document names them."""
    found: dict[str, list[Operation]] = {}
    for operation in _operations(document, base_url):
        found.setdefault(operation.area, []).append(operation)
    return [Area(name, operations) for name, operations in found.items()]


def _operations(document: Document, base_url: str) -> Iterator[Operation]:
    schemas = Schemas(document.get("components", {}).get("schemas", {}))
    for path, methods in document["paths"].items():
        for method, said in methods.items():
            yield _operation(schemas, base_url, path, method.upper(), said)


def _operation(schemas: Schemas, base_url: str, path: str, method: str, said: Mapping[str, Any]) -> Operation:
    request = said.get("requestBody", {})
    schema = request.get("content", {}).get("application/json", {}).get("schema")
    body = schemas.fields(schema) if schema else []
    body_example = pretty(schemas.example(schema)) if schema else ""
    answer_status, answer = _answer(said["responses"])
    door = said.get("x-door", "public")
    return Operation(
        anchor=said["operationId"],
        area=said["tags"][0],
        name=said["summary"],
        seed=said.get("x-seed-name", ""),
        status=said.get("x-status", ""),
        door=door,
        method=method,
        path=path,
        description=said.get("description", ""),
        parameters=[schemas.parameter(one) for one in said.get("parameters", [])],
        body=body,
        body_is_required=bool(request.get("required")),
        body_example=body_example,
        curl=_curl(base_url + path, method, door, body_example),
        answer_status=answer_status,
        answer=answer,
        errors=[(code, one["description"]) for code, one in said["responses"].items() if code >= "400"],
    )


def _answer(responses: Mapping[str, Any]) -> tuple[str, str]:
    for code, said in responses.items():
        if code < "400":
            example = next((kind["example"] for kind in said.get("content", {}).values() if "example" in kind), None)
            return code, example if isinstance(example, str) else pretty(example) if example is not None else ""
    return "", ""


def _curl(url: str, method: str, door: str, body: str) -> str:
    lines = [f"curl {shlex.quote(url)}" if method == "GET" else f"curl -X {method} {shlex.quote(url)}"]
    if door in DOOR_HEADERS:
        lines.append(f"-H {shlex.quote(DOOR_HEADERS[door])}")
    elif door != "public":
        lines.append(f"-H {shlex.quote(f'Authorization: Bearer {TOKEN}')}")
    if body:
        lines.append("-H 'Content-Type: application/json'")
        lines.append(f"-d {shlex.quote(body)}")
    return " \\\n  ".join(lines)


def pretty(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
