"""Forms whose fields are those of a Pydantic model: the model says what is allowed, here as in the API."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from ficha.asgi.faults import fields_error
from ficha.core.errors import FichaError
from ficha.web.kit.forms import FieldFault
from ficha.web.kit.lists import FilterChoice

M = TypeVar("M", bound=BaseModel)

FieldKind = Literal["text", "paragraph", "checkbox", "choice"]


class ModelField(NamedTuple):
    """A field of the model, as a form asks for it."""

    name: str
    kind: FieldKind = "text"


class ShownField(NamedTuple):
    name: str
    kind: FieldKind
    label: str
    value: str
    hint: str = ""
    choices: Sequence[FilterChoice] = ()


class WrongForm(Exception):
    """A form to correct."""

    def __init__(self, faults: Sequence[FieldFault]) -> None:
        super().__init__()
        self.faults = faults


def read_model(model: type[M], fields: Sequence[ModelField], form: Mapping[str, str], **given: Any) -> M:
    """The model with what the form says, and with what is `given` besides. An empty field counts as left out. Raises
    WrongForm."""
    values: dict[str, Any] = dict(given)
    for field in fields:
        text = form.get(field.name, "")
        if field.kind == "checkbox":
            values[field.name] = bool(text)
        elif text.strip():
            is_number = model.model_fields[field.name].annotation in (int, int | None)
            values[field.name] = _number(text) if is_number else text
    try:
        return model.model_validate(values)
    except ValidationError as refusal:
        found = refusal.errors(include_input=False, include_url=False)
        raise WrongForm(faults_of(fields_error([{**one, "loc": ("body", *one["loc"])} for one in found]))) from None


def faults_of(error: FichaError, otherwise: str = "") -> list[FieldFault]:
    """What an error of the domain says about the fields of a form; `otherwise` is the field for what names none."""
    faults = []
    for problem in error.problems:
        source = problem.source
        name = source.name.strip("/").partition("/")[0] if source is not None and source.kind == "pointer" else ""
        faults.append(FieldFault(name or otherwise, problem.detail))
    return faults


def stored_texts(values: Mapping[str, Any]) -> dict[str, str]:
    """What is stored, as the fields of a form hold it."""
    return {name: _text(value) for name, value in values.items()}


def _number(text: str) -> int | str:
    """What is no number stays text, which the model refuses."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else text


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else ""
    return "" if value is None else str(value)
