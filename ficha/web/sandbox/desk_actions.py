"""What a developer does at the help desk in place of an agent: each function takes a posted form."""

from collections.abc import Callable, Mapping

from ficha.core.settings import Settings
from ficha.web.kit.forms import BadForm
from ficha.web.sandbox.actions import LONGEST_TEXT, Form, WrongField
from ficha.web.sandbox.control_client import call_sandbox
from ficha.web.sandbox.desk import has_desk


def answer(settings: Settings, form: Form) -> str:
    return _write(settings, form, private=False)


def keep_note(settings: Settings, form: Form) -> str:
    return _write(settings, form, private=True)


def resolve(settings: Settings, form: Form) -> str:
    return _set_status(settings, form, "resolved")


def reopen(settings: Settings, form: Form) -> str:
    return _set_status(settings, form, "open")


# Each returns the anchor of the conversation.
DESK_ACTIONS: Mapping[str, Callable[[Settings, Form], str]] = {
    "responder": answer,
    "nota": keep_note,
    "resolver": resolve,
    "reabrir": reopen,
}


def _write(settings: Settings, form: Form, *, private: bool) -> str:
    number = _number(settings, form)
    text = form.get("texto", "").strip()
    if not text:
        raise WrongField("texto", "text_missing")
    if len(text) > LONGEST_TEXT:
        raise WrongField("texto", "text_long")
    body = {"conversation": number, "content": text, "private": private}
    call_sandbox(settings, "POST", "chatwoot/messages", body)
    return f"mesa-{number}"


def _set_status(settings: Settings, form: Form, status: str) -> str:
    number = _number(settings, form)
    call_sandbox(settings, "POST", "chatwoot/status", {"conversation": number, "status": status})
    return f"mesa-{number}"


def _number(settings: Settings, form: Form) -> int:
    number = form.get("conversacion", "")
    if not has_desk(settings) or not (number.isascii() and number.isdigit() and len(number) < 10):
        raise BadForm
    return int(number)
