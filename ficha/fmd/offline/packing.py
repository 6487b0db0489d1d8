"""Turns lines of text into the fragment of a link and back: compressed, signed, in letters that take little of a QR.

    fragment = base41(format, key id, deflated text, signature)

The compression starts from a dictionary that both sides have. It never changes within a format, or printed stickers
could not be read any more: new words need a new format beside this one.
"""

import zlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

from ficha.fmd.offline.keys import ID_BYTES, NUMBER_BYTES, SigningKey

FORMAT = 1
HEAD_BYTES = 1 + ID_BYTES
SIGNATURE_BYTES = 2 * NUMBER_BYTES
# No link of ours is longer, and no text that we sign is longer: anything beyond is refused unread.
MOST_LETTERS = 1200
MOST_BYTES = 4096

# Three of these hold two bytes, as in base45; a QR stores them in its compact alphanumeric mode. Of its 45 characters,
# the space, `%` and `+` are left out because links may lose them, and `/` because 41 are enough.
LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ$*-.:"
BASE = len(LETTERS)
_VALUES = {letter: value for value, letter in enumerate(LETTERS)}


class Unreadable(Exception):
    """The text is not one of our fragments, or is damaged."""


class KeyUnknown(Exception):
    """The fragment was signed by a key that is not among those given."""


class Altered(Exception):
    """The signature is wrong."""


def pack(text: str, key: SigningKey) -> str:
    signed = bytes([FORMAT]) + bytes.fromhex(key.id) + deflated(text)
    return base41(signed + key.sign(signed))


def fits(text: str, max_letters: int) -> bool:
    """Whether `pack` gives at most so many letters, and `unpack` would not refuse the text as too long."""
    return len(text.encode()) <= MOST_BYTES and packed_length(text) <= max_letters


def packed_length(text: str) -> int:
    """How many letters `pack` makes of it."""
    size = HEAD_BYTES + len(deflated(text)) + SIGNATURE_BYTES
    return size // 2 * 3 + size % 2 * 2


def unpack(fragment: str, keys: Mapping[str, EllipticCurvePublicKey]) -> str:
    """Raises Unreadable, KeyUnknown or Altered. The signature is checked before anything is inflated."""
    if len(fragment) > MOST_LETTERS:
        raise Unreadable("too long")
    content = from_base41(fragment)
    if len(content) <= HEAD_BYTES + SIGNATURE_BYTES or content[0] != FORMAT:
        raise Unreadable("too short, or another format")
    signed, signature = content[:-SIGNATURE_BYTES], content[-SIGNATURE_BYTES:]
    key = keys.get(signed[1:HEAD_BYTES].hex())
    if key is None:
        raise KeyUnknown
    r, s = signature[:NUMBER_BYTES], signature[NUMBER_BYTES:]
    try:
        key.verify(encode_dss_signature(int.from_bytes(r), int.from_bytes(s)), signed, ECDSA(SHA256()))
    except InvalidSignature:
        raise Altered from None
    return inflated(signed[HEAD_BYTES:])


def deflated(text: str) -> bytes:
    """Raw DEFLATE. A browser has no preset dictionaries, but reads one from a stored block put in front of this."""
    stream = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, zdict=dictionary())
    return stream.compress(text.encode()) + stream.flush()


def inflated(content: bytes) -> str:
    stream = zlib.decompressobj(-zlib.MAX_WBITS, zdict=dictionary())
    try:
        plain = stream.decompress(content, MOST_BYTES)
        if not stream.eof or stream.unused_data:
            raise Unreadable("too much, or not all of it")
        return plain.decode()
    except (zlib.error, UnicodeDecodeError) as error:
        raise Unreadable("not what we compress") from error


@cache
def dictionary() -> bytes:
    return files("ficha.fmd.offline").joinpath(f"dictionary-{FORMAT}.txt").read_bytes()


def base41(content: bytes) -> str:
    letters = []
    for start in range(0, len(content) - 1, 2):
        high, low = divmod(int.from_bytes(content[start : start + 2]), BASE)
        letters += [LETTERS[high // BASE], LETTERS[high % BASE], LETTERS[low]]
    if len(content) % 2:
        letters += [LETTERS[content[-1] // BASE], LETTERS[content[-1] % BASE]]
    return "".join(letters)


def from_base41(text: str) -> bytes:
    try:
        values = [_VALUES[letter] for letter in text]
        content = bytearray()
        for start in range(0, len(values), 3):
            number = 0
            for value in values[start : start + 3]:
                number = number * BASE + value
            content += number.to_bytes(len(values[start : start + 3]) - 1)
        return bytes(content)
    except (KeyError, OverflowError) as error:
        raise Unreadable("letters that we do not write") from error
