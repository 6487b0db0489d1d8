"""The JSON file of a flow: what is wrong with its outline, and where. What stands on its screens is not looked at."""

import json
import re
from typing import Any

_VERSION = re.compile(r"\d+\.\d+")
_PROPERTIES = frozenset({"version", "screens", "data_api_version", "routing_model", "data_channel_uri"})
_SCREEN_ID = re.compile(r"[A-Za-z_]+")


def validation_errors(content: bytes) -> list[dict[str, Any]]:
    text = content.decode("utf-8", "replace")
    try:
        document = json.loads(text)
    except json.JSONDecodeError as fault:
        return [_error("INVALID_JSON", "JSON_SYNTAX_ERROR", fault.msg, fault.lineno, fault.colno, 1)]
    except RecursionError:
        return [_error("INVALID_JSON", "JSON_SYNTAX_ERROR", "Too deeply nested.", 1, 1, 1)]
    if not isinstance(document, dict):
        return [_found(text, "", "INVALID_PROPERTY_TYPE", 'Expected an object at "$root".')]
    errors = [
        _found(text, name, "INVALID_PROPERTY", f'The property "{name}" cannot be specified at "$root".')
        for name in document
        if name not in _PROPERTIES
    ]
    version = document.get("version")
    if not isinstance(version, str) or not _VERSION.fullmatch(version):
        errors.append(_found(text, "version", "INVALID_PROPERTY_VALUE", "Invalid value found for property 'version'."))
    return errors + _screen_errors(text, document.get("screens"))


def _screen_errors(text: str, screens: Any) -> list[dict[str, Any]]:
    if not isinstance(screens, list) or not screens:
        return [_found(text, "screens", "REQUIRED_PROPERTY_MISSING", 'Expected screens at "$root".')]
    errors: list[dict[str, Any]] = []
    seen: set[str] = set()
    for number, screen in enumerate(screens):
        path, name = f"$root/screens/{number}", screen.get("id") if isinstance(screen, dict) else None
        if not isinstance(name, str) or not _SCREEN_ID.fullmatch(name) or name in seen:
            errors.append(_found(text, "id", "INVALID_PROPERTY_VALUE", f'Expected an id of its own at "{path}".'))
            continue
        seen.add(name)
        if not isinstance(screen.get("layout"), dict):
            errors.append(_found(text, name, "REQUIRED_PROPERTY_MISSING", f'Expected layout at "{path}".'))
    return errors


def _found(text: str, name: str, error: str, message: str) -> dict[str, Any]:
    """An error at the place where that name is first written."""
    at = max(text.find(f'"{name}"'), 0)
    line = text.count("\n", 0, at) + 1
    column = at - (text.rfind("\n", 0, at) + 1) + 1
    return _error(error, "JSON_SCHEMA_ERROR", message, line, column, len(name) + 2)


def _error(error: str, kind: str, message: str, line: int, column: int, length: int) -> dict[str, Any]:
    return {
        "error": error,
        "error_type": kind,
        "message": message,
        "line_start": line,
        "line_end": line,
        "column_start": column,
        "column_end": column + length,
    }
