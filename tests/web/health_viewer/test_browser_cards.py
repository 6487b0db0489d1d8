"""Health Cards of others, in a real browser: exactly one thing is said of each signature, and it is true."""

import json
import zlib
from base64 import urlsafe_b64decode
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from joserfc.jwk import ECKey

from tests.web.health_viewer.conftest import MINISTRY
from tests.web.health_viewer.health_server import HealthServer, Issuer, base64url, compact, deflated, numeric
from tests.web.health_viewer.reader import HealthReader

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

# Of WHO and SNOMED CT, known here; the vaccine's is of nobody.
PENICILLINS, ANAPHYLAXIS = "J01C", "39579001"


def coded(system: str, code: str) -> dict[str, Any]:
    return {"coding": [{"system": system, "code": code}]}


# As a card has them: short references, no text and no display.
BUNDLE = {
    "resourceType": "Bundle",
    "type": "collection",
    "entry": [
        {
            "fullUrl": "resource:0",
            "resource": {
                "resourceType": "Patient",
                "name": [{"family": "Pérez Rojas", "given": ["Ana", "Lucía"]}],
                "birthDate": "2012-05-03",
            },
        },
        {
            "fullUrl": "resource:1",
            "resource": {
                "resourceType": "AllergyIntolerance",
                "clinicalStatus": coded("http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical", "active"),
                "criticality": "high",
                "code": coded("http://www.whocc.no/atc", PENICILLINS),
                "patient": {"reference": "resource:0"},
                "reaction": [{"manifestation": [coded("http://snomed.info/sct", ANAPHYLAXIS)]}],
            },
        },
        {
            "fullUrl": "resource:2",
            "resource": {
                "resourceType": "Immunization",
                "status": "not-done",
                "vaccineCode": coded("http://hl7.org/fhir/sid/cvx", "99999"),
                "patient": {"reference": "resource:0"},
                "occurrenceDateTime": "2021-01-02",
            },
        },
        {"fullUrl": "resource:3", "resource": {"resourceType": "MolecularSequence", "coordinateSystem": 0}},
    ],
}


def verdict(page: "Page") -> str:
    """There is one, and its words, its sign and its colour say the same."""
    box = page.locator("[data-verdict]")
    assert box.count() == 1
    found = box.get_attribute("data-verdict") or ""
    sign, _, words = box.locator("h2").inner_text().partition(" ")
    signs = {"verified": "✓", "unknown_issuer": "?", "unchecked": "?"}
    said = {
        "verified": f"Verificada: emitida por {MINISTRY}",
        "unknown_issuer": "No verificada: el emisor no es conocido aquí",
        "wrong_signature": "Firma incorrecta",
        "expired": "Vencida",
        "revoked": "Revocada",
        "not_yet": "Todavía no vale",
        "unchecked": "No se pudo comprobar",
    }
    assert (sign, words) == (signs.get(found, "✕"), said[found])
    return found


def test_a_trusted_issuer_s_card_is_verified_by_its_name(
    reader: HealthReader, health: HealthServer, ministry: Issuer
) -> None:
    with reader.at() as page:
        reader.given(page, numeric(ministry.card(BUNDLE, exp=4_000_000_000)))
        assert verdict(page) == "verified"
        text = page.locator("#shown").inner_text()
        assert "Ana Lucía Pérez Rojas" in text and "3 de mayo de 2012" in text and "Penicilina" in text
        assert "Anafilaxia" in text and "Emitida el" in text and "vale hasta el" in text
        assert "99999 (http://hl7.org/fhir/sid/cvx)" in text and "no se hizo" in text
        assert "MolecularSequence" in text
        page.get_by_role("link", name="EN", exact=True).click()
        assert f"Verified: issued by {MINISTRY}" in page.locator("#shown").inner_text()
        assert "Anaphylaxis" in page.locator("#shown").inner_text()
    assert all("cookie" not in one.headers.lower() and "referer" not in one.headers.lower() for one in health.seen)


def altered(card: str) -> str:
    """The same signature below another name."""
    head, body, mark = card.split(".")
    said = json.loads(zlib.decompress(urlsafe_b64decode(body + "=" * (-len(body) % 4)), wbits=-15))
    said["vc"]["credentialSubject"]["fhirBundle"]["entry"][0]["resource"]["birthDate"] = "1999-01-01"
    return f"{head}.{base64url(deflated(compact(said)))}.{mark}"


def test_an_altered_card_is_not_believed_and_its_facts_are_folded(reader: HealthReader, ministry: Issuer) -> None:
    with reader.at() as page:
        reader.given(page, altered(ministry.card(BUNDLE)))
        assert verdict(page) == "wrong_signature"
        assert not page.locator("article .who").is_visible()
        page.get_by_text("Ver lo que dice de todos modos").click()
        assert page.locator("article .who").is_visible()


def test_a_stranger_s_card_is_not_verified_and_nobody_is_asked(
    reader: HealthReader, health: HealthServer, stranger: Issuer
) -> None:
    """Until the reader wishes so: the stranger would learn that one of its cards is being read."""
    with reader.at() as page:
        reader.given(page, stranger.card(BUNDLE))
        assert verdict(page) == "unknown_issuer" and health.seen == []
        assert "por quien nadie responde aquí" in page.locator("[data-verdict]").inner_text()
        assert page.locator("article .who").is_visible()
        page.get_by_role("button", name=f"Preguntar a {stranger.iss}").click()
        page.get_by_text("nadie alteró la tarjeta, pero no sabemos de quién es").wait_for()
        assert verdict(page) == "unknown_issuer" and page.get_by_role("button", name="Preguntar").count() == 0
    assert {one.path for one in health.seen} == {"/stranger/.well-known/jwks.json"}


def test_a_stranger_s_altered_card_is_found_out_once_it_is_asked(reader: HealthReader, stranger: Issuer) -> None:
    with reader.at() as page:
        reader.given(page, altered(stranger.card(BUNDLE)))
        assert verdict(page) == "unknown_issuer"
        page.get_by_role("button", name="Preguntar").click()
        page.locator("[data-verdict=wrong_signature]").wait_for()
        assert verdict(page) == "wrong_signature"


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        ({"exp": 1_700_000_001}, "expired"),
        ({"exp": 4_000_000_000}, "verified"),
        ({"nbf": 4_000_000_000}, "not_yet"),
        ({"nbf": 1_700_000_000.5}, "verified"),
    ],
)
def test_its_dates_count(reader: HealthReader, ministry: Issuer, claims: dict[str, Any], expected: str) -> None:
    with reader.at() as page:
        reader.given(page, ministry.card(BUNDLE, **claims))
        assert verdict(page) == expected


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("card-1", "revoked"),
        ("card-2", "verified"),
        ("card-1.1600000000", "verified"),  # Only those issued before.
        ("card-1.1800000000", "revoked"),
        (None, "verified"),
    ],
)
def test_a_revoked_card_is_not_believed(
    reader: HealthReader, health: HealthServer, ministry: Issuer, entry: str | None, expected: str
) -> None:
    ministry.revoked = [entry] if entry else []
    with reader.at() as page:
        reader.given(page, ministry.card(BUNDLE, rid="card-1"))
        assert verdict(page) == expected
    assert health.seen[-1].path == f"/ministry/.well-known/crl/{ministry.kid}.json"


def other_key(issuer: Issuer) -> None:
    """Published under the name of the one that signed."""
    issuer.published |= ECKey.generate_key("P-256").as_dict(private=False) | {"kid": issuer.kid}


def no_key(issuer: Issuer) -> None:
    """As an issuer does whose key was stolen."""
    issuer.published["kid"] = "other"


@pytest.mark.parametrize("change", [other_key, no_key])
def test_a_key_that_the_issuer_does_not_publish_verifies_nothing(
    reader: HealthReader, ministry: Issuer, change: Any
) -> None:
    change(ministry)
    with reader.at() as page:
        reader.given(page, ministry.card(BUNDLE))
        assert verdict(page) == "wrong_signature"


def test_without_the_issuer_it_could_not_be_checked_and_can_be_later(
    reader: HealthReader, health: HealthServer, ministry: Issuer
) -> None:
    health.is_silent = True
    with reader.at() as page:
        reader.given(page, ministry.card(BUNDLE))
        assert verdict(page) == "unchecked" and page.locator("article .who").is_visible()
        health.is_silent = False
        page.get_by_role("button", name="Preguntar").click()
        page.locator("[data-verdict=verified]").wait_for()


def test_a_list_of_revocations_that_is_not_there_is_not_taken_for_empty(
    reader: HealthReader, health: HealthServer, ministry: Issuer
) -> None:
    card = ministry.card(BUNDLE, rid="card-1")
    ministry.revocations = lambda: {"kid": "other", "rids": []}  # type: ignore[method-assign]
    with reader.at() as page:
        reader.given(page, card)
        assert verdict(page) == "unchecked"


def test_other_signatures_and_bombs_are_refused(reader: HealthReader, ministry: Issuer) -> None:
    bomb = (
        f"{base64url(compact({'alg': 'ES256', 'zip': 'DEF', 'kid': 'x'}))}.{base64url(deflated(b'0' * 60_000_000))}.AA"
    )
    with reader.at() as page:
        for card, sentence in (
            (ministry.card(BUNDLE, alg="none"), "firmada de una manera que el estándar no permite"),
            (ministry.card(BUNDLE, alg="HS256"), "firmada de una manera que el estándar no permite"),
            (bomb, "demasiado grande"),
            (ministry.card(BUNDLE, iss=7), "dañado"),
            (ministry.card(BUNDLE, nbf="ayer"), "dañado"),
        ):
            reader.given(page, card)
            assert sentence in page.locator("#refused").inner_text()


SEE_NEXT = """(text) => {
  document.getElementById("text").value = text;
  const see = document.querySelector("#give button");
  see.click();
  return [document.getElementById("refused").hidden, document.getElementById("wait").textContent, see.disabled];
}"""


def test_while_one_is_read_the_refusal_of_the_last_is_gone(reader: HealthReader, ministry: Issuer) -> None:
    with reader.at() as page:
        reader.given(page, ministry.card(BUNDLE, nbf="ayer"))
        assert page.locator("#refused").is_visible()
        is_gone, wait, is_disabled = page.evaluate(SEE_NEXT, ministry.card(BUNDLE))
        assert is_gone and wait and is_disabled
        page.locator("[data-verdict=verified]").wait_for()
        assert page.locator("#wait").inner_text() == ""


def test_an_issuer_without_tls_or_with_a_name_of_the_language_is_nobody(reader: HealthReader, stranger: Issuer) -> None:
    for iss in ("http://example.com", "constructor", "__proto__", "https://ana:clave@example.com"):
        with reader.at() as page:
            reader.given(page, stranger.card(BUNDLE, iss=iss))
            assert verdict(page) == "unknown_issuer"
            page.get_by_role("button", name="Preguntar").click()
            page.locator("[data-verdict=unchecked]").wait_for()
    assert not [one for one in reader.asked if "example.com" in one]


def test_a_file_of_cards_is_opened(reader: HealthReader, ministry: Issuer, stranger: Issuer, tmp_path: Path) -> None:
    file = tmp_path / "ana.smart-health-card"
    file.write_text(json.dumps({"verifiableCredential": [ministry.card(BUNDLE), stranger.card(BUNDLE), "x"]}))
    with reader.at() as page:
        page.locator("#file").set_input_files(file)
        page.locator("article").nth(1).wait_for()
        found = page.locator("[data-verdict]").evaluate_all("(all) => all.map((one) => one.dataset.verdict)")
        assert found == ["verified", "unknown_issuer"] and page.locator("#shown .refused").count() == 1
