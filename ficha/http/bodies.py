"""Request bodies: their size is limited while they are read, and ambiguous JSON is refused."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.types import Message, Receive

from ficha.core.errors import FichaError
from ficha.core.settings import Settings

MAX_DEPTH = 64
# Names and elements: far more than a whole record has. Each costs as much to check as it costs little to send.
MAX_VALUES = 50_000
FILE_TYPES = (b"multipart/form-data", b"application/octet-stream")


class BodyTooLarge(FichaError):
    status = 413
    code = "cuerpo_demasiado_grande"
    message = "La petición es demasiado grande."
    # Nobody reads what is left of the body, so the connection cannot serve another request.
    headers = {"Connection": "close"}  # noqa: RUF012


class TooManyValues(FichaError):
    status = 413
    code = "demasiados_valores"
    message = "La petición tiene más valores de los que admite una ficha entera. Envíela en partes."


class BodyTooSlow(FichaError):
    status = 408
    code = "cuerpo_incompleto"
    message = "La petición no terminó de llegar a tiempo."
    headers = {"Connection": "close"}  # noqa: RUF012


class BodyCutOff(FichaError):
    status = 400
    code = "cuerpo_cortado"
    message = "La petición se cortó antes de terminar."


class NotJson(FichaError):
    status = 400
    code = "json_invalido"
    message = "El cuerpo no es JSON válido: revise comillas, comas y nombres repetidos."


class NotJsonType(FichaError):
    status = 415
    code = "tipo_no_admitido"
    message = "Envíe el cuerpo como JSON, con Content-Type: application/json."


class BoundedBody:
    """Limits the size of a body. `is_refused` says whether Content-Length is too large already; reading on after the
    limit raises BodyTooLarge, and waiting too long for the rest raises BodyTooSlow."""

    def __init__(
        self, receive: Receive, headers: Mapping[bytes, bytes], settings: Settings, max_bytes: int | None = None
    ) -> None:
        self._receive = receive
        if max_bytes is None:
            is_file = headers.get(b"content-type", b"").startswith(FILE_TYPES)
            max_bytes = settings.upload_bytes if is_file else settings.json_bytes
        self._max_bytes = max_bytes
        self._seconds = settings.body_seconds
        self._count = 0
        announced = headers.get(b"content-length", b"")
        self.is_refused = announced.isdigit() and int(announced) > self._max_bytes
        self._is_complete = False

    async def __call__(self) -> Message:
        if self._is_complete:  # What is left is the end of the connection, which may come any time.
            return await self._receive()
        try:
            async with asyncio.timeout(self._seconds):
                message = await self._receive()
        except TimeoutError:
            raise BodyTooSlow from None
        if message["type"] == "http.request":
            self._is_complete = not message.get("more_body", False)
            self._count += len(message.get("body", b""))
            if self._count > self._max_bytes:
                raise BodyTooLarge
        return message


class ReadRequest(Request):
    """A request whose body was read. `content` is the body's JSON, for a function that asks for it."""

    raw_body: bytes = b""
    content: Any = None


def json_content(content_type: str, body: bytes, *, required: bool = False) -> Any:
    """None without a body, unless one is required. Raises NotJsonType, or NotJson: also for repeated names, NaN, half
    of a surrogate pair and deep nesting. TooManyValues."""
    if not body and not required:
        return None
    if not is_json(content_type):
        raise NotJsonType
    content = parse_json(body)
    check_size(content)
    return content


def parse_json(body: bytes) -> Any:
    try:
        value = json.loads(
            body.decode("utf-8"), object_pairs_hook=_refuse_repeated_names, parse_constant=_refuse_constant
        )
        if b"\\ud" in body.lower():
            json.dumps(value, ensure_ascii=False).encode()  # Half of a surrogate pair is no text.
        return value
    except (ValueError, RecursionError):
        raise NotJson from None


def is_json(content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


def check_size(value: Any) -> None:
    """Raises NotJson if it nests deeper than any body we accept, TooManyValues if it has more values."""
    level, count = [value], 0
    for _ in range(MAX_DEPTH):
        level = [
            child
            for item in level
            if isinstance(item, dict | list)
            for child in (item.values() if isinstance(item, dict) else item)
        ]
        count += len(level)
        if count > MAX_VALUES:
            raise TooManyValues
        if not level:
            return
    raise NotJson


def _refuse_repeated_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("repeated name")
    return found


def _refuse_constant(name: str) -> None:
    raise ValueError(name)
