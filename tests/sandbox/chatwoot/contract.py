"""Checks requests to Chatwoot and its answers against its corrected OpenAPI document.

The tests of the sandbox and of the service share it, so that both are checked against the same document."""

import json
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Self

from jsonschema_rs import Draft202012Validator

PLACE = Path(__file__).resolve().parents[4] / "shared" / "contracts" / "chatwoot-subset.json"
ABSENT = "chatwoot-subset.json is not beside this checkout"
# What the sandbox has besides, because the platform has it and the service needs it.
BEYOND = ("/assignments", r"/messages/\d+", "/rails/")


@dataclass(frozen=True)
class Contract:
    document: dict[str, Any] = field(repr=False)
    _validators: dict[str, Draft202012Validator] = field(default_factory=dict, repr=False)

    @classmethod
    def load(cls) -> Self | None:
        return cls(json.loads(PLACE.read_text("utf-8"))) if PLACE.exists() else None

    def check_request(self, method: str, path: str, body: bytes, content_type: str) -> None:
        operation = self._operation(method, path)
        if operation is None or not content_type.startswith("application/json"):
            return
        content = operation.get("requestBody", {}).get("content", {})
        if "application/json" in content:
            self._check(content["application/json"].get("schema", {}), json.loads(body or b"{}"), f"{method} {path}")

    def check_answer(self, method: str, path: str, status: int, body: bytes) -> None:
        operation = self._operation(method, path)
        if operation is None:
            return
        answer = operation["responses"].get(str(status))
        assert answer is not None, f"{status} of {method} {path} is not in the contract"
        schema = answer.get("content", {}).get("application/json", {}).get("schema")
        if schema is not None:
            self._check(schema, json.loads(body), f"the {status} of {method} {path}")

    def operations(self) -> set[tuple[str, str]]:
        return {
            (method.upper(), path)
            for path, item in self.document["paths"].items()
            for method in item
            if method != "parameters"
        }

    def path_of(self, method: str, path: str) -> str | None:
        """The path of the contract that a real one stands for; the one with the fewest names in it first."""
        found = [
            each
            for each, item in self.document["paths"].items()
            if method.lower() in item and re.fullmatch(_pattern(each), path.partition("?")[0])
        ]
        return min(found, key=lambda each: each.count("{")) if found else None

    def _operation(self, method: str, path: str) -> dict[str, Any] | None:
        known = self.path_of(method, path)
        if known is None:
            assert any(re.search(each, path) for each in BEYOND), f"{method} {path} is not in the contract"
            return None
        operation: dict[str, Any] = self.document["paths"][known][method.lower()]
        return operation

    def _check(self, schema: dict[str, Any], body: Any, what: str) -> None:
        key = json.dumps(schema)
        if key not in self._validators:
            self._validators[key] = Draft202012Validator({**schema, "components": self.document["components"]})
        faults = [
            f"{'/'.join(map(str, fault.instance_path))}: {fault.message}"
            for fault in self._validators[key].iter_errors(body)
        ]
        assert not faults, f"{what} breaks the contract: {'; '.join(faults)}\n{json.dumps(body)[:2000]}"


@cache
def _pattern(path: str) -> str:
    return re.sub(r"\\\{[a-z_]+\\\}", r"[^/]+", re.escape(path))
