"""Checks requests, responses and notifications against the platform's published OpenAPI document.

The tests of the sandbox and of the client share it, so that both are checked against the same document."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Self

from jsonschema_rs import Draft202012Validator

from tests.sandbox.whatsapp.published import add_published_operations

_HERE = Path(__file__).resolve().parents[3]
PLACE = _HERE.parent / "shared" / "contracts" / "whatsapp-cloud-subset.json"
PUBLISHED = PLACE.with_name("whatsapp-cloud-openapi.yaml")
ABSENT = "whatsapp-cloud-subset.json is not beside this checkout"
_WEBHOOK = "/whatsapp/webhooks"


class Broken(AssertionError):
    """Something is not as the contract says."""


class NotInContract(LookupError):
    """The contract does not have that operation."""


@dataclass(frozen=True)
class Contract:
    document: dict[str, Any] = field(repr=False)
    _validators: dict[str, Draft202012Validator] = field(default_factory=dict, repr=False)

    @classmethod
    @cache
    def load(cls) -> Self | None:
        if not PLACE.exists():
            return None
        document = json.loads(PLACE.read_text("utf-8"))
        add_published_operations(document, PUBLISHED)
        return cls(document)

    def check_request(self, method: str, path: str, body: Any, content_type: str = "application/json") -> None:
        content = self._operation(method, path, {}).get("requestBody", {}).get("content", {})
        if content_type in content:
            self._check(content[content_type].get("schema", {}), body, f"{method} {path}")

    def check_answer(self, method: str, path: str, status: int, body: Any) -> None:
        """`body` is the JSON of the answer. An error of any status is checked against the schema of errors."""
        operation = self._operation(method, path, body)
        answer = operation["responses"].get(str(status)) or operation["responses"]["400" if status >= 400 else "200"]
        schema = answer.get("content", {}).get("application/json", {}).get("schema", {})
        self._check(schema, body, f"the {status} of {method} {path}")

    def check_webhook(self, body: Any) -> None:
        content = self.document["paths"][_WEBHOOK]["post"]["requestBody"]["content"]
        schema = content["application/json"]["schema"]
        # The schema also takes a bare change, which lets much through: what is in an envelope is held to be one.
        if isinstance(body, dict) and "entry" in body:
            schema = {"$ref": "#/components/schemas/WebhookEnvelope"}
        self._check(schema, body, "a notification")

    def send_examples(self) -> Iterator[tuple[str, dict[str, Any]]]:
        path = "/{Version}/{Phone-Number-ID}/messages"
        content = self.document["paths"][path]["post"]["requestBody"]["content"]["application/json"]
        for name, example in content["examples"].items():
            yield name, example["value"]

    def webhook_examples(self) -> Iterator[tuple[str, dict[str, Any]]]:
        content = self.document["paths"][_WEBHOOK]["post"]["requestBody"]["content"]["application/json"]
        for name, example in content["examples"].items():
            yield name, example["value"]

    def operations(self) -> set[tuple[str, str]]:
        """Every operation of the platform, by method and path."""
        return {
            (method.upper(), path)
            for path, item in self.document["paths"].items()
            for method in item
            if method != "parameters" and path != _WEBHOOK
        }

    def path_of(self, method: str, path: str, body: Any = None) -> str:
        """The path of the contract that a real one stands for. A bare id can be a number, a file or a flow."""
        found = [
            each
            for each, item in self.document["paths"].items()
            if method.lower() in item and re.fullmatch(_pattern(each), path.partition("?")[0])
        ]
        if not found:
            raise NotInContract(f"{method} {path}")
        names = body if isinstance(body, dict) else {}
        kind = "Media-ID" if "mime_type" in names else "Flow-ID" if "categories" in names else "Phone-Number-ID"
        preferred = f"/{{Version}}/{{{kind}}}"
        return preferred if preferred in found else found[0]

    def _operation(self, method: str, path: str, body: Any) -> dict[str, Any]:
        operation: dict[str, Any] = self.document["paths"][self.path_of(method, path, body)][method.lower()]
        return operation

    def _check(self, schema: dict[str, Any], body: Any, what: str) -> None:
        key = json.dumps(schema)
        if key not in self._validators:
            self._validators[key] = Draft202012Validator({**schema, "components": self.document["components"]})
        validator = self._validators[key]
        faults = [
            f"{'/'.join(map(str, fault.instance_path))}: {fault.message}" for fault in validator.iter_errors(body)
        ]
        if faults:
            raise Broken(f"{what} breaks the contract: {'; '.join(faults)}\n{json.dumps(body)[:2000]}")


@cache
def _pattern(path: str) -> str:
    """`{Media-ID}` and its like are ids; only the version has dots in it."""
    pattern = re.escape(path).replace(re.escape("{Version}"), r"v\d+\.\d+")
    pattern = pattern.replace(re.escape("{Session-ID}"), r"[^/]+")
    pattern = pattern.replace(re.escape("{group_id}"), r"Y2FwaV9ncm91c[\w-]+")
    return re.sub(r"\\\{[A-Za-z\\-]+\\\}", r"[0-9]+", pattern)
