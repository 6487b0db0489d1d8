"""What a developer does on a phone in a contact's place. Each takes a posted form and tells the sandbox."""

import math
from collections.abc import Callable, Mapping

from ficha.core.settings import Settings
from ficha.sandbox.whatsapp.people import is_user_id
from ficha.web.kit.forms import BadForm
from ficha.web.sandbox.control import call
from ficha.web.sandbox.phones import person_of

LONGEST_TEXT = 4096
LONGEST_NAME = 100
# Why deliveries fail, of the many reasons the platform knows. Each has its words in the phrases.
CODES = (131026, 131047, 131049, 131000)

Form = Mapping[str, str]


class Wrong(Exception):
    """A field to correct, and the key of the phrase that says how."""

    def __init__(self, field: str, phrase: str) -> None:
        super().__init__(phrase)
        self.field = field
        self.phrase = phrase


def write_text(settings: Settings, form: Form) -> str:
    person = _person(form)
    call(settings, "POST", "messages", {"from": person, "type": "text", "text": _text(form)})
    return person


def press_button(settings: Settings, form: Form) -> str:
    """The sandbox finds the button by what it carries, and sends its label back with it."""
    person = _person(form)
    kind = form.get("tipo", "")
    if kind not in ("button", "interactive"):
        raise BadForm
    pressed = {"from": person, "type": kind, "reply_to": form.get("mensaje", ""), "payload": form.get("carga", "")}
    call(settings, "POST", "messages", pressed)
    return person


def share_place(settings: Settings, form: Form) -> str:
    person = _person(form)
    place = {"latitude": _degrees(form, "latitud", 90), "longitude": _degrees(form, "longitud", 180)}
    call(settings, "POST", "messages", {"from": person, "type": "location", "location": place})
    return person


def open_chat(settings: Settings, form: Form) -> str:
    person = _person(form)
    call(settings, "POST", "read", {"user": person})
    return person


def fail_delivery(settings: Settings, form: Form) -> str:
    person = _person(form)
    code = _code(form)
    if code is None:
        raise BadForm
    failed = {"id": form.get("mensaje", ""), "status": "failed", "error_code": code}
    call(settings, "POST", "statuses", failed)
    return person


def choose_fate(settings: Settings, form: Form) -> str:
    """What becomes of the next messages to this phone: they arrive, or they fail with a code."""
    person = _person(form)
    code = _code(form)
    fails = call(settings, "GET", "behaviour")["fails"]
    kept = {written: known for written, known in fails.items() if person_of(written) != person}
    call(settings, "PUT", "behaviour", {"fails": kept | ({} if code is None else {person: code})})
    return person


def write_first(settings: Settings, form: Form) -> str:
    """Somebody new, who may show no number: then it is an id."""
    written = form.get("numero", "").strip()
    person = person_of(written)
    # Without the plus sign the sandbox would think of its own country.
    if person is None or not (written.startswith("+") or is_user_id(written)):
        raise Wrong("numero", "number_wrong")
    name = form.get("nombre", "").strip()
    if len(name) > LONGEST_NAME:
        raise Wrong("nombre", "name_long")
    message = {"from": written, "type": "text", "text": _text(form)} | ({"name": name} if name else {})
    call(settings, "POST", "messages", message)
    return person


# Each answers with the person whose phone it was.
ACTIONS: Mapping[str, Callable[[Settings, Form], str]] = {
    "texto": write_text,
    "boton": press_button,
    "lugar": share_place,
    "leer": open_chat,
    "fallar": fail_delivery,
    "destino": choose_fate,
    "nuevo": write_first,
}
# Where a refusal by the sandbox itself is shown, in the forms that have something to correct.
FIRST_FIELD = {"texto": "texto", "lugar": "latitud", "nuevo": "numero"}


def _person(form: Form) -> str:
    person = form.get("persona", "")
    if not is_user_id(person):
        raise BadForm
    return person


def _text(form: Form) -> str:
    text = form.get("texto", "").strip()
    if not text:
        raise Wrong("texto", "text_missing")
    if len(text) > LONGEST_TEXT:
        raise Wrong("texto", "text_long")
    return text


def _degrees(form: Form, name: str, largest: int) -> float:
    """With a point or, as people here write it, with a comma."""
    try:
        number = float(form.get(name, "").strip().replace(",", "."))
    except ValueError:
        number = math.nan
    if not abs(number) <= largest:
        raise Wrong(name, f"{name}_wrong")
    return number


def _code(form: Form) -> int | None:
    code = form.get("codigo", "")
    if code and code not in map(str, CODES):
        raise BadForm
    return int(code) if code else None
