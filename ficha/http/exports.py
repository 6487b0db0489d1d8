"""Answers that are long files, made piece by piece while they are sent."""

from collections.abc import AsyncIterator, Iterator

from starlette.responses import StreamingResponse

from ficha.asgi.threads import Pool, threads

CSV = "text/csv"


def csv_file(lines: Iterator[str], name: str) -> StreamingResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(_in_threads(lines), media_type=CSV, headers=headers)


async def _in_threads(lines: Iterator[str]) -> AsyncIterator[str]:
    pool = threads(Pool.LONG)
    while (line := await pool.run(next, lines, None)) is not None:
        yield line
