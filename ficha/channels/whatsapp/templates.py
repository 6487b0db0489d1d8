"""A template in the platform's JSON, as our `TemplateInfo`."""

from collections.abc import Mapping
from typing import Any

from ficha.channels.templates import VARIABLE, ButtonInfo, TemplateInfo


def template_info(item: Mapping[str, Any]) -> TemplateInfo:
    listed = item.get("components")
    components = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    parts = {_word(each, "type").upper(): each for each in components}
    header = parts.get("HEADER")
    category = _word(item, "category").upper()
    body = _word(parts.get("BODY", {}), "text")
    buttons = parts.get("BUTTONS", {}).get("buttons")
    return TemplateInfo(
        template_id=_word(item, "id"),
        name=_word(item, "name"),
        language=_word(item, "language"),
        status=_word(item, "status").upper(),
        category=category,
        parameter_format=_word(item, "parameter_format").upper() or "POSITIONAL",
        body=body,
        # The platform writes the text of one-time codes itself and does not always show it.
        body_variables=_count(body) if body or category != "AUTHENTICATION" else 1,
        header=_word(header, "format").lower() or "text" if header is not None else None,
        header_variables=_count(_word(header or {}, "text")),
        header_text=_word(header or {}, "text"),
        buttons=[_button(each) for each in buttons if isinstance(each, dict)] if isinstance(buttons, list) else [],
    )


def _button(item: Mapping[str, Any]) -> ButtonInfo:
    kind = _word(item, "type").lower()
    if kind == "otp":
        return ButtonInfo("url", _word(item, "text"), True)
    return ButtonInfo(kind, _word(item, "text"), kind == "url" and _count(_word(item, "url")) > 0)


def _count(text: str) -> int:
    return len(set(VARIABLE.findall(text)))


def _word(item: Mapping[str, Any], name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else str(value) if isinstance(value, int) else ""
