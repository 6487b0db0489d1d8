"""Health Cards brought into a record: as text, file and picture; believed, not believed, or refused."""

import json
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
import zxingcpp
from PIL import Image

from ficha.exchange.health_cards.reading import (
    HEALTH_CARD,
    CardAltered,
    CardExpired,
    CardKeyUnknown,
    CardNotYetValid,
    CardRevoked,
    read_card,
)
from ficha.exchange.imports.cards import CardSigners, IssuerKeysAway, signature_of
from ficha.exchange.imports.content import SignatureState
from ficha.exchange.trusted_issuers import TrustedIssuer, TrustedIssuers
from tests.exchange.health_cards.cards import ISSUER, PATIENT, Issuer, claims, digits_of
from tests.exchange.imports.test_imports import ALLERGY, decide, import_document, proposals, stored
from tests.exchange.samples import BASE, NOW
from tests.world import Person

OWN = TrustedIssuer.model_construct(iss=BASE, name="Ficha", website=BASE)
HOSPITAL = TrustedIssuer(iss=ISSUER, name="Hospital Coromoto")


def said(**changes: Any) -> dict[str, Any]:
    bundle = {
        "resourceType": "Bundle",
        "type": "collection",
        "entry": [
            {"fullUrl": "resource:0", "resource": PATIENT},
            {"fullUrl": "resource:1", "resource": {**ALLERGY, "patient": {"reference": "resource:0"}}},
        ],
    }
    credential = {"type": [HEALTH_CARD], "credentialSubject": {"fhirVersion": "4.0.1", "fhirBundle": bundle}}
    return claims(vc=credential) | changes


def signers(issuer: Issuer, **lists: Any) -> CardSigners:
    def fetch(url: str) -> dict[str, Any]:
        assert url.startswith(ISSUER)
        return issuer.keys if url.endswith("jwks.json") else lists

    return CardSigners(TrustedIssuers(OWN, [HOSPITAL]), {"keys": []}, fetch)


def test_who_is_in_the_directory_is_believed_by_the_signature() -> None:
    issuer = Issuer()
    known = signature_of(read_card(issuer.sign(said())), signers(issuer), NOW)
    assert (known.state, known.name, known.is_own) == (SignatureState.VERIFIED, "Hospital Coromoto", False)
    with pytest.raises(CardKeyUnknown):
        signature_of(read_card(Issuer().sign(said())), signers(issuer), NOW)


def test_nobody_else_is_asked_for_keys() -> None:
    card = read_card(Issuer().sign(said(iss="https://elsewhere.example")))
    signers_of_nobody = CardSigners(TrustedIssuers(OWN), {"keys": []}, _never)
    assert signature_of(card, signers_of_nobody, NOW).state is SignatureState.UNKNOWN


def _never(url: str) -> dict[str, Any]:
    raise AssertionError(url)


SECONDS = int(NOW.timestamp())


def _altered(issuer: Issuer) -> Any:
    card = read_card(issuer.sign(said()))
    other = read_card(issuer.sign(said(nbf=SECONDS - 5)))
    parts = [*card.signed.split(".")[:2], other.signed.split(".")[2]]
    return card._replace(signed=".".join(parts))


WRONG: dict[str, tuple[Callable[[Issuer], Any], type[Exception]]] = {
    "altered": (_altered, CardAltered),
    "expired": (lambda issuer: read_card(issuer.sign(said(exp=SECONDS - 1))), CardExpired),
    "not yet": (lambda issuer: read_card(issuer.sign(said(nbf=SECONDS + 9_999))), CardNotYetValid),
}


@pytest.mark.parametrize("name", sorted(WRONG))
def test_what_is_wrong_is_refused(name: str) -> None:
    issuer = Issuer()
    make, error = WRONG[name]
    with pytest.raises(error):
        signature_of(make(issuer), signers(issuer), NOW)


def test_a_revoked_card_is_refused() -> None:
    issuer = Issuer()
    issuer.key["crlVersion"] = 1
    told = said()
    told["vc"] = told["vc"] | {"rid": "abc"}
    with pytest.raises(CardRevoked):
        signature_of(read_card(issuer.sign(told)), signers(issuer, kid=issuer.kid, rids=["abc"]), NOW)


def test_an_issuer_that_does_not_answer_is_said() -> None:
    def away(_url: str) -> dict[str, Any]:
        raise IssuerKeysAway

    issuer = Issuer()
    silent = signers(issuer)._replace(fetch=away)
    with pytest.raises(IssuerKeysAway):
        signature_of(read_card(issuer.sign(said())), silent, NOW)


def qr(text: str) -> bytes:
    made = zxingcpp.create_barcode(text, zxingcpp.BarcodeFormat.QRCode)
    out = BytesIO()
    Image.fromarray(made.to_image(scale=4)).save(out, "PNG")
    return out.getvalue()


def test_a_card_of_somebody_unknown_comes_as_text_file_and_picture(ana: Person) -> None:
    compact = Issuer().sign(said(nbf=1_700_000_000))
    picture = qr(digits_of(compact))
    for content in (compact, digits_of(compact), json.dumps({"verifiableCredential": [compact]}), picture):
        sent = content if isinstance(content, bytes) else content.encode()
        made = import_document(ana, sent, kind="application/octet-stream")
        assert {one["modelo"] for one in proposals(made)} >= {"alergiasm"}, made.text
        [document] = made.json()["data"]["attributes"]["documentos"]
        assert document["firma"]["estado"] == "desconocida" and document["firma"]["emisor"] == ISSUER
    allergy = next(one["numero"] for one in proposals(made) if one["modelo"] == "alergiasm")
    assert decide(ana, made, "accept", [allergy], misma_persona=True).status_code == 200
    assert stored(ana, "alergiasm")["alergias"][0]["fuente"] == "representante"


def test_wrong_cards_are_refused_with_a_sentence(ana: Person) -> None:
    issuer = Issuer()
    bomb = issuer.sign(said() | {"x": "a" * 2_000_000})
    expired = issuer.sign(said(nbf=1_600_000_000, exp=1_600_000_001))
    unsigned = "eyJhbGciOiJub25lIn0." + issuer.sign(said()).split(".")[1] + "."
    refused = {
        bomb.encode(): "tarjeta_demasiado_grande",
        expired.encode(): "tarjeta_vencida",
        unsigned.encode(): "tarjeta_sin_firma",
        b"shc:/1/2/5676": "tarjeta_en_partes",
        b"shc:/xyz": "tarjeta_ilegible",
        b"%PDF-1.7 ...": "pdf_no_admitido",
        qr("https://example.com"): "imagen_sin_tarjeta",
        b"\x89PNG broken": "imagen_no_admitida",
    }
    for content, code in refused.items():
        answer = import_document(ana, content, language="en", kind="application/octet-stream")
        assert answer.json()["errors"][0]["code"] == code, answer.text
        assert answer.status_code in (415, 422)
