"""What a function returns, as the answer that leaves: serialised once."""

import json
from typing import Any

from pydantic import TypeAdapter
from pydantic_core import to_json
from starlette.responses import Response

JSON = "application/json"


class WrongAnswer(Exception):
    """An operation returned something else than it promises. Always a bug of ours."""


def answer(value: Any, set_by_function: Response | None, status: int) -> Response:
    """A Response is the answer already. `set_by_function` holds the headers and the status that the function
    may have set."""
    if isinstance(value, Response):
        return value
    if value is None and status in (204, 304):
        made = Response(status_code=status)
    else:
        made = Response(to_json(value, by_alias=True), status, media_type=JSON)
    if set_by_function is not None:
        made.status_code = set_by_function.status_code
        own = [pair for pair in set_by_function.raw_headers if pair[0] not in (b"content-length", b"content-type")]
        made.raw_headers.extend(own)
    return made


def check_answer(value: Any, body: bytes, promised: TypeAdapter[Any]) -> None:
    """Raises ValidationError or WrongAnswer unless the body is what the operation promises, no more and no less. For
    tests: they find what is wrong, and no caller has to wait for a check."""
    told = json.loads(body)
    expected = promised.dump_python(promised.validate_python(value, from_attributes=True), mode="json", by_alias=True)
    if told != expected:
        raise WrongAnswer(f"{told} is not {expected}")
