"""Lines that go into a sticker come out of it, and nothing else does."""

import hashlib
import re
import zlib
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from hypothesis import given
from hypothesis import strategies as st

from ficha.fmd.offline.keys import SigningKey
from ficha.fmd.offline.packing import (
    LETTERS,
    MOST_BYTES,
    Altered,
    KeyUnknown,
    Unreadable,
    base41,
    deflated,
    dictionary,
    from_base41,
    pack,
    packed_length,
    unpack,
)

KEY = SigningKey("0a1b2c3d", datetime(2026, 11, 15, tzinfo=UTC), generate_private_key(SECP256R1()))
KEYS = {KEY.id: KEY.public}
CARD = "K7M2QX20261115201205\nAna Lucía Pérez Rojas\n!{Alergia grave}: {Maní (cacahuate)}\nc+584125551111 María, madre"


@given(st.text(max_size=600))
def test_what_is_packed_comes_out_again(text: str) -> None:
    text = text.encode("utf-8", "ignore").decode()
    fragment = pack(text, KEY)
    assert unpack(fragment, KEYS) == text
    assert len(fragment) == packed_length(text)


@given(st.binary(max_size=200))
def test_base41_is_two_bytes_in_three_letters(content: bytes) -> None:
    letters = base41(content)
    assert from_base41(letters) == content
    assert len(letters) == len(content) // 2 * 3 + len(content) % 2 * 2


def test_a_qr_stores_the_letters_cheaply_and_a_link_keeps_them() -> None:
    assert set(LETTERS) < set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:")
    assert re.fullmatch(
        r"[A-Za-z0-9._~!$&'()*,;=:@/?-]+", LETTERS
    )  # RFC 3986, and no `+`, which forms read as a space.


def test_every_changed_letter_is_noticed() -> None:
    fragment = pack(CARD, KEY)
    for place, letter in enumerate(fragment):
        other = LETTERS[(LETTERS.index(letter) + 1) % len(LETTERS)]
        with pytest.raises((Altered, KeyUnknown, Unreadable)):
            unpack(fragment[:place] + other + fragment[place + 1 :], KEYS)


def test_every_cut_is_noticed() -> None:
    fragment = pack(CARD, KEY)
    for length in range(len(fragment)):
        with pytest.raises((Altered, KeyUnknown, Unreadable)):
            unpack(fragment[:length], KEYS)


@given(st.text(max_size=300) | st.text(LETTERS, max_size=300))
def test_rubbish_is_refused_and_never_crashes(rubbish: str) -> None:
    with pytest.raises((Altered, KeyUnknown, Unreadable)):
        unpack(rubbish, KEYS)


def test_another_key_with_the_same_id_does_not_sign_for_us() -> None:
    forged = SigningKey(KEY.id, KEY.since, generate_private_key(SECP256R1()))
    with pytest.raises(Altered):
        unpack(pack(CARD, forged), KEYS)
    with pytest.raises(KeyUnknown):
        unpack(pack(CARD, KEY), {})


def test_even_our_own_signature_opens_no_bomb() -> None:
    """Compressed well, a megabyte takes no more room than a card."""
    bomb = pack("a" * 200_000, KEY)
    assert len(bomb) < 500
    with pytest.raises(Unreadable):
        unpack(bomb, KEYS)
    assert unpack(pack("a" * MOST_BYTES, KEY), KEYS) == "a" * MOST_BYTES
    with pytest.raises(Unreadable):
        unpack("0" * 100_000, KEYS)


def test_a_browser_can_read_the_dictionary_from_a_stored_block() -> None:
    """What the viewer does, which has no preset dictionaries."""
    size = len(dictionary())
    block = b"\0" + size.to_bytes(2, "little") + (size ^ 0xFFFF).to_bytes(2, "little") + dictionary()
    assert zlib.decompress(block + deflated(CARD), -15)[size:].decode() == CARD


def test_the_dictionary_is_what_it_was_when_the_first_sticker_was_printed() -> None:
    """If this fails, stickers in the world can no longer be read. New words need a new format beside this one."""
    assert hashlib.sha256(dictionary()).hexdigest() == (
        "87c0b52a8988b6217705aed3d8c7f53720f151bea607019bd84a1d1a584e4684"
    )
