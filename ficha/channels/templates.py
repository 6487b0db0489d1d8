"""What a platform knows about a template, and whether a message fits it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ficha.channels.messages import Button, CouponButton, LinkButton, Template
from ficha.core.errors import Sentence

# Where a template's text takes a value: {{1}}, {{2}}…
VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")
LONGEST_BODY = 1024
TOO_LONG = Sentence("Con sus variables, el texto pasa de {most} caracteres.", most=LONGEST_BODY)
FILE_SENTENCES = {
    "image": "El encabezado lleva una imagen.",
    "video": "El encabezado lleva un video.",
    "document": "El encabezado lleva un documento.",
}

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
        faults.append(("/body", TOO_LONG))
    return faults + _header_faults(info, template) + _button_faults(info, template)


def _identity_faults(info: TemplateInfo, template: Template) -> list[Fault]:
    checks: list[tuple[bool, Fault]] = [
        (template.name != info.name, ("/name", "Es otra plantilla.")),
        (
            template.language != info.language,
            ("/language", Sentence("La plantilla está en {language}.", language=info.language)),
        ),
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
        faults.append((f"/{part}_named", Sentence("Las variables de la plantilla son: {wanted}.", wanted=wanted)))
    elif len(VARIABLE.sub(lambda found: named[found[1]], text)) > LONGEST_BODY:
        faults.append((f"/{part}_named", TOO_LONG))
    return faults


def _header_faults(info: TemplateInfo, template: Template) -> list[Fault]:
    faults: list[Fault] = []
    if len(template.header) != info.header_variables:
        faults.append(("/header", _amount("El encabezado", info.header_variables, len(template.header))))
    return faults + _header_file_faults(info, template)


def _header_file_faults(info: TemplateInfo, template: Template) -> list[Fault]:
    faults: list[Fault] = []
    if (template.location is not None) != (info.header == "location"):
        is_asked = info.header == "location"
        told = "El encabezado lleva una ubicación." if is_asked else "El encabezado no lleva ubicación."
        faults.append(("/location", told))
    wanted = info.header if info.header in FILE_SENTENCES else None
    given = template.media.kind if template.media else None
    if given != wanted:
        sentence = FILE_SENTENCES[wanted] if wanted else "El encabezado no lleva archivo."
        faults.append(("/media", sentence))
    return faults


def _button_faults(info: TemplateInfo, template: Template) -> list[Fault]:
    faults: list[Fault] = []
    filled: set[int] = set()
    for at, button in enumerate(template.buttons):
        here = f"/buttons/{at}"
        if not 0 <= button.index < len(info.buttons):
            told = Sentence("La plantilla tiene {count} botones, contados desde 0.", count=len(info.buttons))
            faults.append((f"{here}/index", told))
        elif button.index in filled:
            faults.append((f"{here}/index", "Ese botón ya está en la lista."))
        elif not _suits(info.buttons[button.index], button):
            faults.append((here, "El botón de ese puesto no lleva este valor."))
        filled.add(button.index)
    for index, known in enumerate(info.buttons):
        if known.kind == "url" and known.has_variable and index not in filled:
            faults.append(("/buttons", Sentence("Falta el final del enlace del botón {index}.", index=index)))
        elif known.kind == "copy_code" and index not in filled:
            faults.append(("/buttons", Sentence("Falta el cupón del botón {index}.", index=index)))
    return faults


def _suits(known: ButtonInfo, button: Button | LinkButton | CouponButton) -> bool:
    if isinstance(button, CouponButton):
        return known.kind == "copy_code"
    if isinstance(button, Button):
        return known.kind == "quick_reply"
    return known.kind == "url" and known.has_variable


def _amount(part: str, wanted: int, given: int) -> str:
    if wanted == 0:
        said = f"{part} de la plantilla no lleva variables y se dieron {given}."
    else:
        said = (
            f"{part} de la plantilla lleva {wanted} {'variable' if wanted == 1 else 'variables'} y se dieron {given}."
        )
    return Sentence("Lleva {wanted} variables y se dieron {given}.", spanish=said, wanted=wanted, given=given)


def _filled(body: str, values: Sequence[str]) -> str:
    def value(found: re.Match[str]) -> str:
        number = int(found[1]) if found[1].isascii() and found[1].isdigit() and len(found[1]) < 4 else 0
        return values[number - 1] if 0 < number <= len(values) else found[0]

    return VARIABLE.sub(value, body)
