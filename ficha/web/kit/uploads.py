"""Forms that carry a file."""

from typing import Annotated, NamedTuple

from fastapi import Depends

from ficha.asgi.bodies import ReadRequest
from ficha.core.multipart import read_multipart
from ficha.web.kit.forms import BadForm, read_form

MOST_PARTS = 20


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
    if not parts or len(parts) > MOST_PARTS:
        raise BadForm
    texts = {part.name: part.text for part in parts if part.filename is None}
    form = UploadForm(texts, {part.name: part.content for part in parts if part.filename is not None})
    request.state.upload_form = form
    return form


PostedUpload = Annotated[UploadForm, Depends(read_upload_form)]
