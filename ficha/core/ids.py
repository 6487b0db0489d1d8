"""Random codes, texts and numbers, all from the random source of the system, and what is stored of a secret one."""

import hashlib
import secrets
import string

# Without 0, O, 1 and I, which are easily confused when a sticker is read aloud or in the dark.
CODE_ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
CODE_LENGTH = 6

_ALPHANUMERIC = string.ascii_letters + string.digits


def random_code() -> str:
    """Six characters for a sticker. The caller checks that the code is new."""
    return _random(CODE_ALPHABET, CODE_LENGTH)


def is_code(text: str) -> bool:
    """Whether it could be the code of a sticker, in capitals or not."""
    return len(text) == CODE_LENGTH and not text.upper().strip(CODE_ALPHABET)


def code_number(code: str) -> int:
    """The code's number among all codes, from 1: a page of codes ends with a number like any other."""
    number = 0
    for letter in code.upper():
        number = number * len(CODE_ALPHABET) + CODE_ALPHABET.index(letter)
    return number + 1


def numbered_code(number: int) -> str:
    """The code of that number."""
    number, letters = number - 1, ""
    for _ in range(CODE_LENGTH):
        number, index = divmod(number, len(CODE_ALPHABET))
        letters = CODE_ALPHABET[index] + letters
    return letters


def random_text(length: int) -> str:
    return _random(_ALPHANUMERIC, length)


def random_digits(length: int) -> str:
    return _random(string.digits, length)


def secret_hash(secret: str) -> bytes:
    """Of one that nobody could guess: a link, a tag, a token. Half of a surrogate pair, as an address may hold, is in
    none of them."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def _random(alphabet: str, length: int) -> str:
    """All texts are equally likely. One number for all of it: the system is asked once, not for each character."""
    size = len(alphabet)
    number = secrets.randbelow(size**length)
    characters = []
    for _ in range(length):
        number, index = divmod(number, size)
        characters.append(alphabet[index])
    return "".join(characters)


def random_number(bits: int = 31) -> int:
    """A positive integer that says nothing about how many came before it."""
    return secrets.randbelow((1 << bits) - 1) + 1
