"""HTML forms: the fields that were sent, and what is wrong with them."""

from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import parse_qsl

from fastapi import Depends
from pydantic import TypeAdapter, ValidationError

from ficha.asgi.bodies import ReadRequest
from ficha.core.errors import FichaError

MOST_FIELDS = 50
# Of a form that only somebody who is logged in can send: the longest has fifty facts with twenty inputs each.
MOST_IN_LONG_FORM = 3000


class BadForm(FichaError):
    status = 400
    code = "formulario_invalido"
    message = "El formulario no llegó completo. Vuelva a la página y envíelo otra vez."


@dataclass(frozen=True)
class FieldFault:
    """A field to correct: the sentence is shown beside it and again on top of the page."""

    field: str
    sentence: str


def read_form(request: ReadRequest) -> dict[str, str]:
    return _read(request, MOST_FIELDS)


def read_long_form(request: ReadRequest) -> dict[str, str]:
    return _read(request, MOST_IN_LONG_FORM)


def _read(request: ReadRequest, most: int) -> dict[str, str]:
    """The texts of a posted form. Raises BadForm if it cannot be parsed, or if it is of the kind that carries files,
    which uploads.py reads."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        raise BadForm
    if kind != "application/x-www-form-urlencoded":
        return {}
    try:
        fields = parse_qsl(request.raw_body.decode("latin-1"), keep_blank_values=True, max_num_fields=most)
    except ValueError:
        raise BadForm from None
    return dict(fields)


PostedForm = Annotated[dict[str, str], Depends(read_form)]
LongForm = Annotated[dict[str, str], Depends(read_long_form)]


def fault_in(kind: TypeAdapter[Any], value: str) -> dict[str, Any] | None:
    """Pydantic's first error as `type` and `ctx`, never the value; None if the value is valid."""
    try:
        kind.validate_python(value)
    except ValidationError as refusal:
        found = refusal.errors(include_input=False, include_url=False)[0]
        return {"type": found["type"], **found.get("ctx", {})}
    return None
