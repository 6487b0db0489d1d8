"""The whole page must fit in what a server sends before the phone has answered once."""

import gzip
from hashlib import sha512
from typing import Any

import pytest

from ficha.asgi.frame import fixed_headers
from ficha.core.settings import Settings
from ficha.emergencies.relay_lines import LONGEST_WORDS
from ficha.fmd.base import Door
from ficha.web.kit.alert_sentences import NEWEST
from ficha.web.kit.small_pages.compression import (
    SHORT_BYTES,
    Constant,
    JoinedPage,
    encoded,
    gzipped,
)
from ficha.web.kit.small_pages.content_policy import policy, style
from ficha.web.sticker.page_facts import AlertFacts, BreakGlassForm, RelayForm
from ficha.web.sticker.script import SCRIPT
from tests.fmd.documents import NOW
from tests.web.sticker.records import full_record
from tests.web.sticker.rendering import FIRST_ROUND_TRIP, GLASS, joined_page, page


def letters(number: int) -> str:
    """As many as a line can have, and nothing in them that repeats."""
    return "".join(sha512(f"{number} {part}".encode()).hexdigest() for part in range(3))[:LONGEST_WORDS]


SAID = tuple(f"La madre: «{letters(number)}» · hace {number} s" for number in range(NEWEST))


def headers(body: bytes) -> bytes:
    """A response head as the service sends it: what the frame always adds, and what this page needs."""
    own = {
        "Content-Security-Policy": policy(SCRIPT),
        "Content-Type": "text/html; charset=utf-8",
        "Content-Encoding": "gzip",
        "Content-Language": "es",
        "Content-Length": str(len(body)),
        "Vary": "Accept-Language, Accept-Encoding",
        "X-Request-Id": "0123456789abcdef",
        "RateLimit": '"tag";r=59;t=60',
        "RateLimit-Policy": '"tag";q=60;w=60',
        "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
        "Date": "Sun, 15 Nov 2026 12:00:00 GMT",
        "Server": "granian",
        "Alt-Svc": 'h3=":443"; ma=86400',
    }
    lines = [f"{name}: {value}" for name, value in (dict(fixed_headers(Settings())) | own).items()]
    return "\r\n".join(["HTTP/1.1 200 OK", *lines, "", ""]).encode()


@pytest.mark.parametrize("language", ["es", "en", "pt"])
@pytest.mark.parametrize("door", [Door.R, Door.B])
def test_the_fullest_record_fits_in_the_first_round_trip(language: str, door: Door) -> None:
    saved = dict.fromkeys(full_record(), NOW)
    more: dict[str, Any] = {
        "alert": AlertFacts(("María leyó el aviso hace 40 s", "Enviado a Luis hace 1 min"), said=SAID),
        "relay": RelayForm("/e/K7M2QX/TAG/mensaje", "/e/K7M2QX/TAG?escribir=1&l=es"),
        "script": SCRIPT,
    }
    known = {"saved": saved, "written_in": "es"}
    joined = joined_page(full_record(), language, door, known=known, glass=BreakGlassForm(GLASS), **more)
    html = joined.whole()
    for body in (gzipped(html), gzipped(joined)):  # At the best level, and as the server sends it.
        assert gzip.decompress(body) == html
        assert len(headers(body)) + len(body) <= FIRST_ROUND_TRIP
    # Whoever cannot unpack gets it in two round trips: the second carries twice as much as the first.
    assert len(html) <= 3 * FIRST_ROUND_TRIP


@pytest.mark.parametrize("length", [0, 1, SHORT_BYTES, SHORT_BYTES + 1, 100_000])
def test_parts_of_any_length_are_joined_to_one_page(length: int) -> None:
    joined = JoinedPage(Constant("<p>"), ("ñ".encode() * length, Constant("</p>"), b"x" * length))
    assert gzip.decompress(gzipped(joined)) == joined.whole()
    assert joined.whole().decode() == f"<p>{'ñ' * length}</p>{'x' * length}"


def test_the_style_leaves_room_for_the_record() -> None:
    assert len(gzipped(style().encode())) <= 2_500


def test_the_same_page_is_the_same_bytes() -> None:
    body = page(full_record()).encode()
    assert gzipped(body) == gzipped(body)
    assert gzip.decompress(gzipped(body)) == body


@pytest.mark.parametrize(
    ("accepts", "encoding"),
    [
        ("gzip, deflate, br", "gzip"),
        ("br;q=1.0, gzip;q=0.8", "gzip"),
        ("*", "gzip"),
        ("identity", ""),
        ("gzip;q=0, br", ""),
        ("gzip; q=0.0", ""),
        ("", ""),
        ("deflate, GZIP", "gzip"),
    ],
)
def test_a_browser_gets_what_it_can_unpack(accepts: str, encoding: str) -> None:
    body, name = encoded(b"<p>hola</p>", accepts)
    assert name == encoding
    assert (gzip.decompress(body) if encoding else body) == b"<p>hola</p>"
