"""Interactive messages of the business: buttons, lists, links and location requests, within the platform's limits."""

from collections.abc import Mapping
from typing import Any

from ficha.sandbox.whatsapp.errors import GraphError

_LONGEST_BODY = {"button": 1024, "list": 4096, "location_request_message": 1024, "cta_url": 1024}
_NOT_IN_SANDBOX = frozenset(
    {"flow", "product", "product_list", "catalog_message", "call_permission_request", "order_details", "order_status"}
)


def read_interactive(content: Mapping[str, Any]) -> tuple[str, list[dict[str, str]]]:
    """The text that the person reads, and the buttons; raises GraphError if the message breaks a limit."""
    kind = str(content.get("type"))
    if kind in _NOT_IN_SANDBOX:
        raise GraphError(100, f"Interactive messages of type {kind} are not part of the sandbox.", subcode=33)
    if kind not in _LONGEST_BODY:
        raise GraphError(131009, f"Param interactive['type'] is not valid: {kind}")
    action = content.get("action")
    if not isinstance(action, dict):
        raise GraphError(131008, "Parameter 'action' is mandatory for type 'interactive'")
    header = _part(content, "header")
    pieces = [
        _limited(header.get("text", ""), "header", 60) if header.get("type") == "text" else "",
        _limited(_part(content, "body").get("text"), "body", _LONGEST_BODY[kind], required=True),
        _limited(_part(content, "footer").get("text", ""), "footer", 60),
    ]
    match kind:
        case "button":
            buttons = _reply_buttons(action.get("buttons"))
        case "list":
            buttons = _rows(action)
        case "cta_url":
            buttons = [_link(action.get("parameters"))]
        case _:
            if action.get("name") != "send_location":
                raise GraphError(131009, "Param interactive['action']['name'] must be send_location.")
            buttons = [{"kind": "location_request", "title": "Enviar ubicación"}]
    return "\n".join(piece for piece in pieces if piece), buttons


def _part(content: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = content.get(name)
    return part if isinstance(part, dict) else {}


def _limited(text: Any, path: str, longest: int, *, required: bool = False) -> str:
    if text is None and required:
        raise GraphError(131008, f"Parameter '{path}.text' is mandatory for type 'interactive'")
    if not isinstance(text, str) or (required and not text) or len(text) > longest:
        raise GraphError(131009, f"{path} text length invalid. Min length: {int(required)}, Max length: {longest}")
    return text


def _reply_buttons(given: Any) -> list[dict[str, str]]:
    if not isinstance(given, list) or not 1 <= len(given) <= 3:
        raise GraphError(131009, "Invalid buttons count. Min allowed buttons: 1, Max allowed buttons: 3")
    found = []
    for each in given:
        reply = each.get("reply") if isinstance(each, dict) and each.get("type") == "reply" else None
        if not isinstance(reply, dict):
            raise GraphError(131009, "Buttons must be of type reply.")
        title = _limited(reply.get("title"), "Button title", 20, required=True)
        payload = _limited(reply.get("id"), "Button id", 256, required=True)
        found.append({"kind": "quick_reply", "title": title, "payload": payload})
    for name, label in (("title", "Button titles"), ("payload", "Button ids")):
        if len({each[name] for each in found}) < len(found):
            raise GraphError(131009, f"{label} must be unique.")
    return found


def _rows(action: Mapping[str, Any]) -> list[dict[str, str]]:
    _limited(action.get("button"), "Button", 20, required=True)
    sections = action.get("sections")
    if not isinstance(sections, list) or not 1 <= len(sections) <= 10:
        raise GraphError(131009, "Invalid sections count. Min allowed sections: 1, Max allowed sections: 10")
    found = []
    for section in sections:
        rows = section.get("rows") if isinstance(section, dict) else None
        if not isinstance(rows, list) or not rows:
            raise GraphError(131009, "Each section needs at least one row.")
        _limited(section.get("title", ""), "Section title", 24, required=len(sections) > 1)
        for row in rows:
            if not isinstance(row, dict):
                raise GraphError(131009, "Rows must be objects.")
            found.append(
                {
                    "kind": "list_row",
                    "title": _limited(row.get("title"), "Row title", 24, required=True),
                    "payload": _limited(row.get("id"), "Row id", 200, required=True),
                    "description": _limited(row.get("description", ""), "Row description", 72),
                }
            )
    if len(found) > 10:
        raise GraphError(131009, "Total row count exceed max allowed count: 10")
    if len({each["payload"] for each in found}) < len(found):
        raise GraphError(131009, "Row ids must be unique.")
    return found


def _link(parameters: Any) -> dict[str, str]:
    if not isinstance(parameters, dict) or not str(parameters.get("url", "")).startswith(("http://", "https://")):
        raise GraphError(131009, "Param interactive['action']['parameters']['url'] is not a valid URI.")
    title = _limited(parameters.get("display_text"), "display_text", 20, required=True)
    return {"kind": "url", "title": title, "url": str(parameters["url"])}
