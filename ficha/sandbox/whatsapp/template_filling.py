"""Fills in the variables of a template: checks them as the platform does, and makes the text that the person sees."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ficha.sandbox.whatsapp.errors import GraphError
from ficha.sandbox.whatsapp.templates import VARIABLE, Template, Templates, variables

LONGEST_BODY = 1024
LONGEST_CODE = 15
_MEDIA = ("IMAGE", "VIDEO", "DOCUMENT", "LOCATION")
_FORBIDDEN = ("\n", "\r", "\t", "     ")
_SUB_TYPES = {"QUICK_REPLY": "quick_reply", "URL": "url", "COPY_CODE": "copy_code", "OTP": "url", "FLOW": "flow"}


@dataclass(frozen=True)
class FilledTemplate:
    template: Template
    text: str
    buttons: list[dict[str, str]]
    header_media: tuple[str, Mapping[str, Any]] | None = None


@dataclass
class _Given:
    """The components of a message, by where they go."""

    header: list[Mapping[str, Any]] = field(default_factory=list)
    body: list[Mapping[str, Any]] = field(default_factory=list)
    buttons: dict[int, tuple[str, list[Mapping[str, Any]]]] = field(default_factory=dict)


def fill_template(templates: Templates, asked: object) -> FilledTemplate:
    """`asked` is the `template` object of a message; raises GraphError for what the platform would refuse."""
    if not isinstance(asked, dict) or not isinstance(asked.get("name"), str):
        raise GraphError(131008, "Parameter 'template' is mandatory for type 'template'")
    language = asked.get("language")
    if not isinstance(language, dict) or not isinstance(language.get("code"), str):
        raise GraphError(131008, "Parameter 'language' is mandatory for type 'template'")
    template = _approved(templates, asked["name"], language["code"])
    given = _read(asked.get("components") or [])
    header, media = _header(template, given.header)
    body = _text(template, "body", (template.part("BODY") or {}).get("text", ""), given.body)
    if len(body) > LONGEST_BODY:
        raise GraphError(132005, f"body: text is {len(body)} characters long, at most {LONGEST_BODY} fit.")
    if template.category == "AUTHENTICATION" and any(len(str(p.get("text", ""))) > LONGEST_CODE for p in given.body):
        raise GraphError(132005, f"body: a code has at most {LONGEST_CODE} characters.")
    footer = (template.part("FOOTER") or {}).get("text", "")
    text = "\n".join(piece for piece in (header, body, footer) if piece)
    return FilledTemplate(template, text, _buttons(template, given), media)


def _approved(templates: Templates, name: str, language: str) -> Template:
    template = templates.find(name, language)
    match template.status if template else None:
        case "APPROVED":
            assert template is not None
            return template
        case "PAUSED":
            raise GraphError(132015)
        case "DISABLED":
            raise GraphError(132016)
    raise GraphError(132001, f"template name ({name}) does not exist in {language}")


def _read(components: object) -> _Given:
    given = _Given()
    if not isinstance(components, list):
        raise GraphError(131009, "Param template['components'] must be an array.")
    for each in components:
        parameters = each.get("parameters", []) if isinstance(each, dict) else None
        if not isinstance(parameters, list) or not all(isinstance(parameter, dict) for parameter in parameters):
            raise GraphError(131009, "Param template['components'] must be objects with parameters.")
        match str(each.get("type", "")).lower():
            case "header":
                given.header += parameters
            case "body":
                given.body += parameters
            case "button":
                index = str(each.get("index", ""))
                if not index.isdigit() or int(index) > 9 or not each.get("sub_type"):
                    raise GraphError(131008, "buttons: sub_type and an index from 0 to 9 are required.")
                if int(index) in given.buttons:
                    raise GraphError(131009, f"buttons: Button at index {index} is given twice.")
                given.buttons[int(index)] = (str(each["sub_type"]).lower(), parameters)
            case other:
                raise GraphError(131009, f"Param template['components'] has an unknown type '{other}'.")
    return given


def _header(template: Template, given: Sequence[Mapping[str, Any]]) -> tuple[str, tuple[str, Mapping[str, Any]] | None]:
    part = template.part("HEADER") or {}
    kind = str(part.get("format", "TEXT")).upper()
    if kind not in _MEDIA:
        return _text(template, "header", part.get("text", ""), given), None
    received = str(given[0].get("type", "")).upper() if given else "UNKNOWN"
    if received != kind:
        raise GraphError(132012, f"header: Format mismatch, expected {kind}, received {received}")
    content = given[0].get(kind.lower())
    if len(given) != 1 or not isinstance(content, dict):
        raise GraphError(132012, f"header: Format mismatch, expected one {kind}")
    return "", (kind.lower(), content)


def _text(template: Template, path: str, text: str, given: Sequence[Mapping[str, Any]]) -> str:
    """The text with its variables filled in, in order or by name."""
    expected = variables(text)
    if len(given) != len(expected):
        raise GraphError(
            132000,
            f"{path}: number of localizable_params ({len(given)}) does not match the expected number of params"
            f" ({len(expected)})",
        )
    if template.parameter_format == "NAMED":
        values = {str(each.get("parameter_name", "")): _value(path, each) for each in given}
        if missing := [name for name in expected if name not in values]:
            raise GraphError(132012, f"{path}: Parameter name is missing or unknown, expected {', '.join(missing)}")
    else:
        values = {name: _value(path, each) for name, each in zip(sorted(expected, key=_order), given, strict=True)}
    return VARIABLE.sub(lambda found: values[found[1]], text)


def _order(name: str) -> tuple[int, str]:
    return (int(name), "") if name.isdigit() else (0, name)


def _value(path: str, parameter: Mapping[str, Any]) -> str:
    kind = parameter.get("type")
    if kind in ("currency", "date_time"):
        inner = parameter.get(str(kind))
        value = inner.get("fallback_value") if isinstance(inner, dict) else None
    elif kind == "text":
        value = parameter.get("text")
    else:
        raise GraphError(132012, f"{path}: Format mismatch, expected TEXT, received {str(kind).upper()}")
    if isinstance(value, bool | int | float):
        value = str(value)
    if not isinstance(value, str) or not value:
        raise GraphError(131008, f"{path}: Parameter of type {kind} is missing text value")
    if any(piece in value for piece in _FORBIDDEN):
        raise GraphError(132012, "Param text cannot have new-line/tab characters or more than 4 consecutive spaces")
    return value


def _buttons(template: Template, given: _Given) -> list[dict[str, str]]:
    for index in given.buttons:
        if index >= len(template.buttons):
            raise GraphError(131009, f"buttons: Button at index {index} does not exist in the template.")
    shown = []
    for index, button in enumerate(template.buttons):
        kind = str(button.get("type", "")).upper()
        sub_type, parameters = given.buttons.get(index, (None, []))
        if sub_type is not None and sub_type != _SUB_TYPES.get(kind):
            raise GraphError(132012, f"buttons: Button at index {index} is of type {kind}, received {sub_type}.")
        title = str(button.get("text", ""))
        if kind == "QUICK_REPLY":
            shown.append({"kind": "quick_reply", "title": title, "payload": _payload(index, parameters, title)})
        elif kind in ("URL", "OTP"):
            shown.append({"kind": "url", "title": title, "url": _url(index, str(button.get("url", "")), parameters)})
        elif kind == "PHONE_NUMBER":
            shown.append({"kind": "url", "title": title, "url": f"tel:{button.get('phone_number', '')}"})
    return shown


def _payload(index: int, parameters: Sequence[Mapping[str, Any]], title: str) -> str:
    if not parameters:
        return title
    payload = parameters[0].get("payload", parameters[0].get("text"))
    if len(parameters) > 1 or parameters[0].get("type") != "payload" or not isinstance(payload, str) or not payload:
        raise GraphError(132012, f"buttons: Button at index {index} expects one payload.")
    if len(payload) > 256:
        raise GraphError(131009, f"buttons: the payload at index {index} is longer than 256 characters.")
    return payload


def _url(index: int, url: str, parameters: Sequence[Mapping[str, Any]]) -> str:
    expected = len(variables(url))
    if expected and not parameters:
        raise GraphError(131008, f"buttons: Button at index {index} of type Url requires a parameter")
    if len(parameters) != expected:
        raise GraphError(
            132000,
            f"buttons: number of localizable_params ({len(parameters)}) does not match the expected number of params"
            f" ({expected})",
        )
    value = _value("buttons", parameters[0]) if expected else ""
    return VARIABLE.sub(lambda _: value, url)
