"""Answers that are long files, made piece by piece while they are sent."""

from collections.abc import AsyncIterator, Iterator
from typing import TypeVar

from starlette.responses import StreamingResponse

from ficha.asgi.threads import Pool, threads

T = TypeVar("T")

CSV = "text/csv"


def csv_file(lines: Iterator[str], name: str) -> StreamingResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(in_threads(lines), media_type=CSV, headers=headers)


async def in_threads(pieces: Iterator[T]) -> AsyncIterator[T]:
    """Each piece is made when the one before has left, in one of the few threads that exports have."""
    pool = threads(Pool.LONG)
    while (piece := await pool.run(next, pieces, None)) is not None:
        yield piece
