"""What a developer does on a phone in place of the person: each function takes a posted form and calls the sandbox."""

import math
from collections.abc import Callable, Mapping

from ficha.core.settings import Settings
from ficha.sandbox.whatsapp.people import is_user_id
from ficha.web.kit.forms import BadForm
from ficha.web.sandbox.control_client import call_sandbox
from ficha.web.sandbox.phones import person_of

LONGEST_TEXT = 4096
LONGEST_NAME = 100
# Some of the reasons why a delivery can fail. Each has its sentence in the phrases.
FAILURE_CODES = (131026, 131047, 131049, 131000)

Form = Mapping[str, str]


class WrongField(Exception):
    """A field that must be corrected, and the key of the phrase that says how."""

    def __init__(self, field: str, phrase: str) -> None:
        super().__init__(phrase)
        self.field = field
        self.phrase = phrase


def write_text(settings: Settings, form: Form) -> str:
    person = _person(form)
    call_sandbox(settings, "POST", "messages", {"from": person, "type": "text", "text": typed_text(form)})
    return person


def press_button(settings: Settings, form: Form) -> str:
    """The sandbox finds the button by its payload, and adds its label."""
    person = _person(form)
    kind = form.get("tipo", "")
    if kind not in ("button", "interactive"):
        raise BadForm
    pressed = {"from": person, "type": kind, "reply_to": form.get("mensaje", ""), "payload": form.get("carga", "")}
    call_sandbox(settings, "POST", "messages", pressed)
    return person


def share_location(settings: Settings, form: Form) -> str:
    person = _person(form)
    location = {"latitude": _degrees(form, "latitud", 90), "longitude": _degrees(form, "longitud", 180)}
    call_sandbox(settings, "POST", "messages", {"from": person, "type": "location", "location": location})
    return person


def open_chat(settings: Settings, form: Form) -> str:
    person = _person(form)
    call_sandbox(settings, "POST", "read", {"user": person})
    return person


def fail_delivery(settings: Settings, form: Form) -> str:
    person = _person(form)
    code = _code(form)
    if code is None:
        raise BadForm
    failed = {"id": form.get("mensaje", ""), "status": "failed", "error_code": code}
    call_sandbox(settings, "POST", "statuses", failed)
    return person


def choose_outcome(settings: Settings, form: Form) -> str:
    """Whether the next messages to this phone arrive or fail with a code."""
    person = _person(form)
    code = _code(form)
    fails = call_sandbox(settings, "GET", "behaviour")["fails"]
    kept = {written: known for written, known in fails.items() if person_of(written) != person}
    call_sandbox(settings, "PUT", "behaviour", {"fails": kept | ({} if code is None else {person: code})})
    return person


def write_as_new_person(settings: Settings, form: Form) -> str:
    """A message from somebody new, given by number or, for people who show none, by id."""
    written = form.get("numero", "").strip()
    person = person_of(written)
    # Without the plus sign the sandbox would add the code of its own country.
    if person is None or not (written.startswith("+") or is_user_id(written)):
        raise WrongField("numero", "number_wrong")
    name = form.get("nombre", "").strip()
    if len(name) > LONGEST_NAME:
        raise WrongField("nombre", "name_long")
    message = {"from": written, "type": "text", "text": typed_text(form)} | ({"name": name} if name else {})
    call_sandbox(settings, "POST", "messages", message)
    return person


# Each returns the person whose phone it was.
ACTIONS: Mapping[str, Callable[[Settings, Form], str]] = {
    "texto": write_text,
    "boton": press_button,
    "lugar": share_location,
    "leer": open_chat,
    "fallar": fail_delivery,
    "destino": choose_outcome,
    "nuevo": write_as_new_person,
}
# Where a refusal by the sandbox itself is shown, in the forms that have something to correct.
FIRST_FIELD = {"texto": "texto", "lugar": "latitud", "nuevo": "numero"}


def _person(form: Form) -> str:
    person = form.get("persona", "")
    if not is_user_id(person):
        raise BadForm
    return person


def typed_text(form: Form) -> str:
    text = form.get("texto", "").strip()
    if not text:
        raise WrongField("texto", "text_missing")
    if len(text) > LONGEST_TEXT:
        raise WrongField("texto", "text_long")
    return text


def _degrees(form: Form, name: str, largest: int) -> float:
    """Written with a point or, as is usual in Spanish, with a comma; raises WrongField."""
    try:
        number = float(form.get(name, "").strip().replace(",", "."))
    except ValueError:
        number = math.nan
    if not abs(number) <= largest:
        raise WrongField(name, f"{name}_wrong")
    return number


def _code(form: Form) -> int | None:
    code = form.get("codigo", "")
    if code and code not in map(str, FAILURE_CODES):
        raise BadForm
    return int(code) if code else None
