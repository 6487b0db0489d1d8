"""Compresses a small page, so that a phone with a poor signal gets all of it in the first round trip."""

import zlib

# Ten segments of 1,460 bytes: what a server may send before the phone has answered once. Headers count.
FIRST_ROUND_TRIP = 14_600

# Window bits, plus sixteen: a gzip header without name and time, so that the same page is the same bytes.
GZIP = 15 + 16


def gzipped(body: bytes, level: int = 9) -> bytes:
    compressor = zlib.compressobj(level, zlib.DEFLATED, GZIP, 9)
    return compressor.compress(body) + compressor.flush()


def encoded(body: bytes, accept_encoding: str, level: int = 9) -> tuple[bytes, str]:
    """The body as the browser accepts it, and the name of the encoding; empty where it accepts none."""
    return (gzipped(body, level), "gzip") if gzip_accepted(accept_encoding) else (body, "")


def gzip_accepted(accept_encoding: str) -> bool:
    for choice in accept_encoding.lower().split(","):
        name, _, rest = choice.partition(";")
        if name.strip() in ("gzip", "*") and rest.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000"):
            return True
    return False
