"""What goes over the wire: a phone with a poor signal should get the whole page in the first round trip."""

import zlib

# Ten segments of 1,460 bytes: what a server may send before the phone has said a word. Headers count.
FIRST_ROUND_TRIP = 14_600

# Window bits, plus sixteen: a gzip header without name and time, so that the same page is the same bytes.
GZIP = 15 + 16


def gzipped(body: bytes, level: int = 9) -> bytes:
    squeeze = zlib.compressobj(level, zlib.DEFLATED, GZIP, 9)
    return squeeze.compress(body) + squeeze.flush()


def encoded(body: bytes, accept_encoding: str, level: int = 9) -> tuple[bytes, str]:
    """The body as the browser takes it, and the name of the encoding; empty where it takes none."""
    for choice in accept_encoding.lower().split(","):
        name, _, rest = choice.partition(";")
        if name.strip() in ("gzip", "*") and rest.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000"):
            return gzipped(body, level), "gzip"
    return body, ""
