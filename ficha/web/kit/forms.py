"""HTML forms: the fields and files that were sent, and what is wrong with them."""

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Annotated, Any, NamedTuple
from urllib.parse import parse_qsl

from fastapi import Depends
from pydantic import TypeAdapter, ValidationError

from ficha.asgi.bodies import ReadRequest
from ficha.core.errors import FichaError
from ficha.core.multipart import read_multipart
from ficha.http.limits import TooManyRequests

MOST_FIELDS = 50
# Of a form that only somebody who is logged in can send: the longest has fifty facts with twenty inputs each.
MOST_IN_LONG_FORM = 3000


class BadForm(FichaError):
    status = 400
    code = "formulario_invalido"
    message = "El formulario no llegó completo. Vuelva a la página y envíelo otra vez."


@dataclass(frozen=True)
class FieldFault:
    """A field to correct: the sentence is shown beside it and again on top of the page, there after the field's label
    where the sentence does not name it."""

    field: str
    sentence: str
    label: str = ""


@dataclass(eq=False)
class FieldRefused(Exception):
    """What to say beside which field when the form is shown again (rendering.py): the key of a phrase, and the values
    that go into it. Raised by what finds it, or only passed on."""

    field: str
    phrase: str
    status: int = 422
    headers: Mapping[str, str] = dataclass_field(default_factory=dict)
    values: Mapping[str, Any] = dataclass_field(default_factory=dict)

    @classmethod
    def too_many(cls, field: str, refusal: TooManyRequests) -> "FieldRefused":
        return cls(field, "too_many", refusal.status, refusal.headers)


def read_form(request: ReadRequest) -> dict[str, str]:
    return _read(request, MOST_FIELDS)


def read_long_form(request: ReadRequest) -> dict[str, str]:
    return _read(request, MOST_IN_LONG_FORM)


def _read(request: ReadRequest, most: int) -> dict[str, str]:
    """The texts of a posted form. Raises BadForm if it cannot be parsed, or if it is of the kind that carries files,
    which read_upload_form reads."""
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


class UploadForm(NamedTuple):
    """The texts of the form, and the content of each file by the name of its field."""

    texts: dict[str, str]
    files: dict[str, bytes]


def read_upload_form(request: ReadRequest) -> UploadForm:
    """Raises BadForm. Read once: the token of the form stands in it too."""
    known = getattr(request.state, "upload_form", None)
    if isinstance(known, UploadForm):
        return known
    kind = request.headers.get("content-type", "")
    if not kind.lower().startswith("multipart/form-data"):
        return UploadForm(read_form(request), {})
    parts = read_multipart(kind, request.raw_body)
    if not parts:
        raise BadForm
    texts = {part.name: part.text for part in parts if part.filename is None}
    form = UploadForm(texts, {part.name: part.content for part in parts if part.filename is not None})
    request.state.upload_form = form
    return form


PostedUpload = Annotated[UploadForm, Depends(read_upload_form)]
