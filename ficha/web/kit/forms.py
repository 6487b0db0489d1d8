"""HTML forms: the fields that were sent, and what is wrong with them."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends
from pydantic import TypeAdapter, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request

from ficha.core.errors import FichaError

MOST_FIELDS = 50


class BadForm(FichaError):
    status = 400
    code = "formulario_invalido"
    message = "El formulario no llegó completo. Vuelva a la página y envíelo otra vez."


@dataclass(frozen=True)
class Fault:
    """A field to correct: the sentence is shown beside it and again on top of the page."""

    field: str
    sentence: str


async def read_form(request: Request) -> dict[str, str]:
    """The texts of a posted form; files are left out. Raises BadForm if it cannot be parsed."""
    try:
        form = await request.form(max_files=0, max_fields=MOST_FIELDS)
    except HTTPException:
        raise BadForm from None
    return {name: value for name, value in form.items() if isinstance(value, str)}


PostedForm = Annotated[dict[str, str], Depends(read_form)]


def fault_in(kind: TypeAdapter[Any], value: str) -> dict[str, Any] | None:
    """Pydantic's first error as `type` and `ctx`, never the value; None if the value is valid."""
    try:
        kind.validate_python(value)
    except ValidationError as refusal:
        found = refusal.errors(include_input=False, include_url=False)[0]
        return {"type": found["type"], **found.get("ctx", {})}
    return None
