"""multipart/form-data bodies, as files are uploaded with."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from python_multipart.multipart import Field, File

# The longest form has 18: a message to the help desk with fifteen files. Each costs 20 µs, however short it is, and so
# does each line that only begins like the end of a part: a body of 10 MB has room for a million of either.
MOST_PARTS = 20


@dataclass(frozen=True)
class FormPart:
    name: str
    filename: str | None
    content_type: str | None
    content: bytes

    @property
    def text(self) -> str:
        return self.content.decode("utf-8", "replace")


def read_multipart(content_type: str, body: bytes) -> list[FormPart]:
    """The parts in order, up to the first that cannot be read. A body that is not multipart has none, nor has one of
    more than MOST_PARTS, which is not parsed. The parser itself limits the headers of a part."""
    if not content_type.lower().startswith("multipart/form-data"):
        return []
    # Most processes are never sent a file, and start without these 30 ms and 3 MB.
    from python_multipart import create_form_parser  # noqa: PLC0415
    from python_multipart.exceptions import FormParserError  # noqa: PLC0415

    found: list[FormPart] = []

    def add_field(field: "Field") -> None:
        found.append(FormPart(_text(field.field_name), None, field.content_type, field.value or b""))

    def add_file(file: "File") -> None:
        file.file_object.seek(0)
        content = file.file_object.read()
        found.append(FormPart(_text(file.field_name), _text(file.file_name), file.content_type, content))

    with suppress(FormParserError):
        headers = {"Content-Type": content_type.encode("latin-1", "replace")}
        # The body is in memory already: a temporary file would gain nothing.
        parser = create_form_parser(headers, add_field, add_file, config={"MAX_MEMORY_FILE_SIZE": len(body)})
        # Counted in C, at a gigabyte per second.
        if isinstance(parser.boundary, bytes) and body.count(b"\r\n--" + parser.boundary) > MOST_PARTS:
            return []
        parser.write(body)
        parser.finalize()
    return found


class NotMultipart(Exception):
    """What came is no form with this boundary, or has more parts than any of ours."""


def part_name_reader(boundary: str, see_name: Callable[[str], None]) -> Callable[[bytes], None]:
    """For a form that is read by another: takes it piece by piece, keeps nothing of it, and tells the name of each part
    as soon as its headers have come; "" for a part without one. The reader raises NotMultipart, also of more than
    MOST_PARTS, or whatever `see_name` raises."""
    from python_multipart import MultipartParser  # noqa: PLC0415  As above.
    from python_multipart.exceptions import FormParserError  # noqa: PLC0415
    from python_multipart.multipart import parse_options_header  # noqa: PLC0415

    field, value, names = bytearray(), bytearray(), list[str]()

    def end_header() -> None:
        if field.lower() == b"content-disposition":
            names.append(_text(parse_options_header(value.decode("latin-1"))[1].get(b"name")))
        field.clear()
        value.clear()

    def end_headers() -> None:
        for name in names or [""]:
            see_name(name)
        names.clear()

    parser = MultipartParser(
        boundary,
        {
            "on_header_field": lambda data, start, end: field.extend(data[start:end]),
            "on_header_value": lambda data, start, end: value.extend(data[start:end]),
            "on_header_end": end_header,
            "on_headers_finished": end_headers,
        },
    )

    delimiter, seen, last = f"\r\n--{boundary}".encode("latin-1"), 0, b""

    def read(piece: bytes) -> None:
        nonlocal seen, last
        # With the end of the piece before, in which a delimiter may begin, but none is whole.
        seen += (last + piece).count(delimiter)
        last = (last + piece)[1 - len(delimiter) :]
        if seen > MOST_PARTS:
            raise NotMultipart
        try:
            parser.write(piece)
        except FormParserError as error:
            raise NotMultipart from error

    return read


def _text(name: bytes | None) -> str:
    return (name or b"").decode("utf-8", "replace")
