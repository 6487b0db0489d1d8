"""Answers that are files: whether one is asked for, a whole one, and long ones that are made while they are sent."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Annotated, TypeVar

from fastapi import Depends, Request
from starlette.responses import Response, StreamingResponse

from ficha.asgi.threads import Pool, threads
from ficha.cards.printing import FileType

T = TypeVar("T")

CSV = "text/csv"


def _asks_for(media_type: str) -> Callable[[Request], bool]:
    def asks(request: Request) -> bool:
        """Whether `Accept` names a type that begins like this one."""
        accepted = request.headers.get("accept", "").lower().split(",")
        return any(one.strip().startswith(media_type) for one in accepted)

    return asks


WantsPdf = Annotated[bool, Depends(_asks_for(FileType.PDF))]
# As a browser does for a picture on a page.
WantsPicture = Annotated[bool, Depends(_asks_for("image/"))]


def saved_as(name: str) -> dict[str, str]:
    """The header with which a browser saves the answer under this name instead of showing it."""
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def file_response(file_type: FileType, content: bytes | str, name: str = "", **headers: str) -> Response:
    """With a `name`, to which the ending is added, it is saved; without, it is shown."""
    saved = saved_as(f"{name}.{file_type.name.lower()}") if name else {}
    return Response(content, media_type=file_type, headers=headers | saved)


def csv_file(lines: Iterator[str], name: str) -> StreamingResponse:
    return StreamingResponse(in_threads(lines), media_type=CSV, headers=saved_as(name))


async def in_threads(pieces: Iterator[T]) -> AsyncIterator[T]:
    """Each piece is made when the one before has left, in one of the few threads that exports have."""
    pool = threads(Pool.LONG)
    while (piece := await pool.run(next, pieces, None)) is not None:
        yield piece
