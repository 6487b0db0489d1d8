"""Parts of a file: which are asked for, which cannot be, and the bytes of one."""

import pytest

from ficha.asgi.byte_ranges import RangeNotSatisfiable, asked_range, cut

PIECES = (b"abc", b"de", b"fghij")


@pytest.mark.parametrize(
    ("header", "part"),
    [
        (None, None),
        ("bytes=0-0", range(1)),
        ("bytes=2-", range(2, 10)),
        ("bytes=-3", range(7, 10)),
        ("bytes=-99", range(10)),
        ("bytes = 5 - 99", range(5, 10)),
        ("bytes=4-3", None),
        ("bytes=-", None),
        ("bytes=0-1,3-4", None),
        ("lines=0-1", None),
    ],
)
def test_the_part_that_a_header_asks_for(header: str | None, part: range | None) -> None:
    assert asked_range(header, 10) == part


@pytest.mark.parametrize("header", ["bytes=10-", "bytes=-0"])
def test_a_part_that_is_not_there_is_refused_with_the_size(header: str) -> None:
    with pytest.raises(RangeNotSatisfiable) as refused:
        asked_range(header, 10)
    assert refused.value.headers == {"Content-Range": "bytes */10"}


@pytest.mark.parametrize(("skip", "length"), [(0, 10), (0, 3), (2, 2), (3, 1), (4, 6), (9, 1), (0, 0)])
def test_the_bytes_of_a_part_wherever_the_pieces_end(skip: int, length: int) -> None:
    assert b"".join(cut(PIECES, skip, length)) == b"abcdefghij"[skip : skip + length]
