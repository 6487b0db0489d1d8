"""Plain HTML forms: what was typed, and what is wrong with it."""

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
    """Something to correct: shown beside its field and again on top of the page."""

    field: str
    sentence: str


async def typed(request: Request) -> dict[str, str]:
    """The texts of a posted form. Files are no part of these forms."""
    try:
        form = await request.form(max_files=0, max_fields=MOST_FIELDS)
    except HTTPException:
        raise BadForm from None
    return {name: value for name, value in form.items() if isinstance(value, str)}


Typed = Annotated[dict[str, str], Depends(typed)]


def fault_in(kind: TypeAdapter[Any], value: str) -> dict[str, Any] | None:
    """What Pydantic has against it: `type` and `ctx`, never the value."""
    try:
        kind.validate_python(value)
    except ValidationError as refusal:
        found = refusal.errors(include_input=False, include_url=False)[0]
        return {"type": found["type"], **found.get("ctx", {})}
    return None
