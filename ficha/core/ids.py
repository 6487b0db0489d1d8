"""Random names: product codes, session keys, secrets. All of them come from the system's random source."""

import secrets
import string

# No 0/O and no 1/I: what is printed on a sticker is read aloud, in the dark, by a stranger.
CODE_ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
CODE_LENGTH = 6

_ALPHANUMERIC = string.ascii_letters + string.digits


def random_code() -> str:
    """Six characters for a sticker. Whoever keeps them makes sure they are new."""
    return "".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_LENGTH))


def random_text(length: int) -> str:
    return "".join(secrets.choice(_ALPHANUMERIC) for _ in range(length))


def random_digits(length: int) -> str:
    return "".join(secrets.choice(string.digits) for _ in range(length))


def random_number(bits: int = 31) -> int:
    """A positive integer that says nothing about how many came before it."""
    return secrets.randbelow((1 << bits) - 1) + 1
