"""What a platform knows about a template, and whether a message fits it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ficha.channels.messages import Button, CouponButton, LinkButton, Template

# Where a template's text takes a value: {{1}}, {{2}}…
VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")
LONGEST_BODY = 1024
FILE_NAMES = {"image": "una imagen", "video": "un video", "document": "un documento"}

Fault = tuple[str, str]


@dataclass(frozen=True)
class ButtonInfo:
    """`kind` is quick_reply, url, phone_number, copy_code…; one-time codes are sent like the end of a link."""

    kind: str
    text: str
    has_variable: bool


@dataclass(frozen=True)
class TemplateInfo:
    """`header` is text, image, video, document, location or None."""

    template_id: str
    name: str
    language: str
    status: str
    category: str
    parameter_format: str
    body: str
    body_variables: int
    header: str | None
    header_variables: int
    buttons: Sequence[ButtonInfo]
    header_text: str = ""


def template_faults(info: TemplateInfo, template: Template) -> list[Fault]:
    """Why the platform would refuse it: where, and a sentence. Empty when it fits."""
    faults = _identity_faults(info, template)
    if info.parameter_format == "NAMED" and (info.body_variables or info.header_variables):
        faults += _named_faults("body", info.body, template.body, template.body_named)
        faults += _named_faults("header", info.header_text, template.header, template.header_named)
        return faults + _header_file_faults(info, template) + _button_faults(info, template)
    if template.body_named or template.header_named:
        faults.append(("/body_named", "Las variables de esta plantilla no tienen nombre: envíelas por orden."))
    elif len(template.body) != info.body_variables:
        faults.append(("/body", _amount("El texto", info.body_variables, len(template.body))))
    elif len(_filled(info.body, template.body)) > LONGEST_BODY:
        faults.append(("/body", f"Con sus variables, el texto pasa de {LONGEST_BODY} caracteres."))
    return faults + _header_faults(info, template) + _button_faults(info, template)


def _identity_faults(info: TemplateInfo, template: Template) -> list[Fault]:
    checks: list[tuple[bool, Fault]] = [
        (template.name != info.name, ("/name", "Es otra plantilla.")),
        (template.language != info.language, ("/language", f"La plantilla está en {info.language}.")),
        (info.status != "APPROVED", ("/name", "La plantilla no está aprobada por la plataforma.")),
    ]
    return [fault for wrong, fault in checks if wrong]


def _named_faults(part: str, text: str, ordered: Sequence[str], named: Mapping[str, str]) -> list[Fault]:
    names = set(VARIABLE.findall(text))
    faults: list[Fault] = []
    if ordered:
        faults.append((f"/{part}", "Las variables de esta plantilla tienen nombre: envíelas por su nombre."))
    elif set(named) != names:
        wanted = ", ".join(sorted(names)) or "ninguna"
        faults.append((f"/{part}_named", f"Las variables de la plantilla son: {wanted}."))
    elif len(VARIABLE.sub(lambda found: named[found[1]], text)) > LONGEST_BODY:
        faults.append((f"/{part}_named", f"Con sus variables, el texto pasa de {LONGEST_BODY} caracteres."))
    return faults


def _header_faults(info: TemplateInfo, template: Template) -> list[Fault]:
    faults: list[Fault] = []
    if len(template.header) != info.header_variables:
        faults.append(("/header", _amount("El encabezado", info.header_variables, len(template.header))))
    return faults + _header_file_faults(info, template)


def _header_file_faults(info: TemplateInfo, template: Template) -> list[Fault]:
    faults: list[Fault] = []
    if (template.location is not None) != (info.header == "location"):
        has = "lleva una ubicación" if info.header == "location" else "no lleva ubicación"
        faults.append(("/location", f"El encabezado {has}."))
    wanted = info.header if info.header in FILE_NAMES else None
    given = template.media.kind if template.media else None
    if given != wanted:
        sentence = f"El encabezado lleva {FILE_NAMES[wanted]}." if wanted else "El encabezado no lleva archivo."
        faults.append(("/media", sentence))
    return faults


def _button_faults(info: TemplateInfo, template: Template) -> list[Fault]:
    faults: list[Fault] = []
    filled: set[int] = set()
    for at, button in enumerate(template.buttons):
        here = f"/buttons/{at}"
        if not 0 <= button.index < len(info.buttons):
            faults.append((f"{here}/index", f"La plantilla tiene {len(info.buttons)} botones, contados desde 0."))
        elif button.index in filled:
            faults.append((f"{here}/index", "Ese botón ya está en la lista."))
        elif not _suits(info.buttons[button.index], button):
            faults.append((here, "El botón de ese puesto no lleva este valor."))
        filled.add(button.index)
    for index, known in enumerate(info.buttons):
        if known.kind == "url" and known.has_variable and index not in filled:
            faults.append(("/buttons", f"Falta el final del enlace del botón {index}."))
        elif known.kind == "copy_code" and index not in filled:
            faults.append(("/buttons", f"Falta el cupón del botón {index}."))
    return faults


def _suits(known: ButtonInfo, button: Button | LinkButton | CouponButton) -> bool:
    if isinstance(button, CouponButton):
        return known.kind == "copy_code"
    if isinstance(button, Button):
        return known.kind == "quick_reply"
    return known.kind == "url" and known.has_variable


def _amount(part: str, wanted: int, given: int) -> str:
    if wanted == 0:
        return f"{part} de la plantilla no lleva variables y se dieron {given}."
    return f"{part} de la plantilla lleva {wanted} {'variable' if wanted == 1 else 'variables'} y se dieron {given}."


def _filled(body: str, values: Sequence[str]) -> str:
    def value(found: re.Match[str]) -> str:
        number = int(found[1]) if found[1].isascii() and found[1].isdigit() and len(found[1]) < 4 else 0
        return values[number - 1] if 0 < number <= len(values) else found[0]

    return VARIABLE.sub(value, body)
