"""JSON bodies: what is ambiguous is refused, and what would be long to check, before it is paid for."""

import json
import re
from itertools import islice
from typing import Any

from ficha.core.errors import FichaError

MAX_DEPTH = 64
# Names and elements: far more than a whole record has. Each costs as much to check as it costs little to send.
MAX_VALUES = 50_000
# More names than any model has. Of an object with more only so many are looked at, which is enough to refuse it.
MOST_NAMES = 1_000
# Below it every whole number is a double of its own.
EXACT = 2**53
CHARSET = re.compile(r";\s*charset\s*=\s*\"?([^\s;\"]*)", re.IGNORECASE)
UTF_8 = ("utf-8", "utf8", "us-ascii")


class TooManyValues(FichaError):
    status = 413
    code = "demasiados_valores"
    message = "La petición tiene más valores de los que admite una ficha entera. Envíela en partes."


class NotJson(FichaError):
    status = 400
    code = "json_invalido"
    message = "El cuerpo no es JSON válido: revise comillas, comas y nombres repetidos."


class NotJsonType(FichaError):
    status = 415
    code = "tipo_no_admitido"
    message = "Envíe el cuerpo como JSON, con Content-Type: application/json."


class EncodingNotRead(FichaError):
    status = 415
    code = "codificacion_no_admitida"
    message = "No leemos esa codificación. Envíe el cuerpo sin comprimir y, si es texto, en UTF-8."
    # Nobody reads the body, so the connection cannot serve another request.
    headers = {"Accept-Encoding": "identity", "Connection": "close"}  # noqa: RUF012


def json_content(content_type: str, body: bytes, *, required: bool = False) -> Any:
    """None without a body or with a blank one, unless one is required. Raises NotJsonType, EncodingNotRead, or NotJson:
    also for repeated names, NaN, half of a surrogate pair and deep nesting. TooManyValues."""
    if (not body or body.isspace()) and not required:
        return None
    if not is_json(content_type):
        raise NotJsonType
    charset = CHARSET.search(content_type)
    if charset is not None and charset[1].lower() not in UTF_8:
        raise EncodingNotRead
    refuse_many_values(body)
    content = parse_json(body)
    check_size(content)
    return content


def refuse_many_values(body: bytes) -> None:
    """Counts before parsing, which takes a hundred times as long. Raises TooManyValues."""
    if _fewest_values(body) <= MAX_VALUES:
        return
    unescaped = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    # A value has at most a name and a text. An expression that finds texts would hold Python's lock for 200 ms.
    if unescaped.count(b'"') > 4 * MAX_VALUES or _fewest_values(_without_texts(unescaped)) > MAX_VALUES:
        raise TooManyValues


def _without_texts(unescaped: bytes) -> bytes:
    return b"".join(unescaped.split(b'"')[::2])


def _fewest_values(body: bytes) -> int:
    """A value stands after each comma, and each list or object but the first is one. Texts may have these signs too."""
    return max(body.count(b","), body.count(b"[") + body.count(b"{") - 1)


def parse_json(body: bytes) -> Any:
    try:
        value = json.loads(
            body.decode("utf-8"),
            object_pairs_hook=_refuse_repeated_names,
            parse_float=_number,
            parse_constant=_refuse_constant,
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
    """Raises NotJson if it nests deeper than any body we accept, TooManyValues if it has more values. Shortens objects
    with more names than MOST_NAMES."""
    level, count = [value], 0
    for _ in range(MAX_DEPTH):
        level = [child for item in level if isinstance(item, dict | list) for child in _children(item)]
        count += len(level)
        if count > MAX_VALUES:
            raise TooManyValues
        if not level:
            return
    raise NotJson


def _children(item: dict[str, Any] | list[Any]) -> Any:
    if isinstance(item, list):
        return item
    for name in list(islice(item, MOST_NAMES, None)):
        del item[name]
    return item.values()


def _refuse_repeated_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("repeated name")
    return found


def _number(text: str) -> int | float:
    """JSON has one kind of number: clients of typed languages write 1.0 for one. What a double cannot count stays."""
    number = float(text)
    return int(number) if number.is_integer() and abs(number) < EXACT else number


def _refuse_constant(name: str) -> None:
    raise ValueError(name)
