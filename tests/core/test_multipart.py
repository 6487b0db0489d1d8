"""multipart/form-data as uploads send it, and what is not quite that."""

import pytest

from ficha.core.multipart import MOST_PARTS, FormPart, NotMultipart, part_name_reader, read_multipart

TYPE = "multipart/form-data; boundary=x"
FIELD = b'--x\r\nContent-Disposition: form-data; name="messaging_product"\r\n\r\nwhatsapp\r\n'
FILE = (
    b'--x\r\nContent-Disposition: form-data; name="file"; filename="mapa \xc3\xb1.png"\r\n'
    b"Content-Type: image/png\r\n\r\n\x89PNG\r\n--y\r\n\r\n"
)
READ_FIELD = FormPart("messaging_product", None, None, b"whatsapp")
READ_FILE = FormPart("file", "mapa ñ.png", "image/png", b"\x89PNG\r\n--y\r\n")


def test_fields_and_files_are_read_in_order() -> None:
    assert read_multipart(TYPE, FILE + FIELD + b"--x--\r\n") == [READ_FILE, READ_FIELD]


def test_a_body_that_was_cut_has_the_parts_that_arrived_whole() -> None:
    assert read_multipart(TYPE, FIELD + FILE[:-20]) == [READ_FIELD]


def test_a_large_file_is_read_whole() -> None:
    content = bytes(3_000_000)
    body = FILE.replace(b"\x89PNG\r\n--y\r\n", content) + b"--x--\r\n"
    assert read_multipart(TYPE, body) == [FormPart("file", "mapa ñ.png", "image/png", content)]


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        (TYPE, b""),
        (TYPE, b"{}"),
        (TYPE, b'--x\r\nContent-Disposition: form-data; filename="a"\r\n\r\n1\r\n--x--'),
        ("multipart/form-data", FIELD),
        ("multipart/form-data; boundary=", FIELD),
        ("application/json", b"{}"),
        ("", b""),
    ],
)
def test_what_is_not_multipart_has_no_parts(content_type: str, body: bytes) -> None:
    assert read_multipart(content_type, body) == []


def test_of_more_parts_than_any_form_has_none_is_read() -> None:
    assert read_multipart(TYPE, FIELD * MOST_PARTS + b"--x--\r\n") == [READ_FIELD] * MOST_PARTS
    assert read_multipart(TYPE, FIELD * (MOST_PARTS + 1) + b"--x--\r\n") == []


@pytest.mark.parametrize("size", [1, 2, 7, 50, 100_000])
def test_names_are_told_and_parts_counted_however_the_form_comes_in(size: int) -> None:
    names: list[str] = []
    read = part_name_reader("x", names.append)
    for piece in _pieces(FIELD * MOST_PARTS, size):
        read(piece)
    assert names == ["messaging_product"] * MOST_PARTS
    with pytest.raises(NotMultipart):
        for piece in _pieces(FIELD + b"--x--", size):
            read(piece)


def _pieces(body: bytes, size: int) -> list[bytes]:
    return [body[start : start + size] for start in range(0, len(body), size)]
