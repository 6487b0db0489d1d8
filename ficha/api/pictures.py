"""What operations on pictures share: how a picture is sent, and in which colour its background is."""

from typing import Annotated, Any

from fastapi import Depends, Query

from ficha.asgi.bodies import ReadRequest
from ficha.asgi.faults import fields_error
from ficha.core.multipart import read_multipart
from ficha.photos.picture_messages import NotAPicture

BINARY = {"type": "string", "format": "binary"}
# The schema of a body that is a picture, by its content type.
PICTURE_BODY: dict[str, Any] = {
    "multipart/form-data": {
        "type": "object",
        "properties": {"image": BINARY},
        "required": ["image"],
        "additionalProperties": False,
        "examples": [{"image": "@foto.png;type=image/png"}],
    },
    **dict.fromkeys(("application/octet-stream", "image/jpeg", "image/png", "image/webp", "image/heic"), BINARY),
}


def picture_sent(request: ReadRequest) -> bytes:
    """The body itself, or the file `image` of a form, which has no other part. What it is, its bytes say. Raises
    NotAPicture, or InvalidFields for a form with other parts."""
    content_type = request.headers.get("content-type", "")
    kind = content_type.partition(";")[0].strip().lower()
    if kind == "multipart/form-data":
        parts = read_multipart(content_type, request.raw_body)
        names = [part.name for part in parts if part.filename is not None or part.name != "image"]
        if names == ["image"]:
            return next(part.content for part in parts if part.filename is not None)
        faults: list[dict[str, Any]] = [
            {"type": "extra_forbidden", "loc": ("body", one)} for one in names if one != "image"
        ]
        if "image" not in names:
            faults.append({"type": "missing", "loc": ("body", "image")})
        raise fields_error(faults or [{"type": "too_long", "loc": ("body", "image"), "ctx": {"max_length": 1}}])
    elif kind.startswith("image/") or kind == "application/octet-stream":
        return request.raw_body
    raise NotAPicture


SentPicture = Annotated[bytes, Depends(picture_sent)]
Color = Annotated[
    str | None,
    Query(pattern=r"^#?[0-9A-Fa-f]{6}$", description="Colour of the new background, as #RRGGBB.", examples=["ffffff"]),
]
