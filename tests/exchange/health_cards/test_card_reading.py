"""Health Cards of anybody are read, and whatever is wrong with one is said in a sentence."""

import json
import zlib
from base64 import urlsafe_b64encode
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ficha.accounts.accounts import Idioma
from ficha.core.errors import FichaError
from ficha.exchange.health_cards import reading
from ficha.exchange.health_cards.reading import HealthCard, check_card, read_card, read_cards
from ficha.exchange.jose import MOST_BYTES, to_base64url
from ficha.http.languages import told_in
from tests.exchange.health_cards.cards import ISSUER, PATIENT, Issuer, claims, digits_of
from tests.exchange.samples import NOW

ISSUED = Issuer()
GOOD = ISSUED.sign(claims())
ENTRY = {"fullUrl": "resource:0", "resource": PATIENT}


def with_header(compact: str, **header: Any) -> str:
    _, payload, signature = compact.split(".")
    return ".".join([to_base64url(json.dumps(header).encode()), payload, signature])


def bomb(megabytes: int) -> bytes:
    stream = zlib.compressobj(9, zlib.DEFLATED, -15)
    piece = b" " * 1_000_000
    return b"".join(stream.compress(piece) for _ in range(megabytes)) + stream.flush()


def subject(**bundle: Any) -> dict[str, Any]:
    return {"credentialSubject": {"fhirVersion": "4.0.1", "fhirBundle": {"resourceType": "Bundle"} | bundle}}


@pytest.mark.parametrize(
    "written",
    [GOOD, f"  {GOOD}\n", digits_of(GOOD), digits_of(GOOD).upper(), json.dumps({"verifiableCredential": [GOOD]})],
)
def test_a_card_is_read_from_its_qr_its_file_and_as_it_is_signed(written: str) -> None:
    for content in (written, written.encode()):
        card = read_card(content)
        assert card.issuer == ISSUER and card.keys_url == f"{ISSUER}/.well-known/jwks.json"
        assert card.bundle["entry"] == [ENTRY] and card.fhir_version == "4.0.1"
        check_card(card, ISSUED.keys, NOW)


def test_a_file_may_hold_several() -> None:
    again = ISSUED.sign(claims(vc={"rid": "b"}))
    both = read_cards(json.dumps({"verifiableCredential": [GOOD, again]}))
    assert [card.rid for card in both] == [None, "b"]


NOT_CARDS: dict[str, tuple[str | bytes, type[FichaError]]] = {
    "nothing": ("", reading.CardUnreadable),
    "words": ("hola", reading.CardUnreadable),
    "not text": (b"\xff\xfe\x00", reading.CardUnreadable),
    "a link": ("shlink:/eyJ1cmwiOiJo", reading.CardUnreadable),
    "no digits": ("shc:/", reading.CardUnreadable),
    "half a pair": (digits_of(GOOD)[:-1], reading.CardUnreadable),
    "other digits": ("shc:/" + "٥٦" * 40, reading.CardUnreadable),
    "cut off": (digits_of(GOOD)[:-200], reading.CardUnreadable),
    "one of two": ("shc:/1/2/5676290952432060", reading.CardInParts),
    "an empty file": ('{"verifiableCredential":[]}', reading.CardUnreadable),
    "another file": ('{"resourceType":"Bundle"}', reading.CardUnreadable),
    "a file of numbers": ('{"verifiableCredential":[1]}', reading.CardUnreadable),
    "a file of too many": (json.dumps({"verifiableCredential": [GOOD] * 21}), reading.CardTooLarge),
    "half a file": ('{"verifiableCredential":["', reading.CardUnreadable),
    "a file without end": ("[" * 100_000, reading.CardUnreadable),
    "deep": ('{"verifiableCredential":' + "[" * 50_000, reading.CardUnreadable),
    "too long": ("a" * 1_000_001, reading.CardTooLarge),
    "two parts": (GOOD.rpartition(".")[0], reading.CardUnreadable),
    "four parts": (f"{GOOD}.a", reading.CardUnreadable),
    "unsigned": (f"{GOOD.rpartition('.')[0]}.", reading.CardNotSigned),
    "alg none": (with_header(GOOD, alg="none", zip="DEF", kid=ISSUED.kid), reading.CardNotSigned),
    "alg HS256": (with_header(GOOD, alg="HS256", zip="DEF", kid=ISSUED.kid), reading.CardNotSigned),
    "no alg": (with_header(GOOD, zip="DEF", kid=ISSUED.kid), reading.CardNotSigned),
    "not deflated": (with_header(GOOD, alg="ES256", kid=ISSUED.kid), reading.CardUnreadable),
    "no kid": (with_header(GOOD, alg="ES256", zip="DEF"), reading.CardUnreadable),
    "kid is a number": (with_header(GOOD, alg="ES256", zip="DEF", kid=5), reading.CardUnreadable),
    "its own key": (
        with_header(GOOD, alg="ES256", zip="DEF", kid=ISSUED.kid, jwk=ISSUED.key),
        reading.CardUnreadable,
    ),
    "critical": (
        with_header(GOOD, alg="ES256", zip="DEF", kid=ISSUED.kid, crit=["b64"], b64=False),
        reading.CardUnreadable,
    ),
    "a bomb": (ISSUED.sign_deflated(bomb(20)), reading.CardTooLarge),
    "just too much": (ISSUED.sign(b" " * (MOST_BYTES + 1)), reading.CardTooLarge),
    "with a zlib header": (ISSUED.sign_deflated(zlib.compress(b"{}")), reading.CardUnreadable),
    "half deflated": (ISSUED.sign_deflated(bomb(1)[:-3]), reading.CardUnreadable),
    "more behind": (ISSUED.sign_deflated(bomb(0) + b"more"), reading.CardUnreadable),
    "deep claims": (ISSUED.sign(b'{"vc":' * 5_000 + b"1" + b"}" * 5_000), reading.CardUnreadable),
    "deep entry": (ISSUED.sign(b'{"iss":' + b"[" * 900_000), reading.CardUnreadable),
    "infinite": (ISSUED.sign(b'{"nbf":Infinity}'), reading.CardUnreadable),
    "a list": (ISSUED.sign(b"[]"), reading.CardUnreadable),
    "no issuer": (ISSUED.sign(claims(iss=None)), reading.CardUnreadable),
    "http": (ISSUED.sign(claims(iss="http://issuer.example")), reading.CardUnreadable),
    "with a slash": (ISSUED.sign(claims(iss=f"{ISSUER}/")), reading.CardUnreadable),
    "a question": (ISSUED.sign(claims(iss=f"{ISSUER}?a")), reading.CardUnreadable),
    "no date": (ISSUED.sign(claims(nbf="2026")), reading.CardUnreadable),
    "yes is no date": (ISSUED.sign(claims(nbf=True)), reading.CardUnreadable),
    "another type": (ISSUED.sign(claims(vc={"type": ["https://example.com"]})), reading.CardUnreadable),
    "no subject": (ISSUED.sign(claims(vc={"credentialSubject": 5})), reading.CardUnreadable),
    "no bundle": (ISSUED.sign(claims(vc=subject(resourceType="Patient", entry=[]))), reading.CardUnreadable),
    "no entries": (ISSUED.sign(claims(vc=subject())), reading.CardUnreadable),
    "too many entries": (ISSUED.sign(claims(vc=subject(entry=[ENTRY] * 1_001))), reading.CardTooLarge),
    "a long rid": (ISSUED.sign(claims(vc={"rid": "a" * 25})), reading.CardUnreadable),
    "another rid": (ISSUED.sign(claims(vc={"rid": "a b"})), reading.CardUnreadable),
}


@pytest.mark.parametrize("name", NOT_CARDS)
def test_what_is_no_card_is_refused_with_a_sentence(name: str) -> None:
    content, refusal = NOT_CARDS[name]
    with pytest.raises(refusal):
        read_cards(content)


def key_with(**changes: Any) -> dict[str, Any]:
    return {"keys": [{name: value for name, value in (ISSUED.key | changes).items() if value is not None}]}


OTHER = Issuer()
_head, _payload, _signature = GOOD.split(".")
_other_payload = ISSUED.sign(claims(sub="x")).split(".")[1]
UNTRUSTED: dict[str, tuple[str, Any, type[FichaError]]] = {
    "foreign key": (GOOD, OTHER.keys, reading.CardKeyUnknown),
    "no keys": (GOOD, {}, reading.CardKeyUnknown),
    "keys of nothing": (GOOD, {"keys": [None, 5, {}]}, reading.CardKeyUnknown),
    "a key's name on another key": (GOOD, {"keys": [OTHER.key | {"kid": ISSUED.kid}]}, reading.CardKeyUnknown),
    "to encrypt": (GOOD, key_with(use="enc"), reading.CardKeyUnknown),
    "another algorithm": (GOOD, key_with(alg="ES384"), reading.CardKeyUnknown),
    "its private half": (GOOD, key_with(d="AAAA"), reading.CardKeyUnknown),
    "no point": (GOOD, key_with(x="AAAA"), reading.CardKeyUnknown),
    "no text": (GOOD, key_with(x=5), reading.CardKeyUnknown),
    "signed by another": (
        with_header(OTHER.sign(claims()), alg="ES256", zip="DEF", kid=ISSUED.kid),
        ISSUED.keys,
        reading.CardAltered,
    ),
    "tampered": (f"{_head}.{_other_payload}.{_signature}", ISSUED.keys, reading.CardAltered),
    "half a signature": (GOOD[:-20], ISSUED.keys, reading.CardAltered),
    "expired": (ISSUED.sign(claims(exp=int(NOW.timestamp()))), ISSUED.keys, reading.CardExpired),
    "from tomorrow": (
        ISSUED.sign(claims(nbf=(NOW + timedelta(days=1)).timestamp())),
        ISSUED.keys,
        reading.CardNotYetValid,
    ),
}


@pytest.mark.parametrize("name", UNTRUSTED)
def test_what_nobody_vouches_for_is_refused_with_a_sentence(name: str) -> None:
    compact, keys, refusal = UNTRUSTED[name]
    with pytest.raises(refusal):
        check_card(read_card(compact), keys, NOW)


REVOCABLE = ISSUED.sign(claims(vc={"rid": "AQPCj4wwk6M"}))
WITH_LIST = {"keys": [ISSUED.key | {"crlVersion": 2}]}


@pytest.mark.parametrize(
    ("rids", "is_ended"),
    [
        (["AQPCj4wwk6M"], True),
        (["other", f"AQPCj4wwk6M.{int(NOW.timestamp()) + 1}"], True),
        ([f"AQPCj4wwk6M.{int(NOW.timestamp())}"], False),
        (["other", 5, None, "AQPCj4wwk6M.x"], False),
        ("AQPCj4wwk6M", False),
        ([], False),
    ],
)
def test_a_card_that_its_issuer_ended_is_refused(rids: Any, is_ended: bool) -> None:
    def fetched(url: str) -> dict[str, Any]:
        assert url == f"{ISSUER}/.well-known/crl/{ISSUED.kid}.json"
        return {"kid": ISSUED.kid, "method": "rid", "ctr": 2, "rids": rids}

    card = read_card(REVOCABLE)
    if is_ended:
        with pytest.raises(reading.CardRevoked):
            check_card(card, WITH_LIST, NOW, fetched)
    else:
        check_card(card, WITH_LIST, NOW, fetched)


def test_the_list_of_another_key_ends_nothing() -> None:
    assert not reading.is_revoked(read_card(REVOCABLE), {"kid": OTHER.kid, "rids": ["AQPCj4wwk6M"]})


def never_fetched(url: str) -> dict[str, Any]:
    raise AssertionError(url)


def test_a_key_without_a_list_is_not_asked_for_one() -> None:
    check_card(read_card(REVOCABLE), ISSUED.keys, NOW, never_fetched)
    check_card(read_card(GOOD), WITH_LIST, NOW, never_fetched)


def test_each_refusal_is_said_in_three_languages() -> None:
    refusals = [one for one in vars(reading).values() if isinstance(one, type) and issubclass(one, FichaError)]
    for refusal in (one for one in refusals if one is not FichaError):
        said = {told_in(language, refusal.message) for language in Idioma}
        assert len(said) == 3, refusal


@given(st.one_of(st.text(), st.binary(), st.from_regex(r"shc:/\d*", fullmatch=True)))
def test_whatever_is_read_is_a_card_or_a_refusal(content: str | bytes) -> None:
    try:
        read_cards(content)
    except FichaError as refusal:
        assert refusal.status == 422


@given(at=st.integers(0, len(GOOD) - 1), letter=st.sampled_from("ABCxyz019-_. {"))
def test_no_letter_of_a_card_can_be_changed(at: int, letter: str) -> None:
    changed = GOOD[:at] + letter + GOOD[at + 1 :]
    try:
        card = read_card(changed)
        check_card(card, ISSUED.keys, NOW)
    except FichaError:
        return
    # The last letter of each part has bits that mean nothing.
    assert [_decoded(one) for one in changed.strip().split(".")] == [_decoded(one) for one in GOOD.split(".")]


def _decoded(part: str) -> bytes:
    from ficha.exchange.jose import from_base64url

    return from_base64url(part)


def test_ours_and_anybodys_base64url_are_the_same() -> None:
    assert to_base64url(bytes(range(256))) == urlsafe_b64encode(bytes(range(256))).decode().rstrip("=")


def test_a_card_is_a_value() -> None:
    assert isinstance(read_card(GOOD), HealthCard) and read_card(GOOD) == read_card(digits_of(GOOD))
