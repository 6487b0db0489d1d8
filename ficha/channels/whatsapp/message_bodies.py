"""Our messages as the platform's JSON. Its limits are checked here: BadContent points to our own field."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ficha.channels.errors import BadContent
from ficha.channels.messages import Button, Content, CouponButton, LinkButton, Location, Media, Outgoing, Template, Text
from ficha.channels.whatsapp.json_checks import UNSTORABLE
from ficha.core.errors import Sentence

TEXT = 4096
CAPTION = 1024
KEY = 512
PAYLOAD = 256
LINK_END = 2000
COUPON = 20
BUTTONS = 10

PHONE = re.compile(r"\+[1-9][0-9]{6,14}")
USER_ID = re.compile(r"[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}")
MESSAGE_ID = re.compile(r"(wamid\.)?[A-Za-z0-9+/=_-]+")
TEMPLATE_NAME = re.compile(r"[a-z0-9_-]{1,512}")
LANGUAGE = re.compile(r"[a-z]{2,3}(_[A-Za-z0-9]{2,4})?")
VARIABLE_NAME = re.compile(r"[a-z0-9_]{1,60}")
LINK = re.compile(r"https?://[^\s]+")
CAPTIONED = frozenset({"image", "video", "document"})
HEADER_FILES = frozenset({"image", "video", "document"})


def message_body(message: Outgoing) -> dict[str, Any]:
    kind, part = _content(message.content)
    body: dict[str, Any] = {
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        **_recipient(message.to),
        "biz_opaque_callback_data": _text("/key", message.key, KEY),
        "type": kind,
        kind: part,
    }
    if message.reply_to is not None:
        body["context"] = {"message_id": message_id("/reply_to", message.reply_to)}
    return body


def read_body(provider_id: str) -> dict[str, Any]:
    message = message_id("/message_id", provider_id)
    return {"messaging_product": "whatsapp", "status": "read", "message_id": message}


def message_id(pointer: str, value: str) -> str:
    if not MESSAGE_ID.fullmatch(value):
        raise BadContent(pointer, "No es el identificador de un mensaje.")
    return value


def _recipient(to: str) -> dict[str, str]:
    # Without the plus sign the platform may put our own country before the number.
    if PHONE.fullmatch(to):
        return {"to": to}
    if USER_ID.fullmatch(to):
        return {"recipient": to}
    raise BadContent("/to", "Escriba el número con + y código de país, o un identificador de usuario.")


def _content(content: Content) -> tuple[str, dict[str, Any]]:
    match content:
        case Text():
            # No preview: to make one, the platform's servers would open a link meant for one person.
            return "text", {"body": _text("/body", content.body, TEXT), "preview_url": False}
        case Location():
            return "location", _location(content)
        case Media():
            return content.kind, _media("", content)
        case Template():
            return "template", _template(content)


def _location(location: Location) -> dict[str, Any]:
    for name, value, most in (("latitude", location.latitude, 90), ("longitude", location.longitude, 180)):
        if not math.isfinite(value) or abs(value) > most:
            raise BadContent(f"/{name}", Sentence("Debe estar entre -{most} y {most}.", most=most))
    part: dict[str, Any] = {"latitude": float(location.latitude), "longitude": float(location.longitude)}
    for name, text in (("name", location.name), ("address", location.address)):
        if text is not None:
            part[name] = _text(f"/{name}", text, CAPTION)
    return part


def _media(above: str, media: Media) -> dict[str, Any]:
    if (media.media_id is None) == (media.link is None):
        raise BadContent(
            f"{above}/media_id", "Indique el archivo por su identificador o por su enlace: uno de los dos."
        )
    part: dict[str, Any] = {}
    if media.media_id is not None:
        part["id"] = _text(f"{above}/media_id", media.media_id, 256)
    if media.link is not None:
        if not LINK.fullmatch(media.link):
            raise BadContent(f"{above}/link", "El enlace debe empezar por https:// y no llevar espacios.")
        part["link"] = _text(f"{above}/link", media.link, LINK_END)
    if media.caption is not None:
        if media.kind not in CAPTIONED:
            raise BadContent(f"{above}/caption", "Este tipo de archivo no lleva texto.")
        part["caption"] = _text(f"{above}/caption", media.caption, CAPTION)
    if media.filename is not None:
        if media.kind != "document":
            raise BadContent(f"{above}/filename", "Solo los documentos llevan nombre de archivo.")
        part["filename"] = _text(f"{above}/filename", media.filename, 240)
    return part


def _template(template: Template) -> dict[str, Any]:
    if not TEMPLATE_NAME.fullmatch(template.name):
        raise BadContent("/name", "Use minúsculas, cifras y guiones bajos.")
    if not LANGUAGE.fullmatch(template.language):
        raise BadContent("/language", "Escriba el idioma como es o es_MX.")
    if len(template.buttons) > BUTTONS:
        raise BadContent("/buttons", Sentence("Una plantilla tiene {most} botones como máximo.", most=BUTTONS))
    components = [*_header(template), *_variables("body", template.body, template.body_named)]
    pressed: set[int] = set()
    for at, button in enumerate(template.buttons):
        here = f"/buttons/{at}"
        if not 0 <= button.index < BUTTONS or button.index in pressed:
            raise BadContent(f"{here}/index", "Cada botón lleva su propio puesto, de 0 a 9.")
        pressed.add(button.index)
        components.append(_button(here, button))
    part: dict[str, Any] = {"name": template.name, "language": {"code": template.language}}
    return part | ({"components": components} if components else {})


def _header(template: Template) -> list[dict[str, Any]]:
    media, location = template.media, template.location
    if media is None and location is None:
        return _variables("header", template.header, template.header_named)
    if template.header or template.header_named or (media is not None and location is not None):
        raise BadContent("/header", "El encabezado lleva texto, un archivo o una ubicación: uno solo.")
    if media is None:
        assert location is not None
        return [{"type": "header", "parameters": [{"type": "location", "location": _location(location)}]}]
    if media.kind not in HEADER_FILES or media.caption is not None:
        raise BadContent("/media", "El encabezado muestra una imagen, un video o un documento, sin texto.")
    parameter = {"type": media.kind, media.kind: _media("/media", media)}
    return [{"type": "header", "parameters": [parameter]}]


def _variables(part: str, values: Sequence[str], named: Mapping[str, str]) -> list[dict[str, Any]]:
    if values and named:
        raise BadContent(f"/{part}", "Las variables van por orden o por nombre, no de las dos maneras.")
    parameters = [{"type": "text", "text": variable(f"/{part}/{at}", value)} for at, value in enumerate(values)]
    for name, value in named.items():
        if not VARIABLE_NAME.fullmatch(name):
            raise BadContent(f"/{part}_named", "El nombre de una variable lleva minúsculas, cifras y guiones bajos.")
        parameters.append({"type": "text", "parameter_name": name, "text": variable(f"/{part}_named/{name}", value)})
    return [{"type": part, "parameters": parameters}] if parameters else []


def variable(pointer: str, value: str) -> str:
    """The platform refuses the whole message for one line break in a variable."""
    if re.search(r"[\n\r\t]| {4}", value):
        raise BadContent(pointer, "Una variable no lleva saltos de línea, tabuladores ni cuatro espacios seguidos.")
    return _text(pointer, value, CAPTION)


def _button(here: str, button: Button | LinkButton | CouponButton) -> dict[str, Any]:
    if isinstance(button, CouponButton):
        kind, parameter = (
            "copy_code",
            {"type": "coupon_code", "coupon_code": _text(f"{here}/coupon_code", button.coupon, COUPON)},
        )
    elif isinstance(button, Button):
        kind, parameter = (
            "quick_reply",
            {"type": "payload", "payload": _text(f"{here}/payload", button.payload, PAYLOAD)},
        )
    else:
        if re.search(r"\s", button.text):
            raise BadContent(f"{here}/text", "El final de un enlace no lleva espacios.")
        kind, parameter = "url", {"type": "text", "text": _text(f"{here}/text", button.text, LINK_END)}
    return {"type": "button", "sub_type": kind, "index": str(button.index), "parameters": [parameter]}


def _text(pointer: str, value: str, most: int) -> str:
    if not value.strip():
        raise BadContent(pointer, "No puede estar vacío.")
    if len(value) > most:
        raise BadContent(pointer, Sentence("Admite {most} caracteres como máximo.", most=most))
    if UNSTORABLE.search(value):
        raise BadContent(pointer, "Contiene caracteres que no se pueden enviar.")
    return value
