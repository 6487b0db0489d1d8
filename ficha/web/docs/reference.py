"""The OpenAPI document read as a reference: areas, operations, fields, and an example of each call."""

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, urlencode

from ficha.web.docs.schemas import Field, Schemas

Document = Mapping[str, Any]
TOKEN = "<ID>|<SECRET>"  # noqa: S105  A placeholder.
# Of those who take no token of ours: what the platform gave, by the security scheme of the operation.
PLATFORM_TOKENS = {"platform": "Authorization: Bearer {secret}", "chatwoot": "api_access_token: {secret}"}
# And what signs the body, which a shell computes: lines before the call, and headers in double quotes.
DIGEST = "openssl dgst -sha256 -hmac {secret} -r | cut -c1-64"
SIGNATURES = {
    "signature": ([], [f'X-Hub-Signature-256: sha256=$(printf %s "$body" | {DIGEST})']),
    "desk_signature": (
        ["seconds=$(date +%s)"],
        [
            "X-Chatwoot-Timestamp: $seconds",
            f'X-Chatwoot-Signature: sha256=$(printf %s "$seconds.$body" | {DIGEST})',
        ],
    ),
    "payment_signature": (
        ["seconds=$(date +%s)"],
        [
            "X-Payment-Timestamp: $seconds",
            f'X-Payment-Signature: sha256=$(printf %s "$seconds.$body" | {DIGEST})',
        ],
    ),
}
OCTETS = "application/octet-stream"
FORM = "multipart/form-data"


@dataclass(frozen=True)
class Operation:
    anchor: str
    area: str
    name: str
    seed: str
    status: str
    callers: str
    method: str
    path: str
    description: str
    parameters: list[Field]
    body: list[Field]
    body_is_required: bool
    body_type: str
    body_example: str
    curl: str
    answer_status: str
    answer: str
    errors: list[tuple[str, str]]
    # Who sends the example on a server with demo people, and whether it works there only once.
    caller: str
    works_once: bool
    # The demo has none of it: the reader makes one first.
    needs_own: bool

    @property
    def needs_token(self) -> bool:
        return self.callers not in ("public", "signed", "link")

    @property
    def words(self) -> str:
        """What the filter of the page searches."""
        return " ".join((self.name, self.seed, self.method, self.path, self.callers, self.status, self.area)).lower()


@dataclass(frozen=True)
class Area:
    name: str
    operations: list[Operation]


@dataclass(frozen=True)
class Here:
    """What examples say of this server: its address, what its platforms take (by security scheme), and values that
    stand in the place of others, because they are signed here."""

    base_url: str
    secrets: Mapping[str, str]
    values: Mapping[str, str]


def areas_of(document: Document, here: Here) -> list[Area]:
    """In the order in which the document names them."""
    found: dict[str, list[Operation]] = {}
    for operation in _operations(document, here):
        found.setdefault(operation.area, []).append(operation)
    return [Area(name, operations) for name, operations in found.items()]


def _operations(document: Document, here: Here) -> Iterator[Operation]:
    components = document.get("components", {})
    schemas, shared = Schemas(components.get("schemas", {})), components.get("responses", {})
    for path, methods in document["paths"].items():
        for method, said in methods.items():
            responses = {
                status: shared[one["$ref"].rpartition("/")[2]] if "$ref" in one else one
                for status, one in said["responses"].items()
            }
            yield _operation(schemas, here, path, method.upper(), {**said, "responses": responses})


def _operation(schemas: Schemas, here: Here, path: str, method: str, said: Mapping[str, Any]) -> Operation:
    request = said.get("requestBody", {})
    body_type, schema = next(
        ((kind, content["schema"]) for kind, content in request.get("content", {}).items()), ("", None)
    )
    body = schemas.fields(schema) if schema else []
    example = schemas.example(schema) if schema else None
    body_example = str(example) if body_type == OCTETS else pretty(example) if schema else ""
    parameters = [_as_here(schemas.parameter(one), here, said) for one in said.get("parameters", [])]
    answer_status, answer = _answer(said["responses"])
    callers = said.get("x-door", "public")
    return Operation(
        anchor=said["operationId"],
        area=said["tags"][0],
        name=said["summary"],
        seed=said.get("x-seed-name", ""),
        status=said.get("x-status", ""),
        callers=callers,
        method=method,
        path=path,
        description=said.get("description", ""),
        parameters=parameters,
        body=body,
        body_is_required=bool(request.get("required")),
        body_type=body_type,
        body_example=body_example,
        curl=_curl(
            here.base_url + _filled(path, parameters),
            method,
            _parameter_headers(parameters),
            _credentials(callers, said.get("security", ()), here.secrets),
            body_type,
            example if body_type == FORM else body_example,
        ),
        answer_status=answer_status,
        answer=answer,
        errors=[(code, one["description"]) for code, one in said["responses"].items() if code >= "400"],
        caller=said.get("x-example-caller", ""),
        works_once=bool(said.get("x-example-once")),
        needs_own=bool(said.get("x-example-of-own")),
    )


def _as_here(field: Field, here: Here, said: Mapping[str, Any]) -> Field:
    example = str(said.get("x-example-path", {}).get(field.name, field.example)) if field.sent_in == "path" else ""
    return replace(field, example=here.values.get(example, example)) if example else field


def _answer(responses: Mapping[str, Any]) -> tuple[str, str]:
    for code, said in responses.items():
        if code < "400":
            example = next((kind["example"] for kind in said.get("content", {}).values() if "example" in kind), None)
            return code, example if isinstance(example, str) else pretty(example) if example is not None else ""
    return "", ""


def _filled(path: str, parameters: list[Field]) -> str:
    """The path with its examples, and those of the query behind it."""
    query = {}
    for field in parameters:
        if field.sent_in == "path":
            path = path.replace(f"{{{field.name}}}", quote(field.example, safe=""))
        elif field.sent_in == "query" and field.example:
            query[field.name] = field.example
    return f"{path}?{urlencode(query, quote_via=quote)}" if query else path


def _parameter_headers(parameters: list[Field]) -> list[str]:
    return [f"{field.name}: {field.example}" for field in parameters if field.sent_in == "header" and field.example]


@dataclass(frozen=True)
class Credentials:
    """Headers that say who calls, as they stand, or `signed` for a shell to fill in, after these lines."""

    headers: Sequence[str] = ()
    signed: Sequence[str] = ()
    lines: Sequence[str] = ()


def _credentials(callers: str, security: Sequence[Mapping[str, Any]], secrets: Mapping[str, str]) -> Credentials:
    """None where nobody need say so."""
    schemes = [name for one in security for name in one]
    for scheme, header in PLATFORM_TOKENS.items():
        if scheme in schemes:
            token = secrets.get(scheme, "<PLATFORM_TOKEN>")
            return Credentials() if {} in security else Credentials([header.format(secret=token)])
    for scheme, (lines, headers) in SIGNATURES.items():
        if scheme in schemes:
            secret = shlex.quote(secrets.get(scheme, "<SECRET>"))
            return Credentials(signed=[header.format(secret=secret) for header in headers], lines=lines)
    return Credentials() if callers in ("public", "link") else Credentials([f"Authorization: Bearer {TOKEN}"])


def _curl(url: str, method: str, headers: Sequence[str], credentials: Credentials, body_type: str, body: Any) -> str:
    """Of a form, `body` are its parts. What is signed stands in a variable, because it is needed twice."""
    lines = [f"curl {shlex.quote(url)}" if method == "GET" else f"curl -X {method} {shlex.quote(url)}"]
    lines += [f"-H {shlex.quote(header)}" for header in (*headers, *credentials.headers)]
    lines += [f'-H "{header}"' for header in credentials.signed]
    before = list(credentials.lines)
    if body_type == FORM:
        for name, given in body.items():
            lines += [
                f"-F {shlex.quote(f'{name}={value}')}" for value in (given if isinstance(given, list) else [given])
            ]
    elif body_type:
        lines.append(f"-H {shlex.quote(f'Content-Type: {body_type}')}")
    if body and body_type != FORM and credentials.signed:
        before.append(f"body={shlex.quote(body)}")
        lines.append('--data-binary "$body"')
    elif body and body_type != FORM:
        lines.append(f"--data-binary {shlex.quote(body)}")
    return "\n".join((*before, " \\\n  ".join(lines)))


def pretty(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
