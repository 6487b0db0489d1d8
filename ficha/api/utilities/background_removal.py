"""Removes the background of a photo, in a process of its own."""

from typing import Any

from pydantic import Field
from starlette.responses import Response

from ficha.api.examples import answer_example
from ficha.api.operations import Operations
from ficha.api.pictures import BINARY, PICTURE_BODY, Color, SentPicture
from ficha.asgi.bodies import ReadRequest
from ficha.asgi.threads import Pool
from ficha.cards.printing import FileType
from ficha.core.deferred_model import DeferredModel
from ficha.core.errors import GOOD_TITLES
from ficha.http.dependencies import CurrentCaller, Limiter, Parts, Reply
from ficha.http.envelope import Answer
from ficha.http.file_answers import WantsPicture, file_response
from ficha.http.limits import RateLimit

PNG = FileType.PNG
# With a file, which has no place for it.
DOUBTFUL = "Ficha-Dudoso"


operations = Operations("utilities", prefix="/api")

EXAMPLE = {
    "image": "data:image/png;base64,iVBORw0KGgo…",
    "mime_type": PNG,
    "size": 348211,
    "width": 900,
    "height": 1200,
    "dudoso": False,
}
JSON_OR_FILE: dict[str, Any] = {
    "description": GOOD_TITLES[200],
    "content": {"application/json": {"example": answer_example(EXAMPLE)}, PNG: {"schema": BINARY, "example": "…"}},
    "headers": {
        DOUBTFUL: {
            "description": "With the file: true where no person was found, as `dudoso` in the JSON.",
            "schema": {"type": "string", "enum": ["true", "false"]},
        }
    },
}


class Cutout(DeferredModel):
    image: str = Field(description="The PNG as a data URI.")
    mime_type: str
    size: int = Field(description="Of the PNG, in bytes.")
    width: int
    height: int
    dudoso: bool = Field(
        description="True where no person was found: then what stands out stays, or the whole picture if nothing does."
    )


@operations.post(
    "/remove-background",
    "Remove background",
    callers="bearer",
    seed=True,
    errors=(415, 422, 503),
    responses={200: JSON_OR_FILE},
    response_model=Answer[Cutout],
    body=PICTURE_BODY,
    pool=Pool.OUTSIDE,
)
def remove_background(
    request: ReadRequest,
    parts: Parts,
    caller: CurrentCaller,
    limiter: Limiter,
    reply: Reply,
    wants_picture: WantsPicture,
    picture: SentPicture,
    color: Color = None,
) -> Answer[Cutout] | Response:
    """The person without what is behind, as PNG: transparent, or before a plain `color`. As a data URI, or with
    `Accept: image/png` the file itself. Nothing of it is stored. Where no person is found, `dudoso` is true and what
    stands out stays; with the file the header `Ficha-Dudoso` says so."""
    limiter.hit(request, RateLimit.PICTURE, str(caller.account_id))
    found = parts.background_remover.ask("cutout", picture, pixels=parts.settings.picture_pixels, color=color)
    [png], is_doubtful = found.parts, bool(found.head["is_doubtful"])
    if wants_picture:
        return file_response(PNG, png, **{DOUBTFUL: str(is_doubtful).lower()})
    width, height, uri = found.head["width"], found.head["height"], PNG.data_uri(png)
    return reply(Cutout(image=uri, mime_type=PNG, size=len(png), width=width, height=height, dudoso=is_doubtful))
