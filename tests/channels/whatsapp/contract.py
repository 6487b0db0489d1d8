"""Checks what our client sends against the platform's published contract, if that file is beside this checkout."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jsonschema_rs
import pytest

PLACE = Path(__file__).resolve().parents[4] / "shared" / "contracts" / "whatsapp-cloud-subset.json"
IS_HERE = PLACE.exists()
ABSENT = f"{PLACE.name} is not beside this checkout"
DOCUMENT: dict[str, Any] = json.loads(PLACE.read_text("utf-8")) if IS_HERE else {"paths": {}, "components": {}}
COMPONENTS = {"components": DOCUMENT["components"]}
# Every operation accepts this parameter, although the contract does not list it.
EVERYWHERE = {"appsecret_proof"}


@cache
def schema(name: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator({"$ref": f"#/components/schemas/{name}"} | COMPONENTS)


def webhook_examples() -> dict[str, Any]:
    """Skips the calling test where the contract is missing."""
    if not IS_HERE:
        pytest.skip(ABSENT)
    content = DOCUMENT["paths"]["/whatsapp/webhooks"]["post"]["requestBody"]["content"]["application/json"]
    return {name: example["value"] for name, example in content["examples"].items()}


def faults(method: str, target: str, headers: dict[str, str], body: bytes) -> list[str]:
    """Why the request fits no operation of the document; empty when one takes it, and where there is no document."""
    found: list[str] = []
    if not IS_HERE:
        return found
    for path, operations in DOCUMENT["paths"].items():
        operation = operations.get(method.lower())
        if operation and re.fullmatch(_pattern(path), urlsplit(target).path):
            faults_here = list(_operation_faults(operation, target, headers, body))
            if not faults_here:
                return []
            found += faults_here
    return found or [f"{method} {target} is not in the contract"]


def _pattern(path: str) -> str:
    pattern = re.escape(path).replace(r"\{Version\}", r"v\d+\.\d+")
    return re.sub(r"\\\{[A-Za-z\\-]+\\\}", "[^/]+", pattern)


def _operation_faults(operation: dict[str, Any], target: str, headers: dict[str, str], body: bytes) -> Any:
    given = parse_qs(urlsplit(target).query)
    asked = {each["name"]: each for each in operation["parameters"]}
    # The id of an upload session contains a query of its own.
    unknown = set() if "/upload:" in target else given.keys() - asked.keys() - EVERYWHERE
    yield from (f"unknown parameter {name}" for name in unknown)
    for name, parameter in asked.items():
        value = given.get(name, [None])[0] if parameter["in"] == "query" else headers.get(name.lower())
        if value is None:
            if parameter["required"]:
                yield f"{name} is missing"
        else:
            kind = parameter["schema"].get("type")
            checked = int(value) if kind == "integer" else value
            yield from (error.message for error in jsonschema_rs.iter_errors(parameter["schema"], checked))
    content = operation.get("requestBody", {}).get("content", {})
    kind = headers.get("content-type", "").partition(";")[0]
    if content and kind not in content:
        yield f"{kind or 'nothing'} where {', '.join(content)} is asked"
    elif kind == "application/json":
        sent = json.loads(body)
        rule = content[kind]["schema"]
        # anyOf would let a wrong location pass as a right text: the type says which one is meant.
        if isinstance(sent, dict) and "type" in sent and operation["operationId"] == "sendMessage":
            rule = {"$ref": f"#/components/schemas/Send{sent['type'].title()}"}
        yield from (error.message for error in jsonschema_rs.iter_errors(rule | COMPONENTS, sent))
