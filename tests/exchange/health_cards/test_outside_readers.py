"""Every Health Card that we issue is accepted by readers that are not ours, and one that was revoked by none."""

import json
import os
import tarfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ficha.core.errors import FichaError
from ficha.exchange.health_cards.emergency_set import emergency_set
from ficha.exchange.health_cards.reading import check_card, read_card
from ficha.exchange.health_cards.writing import CardClaims, qr_text, written_card
from ficha.exchange.issuer_keys import IssuerSigningKey
from tests.api.fmd.test_fmd import fmd, patch
from tests.exchange.health_cards.cards import PATIENT, Issuer, claims
from tests.exchange.outside_readers import (
    ARCHIVE,
    VALIDATORS,
    WORDS_ELSEWHERE,
    AnsweredRequest,
    HttpsServer,
    dev_tools_complaints,
    healthcards_claims,
    https_server,
    kill_the_clipboard_bundle,
    wrong_complaints,
)
from tests.exchange.samples import BASE, NOW, RECORDS, SMALL, any_record, stored
from tests.world import Person, World, build_world, settings_for

everything = pytest.mark.skipif(
    not (os.environ.get("FICHA_CONFORMANCE") or os.environ.get("FICHA_STORM")),
    reason="other readers take minutes: make conformance",
)
pytestmark = pytest.mark.slow


class OpenService(NamedTuple):
    """A service whose cards name an address at which it answers."""

    world: World
    server: HttpsServer
    # What stands in the place of what in its answers.
    spoilt: dict[bytes, bytes]


@pytest.fixture
def service(database_url: str, tmp_path: Path) -> Iterator[OpenService]:
    worlds: list[World] = []
    spoilt: dict[bytes, bytes] = {}

    def answer(method: str, path: str, headers: dict[str, str], body: bytes) -> AnsweredRequest:
        kept = {name: value for name, value in headers.items() if name.lower() in ("origin", "content-type")}
        told = worlds[0].client.request(method, path, headers=kept, content=body)
        content = told.content
        for right, wrong in spoilt.items():
            content = content.replace(right, wrong)
        return AnsweredRequest(told.status_code, dict(told.headers) | {"content-encoding": "identity"}, content)

    with https_server(answer, tmp_path) as server:
        world = build_world(
            settings_for(database_url, tmp_path / "data", health_card_issuer=server.url, base_url=server.url)
        )
        world.clock.catch_up()
        worlds.append(world)
        yield OpenService(world, server, spoilt)
        world.close()


def numeric_of(person: Person) -> str:
    return qr_text(read_card(person.get(fmd(person, "/health-card")).content).signed)


def test_healthcards_reads_it(service: OpenService) -> None:
    ana = service.world.register(nombre="Ana Pérez")
    patch(ana, "", SMALL)
    read = healthcards_claims(numeric_of(ana), service.server)
    assert read["vc"]["credentialSubject"]["fhirBundle"] == read_card(numeric_of(ana)).bundle


def test_kill_the_clipboard_reads_it_until_it_is_revoked(service: OpenService) -> None:
    ana = service.world.register(nombre="Ana Pérez")
    patch(ana, "", SMALL)
    numeric = numeric_of(ana)
    assert kill_the_clipboard_bundle(numeric, service.server) == read_card(numeric).bundle
    [listed] = ana.get(fmd(ana, "/health-cards")).json()["data"]
    assert ana.delete(fmd(ana, f"/health-cards/{listed['id']}")).status_code == 200
    assert kill_the_clipboard_bundle(numeric, service.server)["refused"] == "SHCRevokedError"


def revoke_a_card(person: Person) -> None:
    """So that the list of revoked cards names one: of an empty one a reader can say nothing."""
    assert person.get(fmd(person, "/health-card")).status_code == 200
    [listed] = person.get(fmd(person, "/health-cards")).json()["data"]
    assert person.delete(fmd(person, f"/health-cards/{listed['id']}")).status_code == 200


@everything
@pytest.mark.parametrize("name", RECORDS)
def test_dev_tools_has_nothing_against_it(service: OpenService, name: str) -> None:
    """But what it is wrong about, word by word. The QR as a picture, of which it counts segments; and the file."""
    ana = service.world.register(nombre="Ana Pérez")
    if RECORDS[name]:
        patch(ana, "", RECORDS[name])
    revoke_a_card(ana)
    for kind, path in (("qr", "/health-card.png"), ("healthcard", "/health-card")):
        complaints = dev_tools_complaints(kind, ana.get(fmd(ana, path)).content, service.server)
        card = read_card(ana.get(fmd(ana, "/health-card")).content)
        assert sorted(complaints) == sorted(wrong_complaints(card.bundle))


@everything
def test_dev_tools_has_nothing_against_its_text_and_our_keys(service: OpenService) -> None:
    ana = service.world.register(nombre="Ana Pérez")
    patch(ana, "", SMALL)
    revoke_a_card(ana)
    card, numeric = read_card(ana.get(fmd(ana, "/health-card")).content), numeric_of(ana)
    for kind, text in (("jws", card.signed), ("qrnumeric", numeric)):
        assert dev_tools_complaints(kind, text, service.server) == wrong_complaints(card.bundle)
    keys = service.world.client.get("/.well-known/jwks.json").text
    assert dev_tools_complaints("jwkset", keys, service.server) == []


@everything
def test_dev_tools_has_something_against_a_wrong_one(service: OpenService) -> None:
    ana = service.world.register(nombre="Ana Pérez")
    head, payload, _ = read_card(numeric_of(ana)).signed.split(".")
    assert dev_tools_complaints("jws", f"{head}.{payload}.{'A' * 86}", service.server)


ISSUED = Issuer()
NO_WORDS = {"extension": [{**WORDS_ELSEWHERE["extension"][0], "valueCode": "unknown"}]}
NOT_ALLOWED = "additional property 'extension' not allowed"
CONDITION = {"resourceType": "Condition", "subject": {"reference": "resource:0"}}


def answer_with_keys(_method: str, path: str, _headers: dict[str, str], _body: bytes) -> AnsweredRequest:
    found = path == "/.well-known/jwks.json"
    headers = {"Content-Type": "application/json", "Access-Control-Allow-Origin": "*"}
    return AnsweredRequest(200 if found else 404, headers, json.dumps(ISSUED.keys).encode())


def card_of(*resources: dict[str, Any]) -> dict[str, Any]:
    entries = [{"fullUrl": f"resource:{place}", "resource": one} for place, one in enumerate((PATIENT, *resources))]
    return {"resourceType": "Bundle", "type": "collection", "entry": entries}


def test_what_dev_tools_is_wrong_about_is_told_of_these_alone() -> None:
    """By the place in the bundle, the kind and the one extension that a card of ours has there."""
    known = card_of(
        CONDITION | {"code": WORDS_ELSEWHERE}, {"resourceType": "Flag"}, CONDITION | {"code": {"coding": []}}
    )
    assert wrong_complaints(known) == [
        f"error: Schema: /entry/1/Condition/code {NOT_ALLOWED}",
        "error: Schema: /entry/2/Flag unknown Entry type",
    ]
    for unknown in ({"resourceType": "Medicine"}, {"resourceType": "Consent"}, CONDITION | {"code": NO_WORDS}):
        assert wrong_complaints(card_of(unknown)) == []


@everything
@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"resourceType": "Medicine"}, "error: Schema: /entry/2/Medicine unknown Entry type"),
        (CONDITION | {"code": NO_WORDS}, f"error: Schema: /entry/2/Condition/code {NOT_ALLOWED}"),
        (CONDITION | {"severity": WORDS_ELSEWHERE}, f"error: Schema: /entry/2/Condition/severity {NOT_ALLOWED}"),
        (CONDITION | {"id": "1"}, 'warn: /entry/2/Condition/ should not include .id elements"'),
    ],
    ids=["unknown kind", "another extension", "an extension elsewhere", "an id"],
)
def test_what_dev_tools_finds_besides_is_passed_on(tmp_path: Path, wrong: dict[str, Any], complaint: str) -> None:
    """Beside what it is wrong about, in the same card."""
    bundle = card_of({"resourceType": "Flag"}, wrong)
    with https_server(answer_with_keys, tmp_path) as server:
        subject = {"fhirVersion": "4.0.1", "fhirBundle": bundle}
        card = ISSUED.sign(claims(iss=server.url, vc={"credentialSubject": subject}))
        assert sorted(dev_tools_complaints("jws", card, server)) == sorted([*wrong_complaints(bundle), complaint])


@everything
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(record=any_record(), rid=st.sampled_from(["AQPCj4wwk6M", "abcdefghijk"]))
def test_any_card_is_read_by_others(tmp_path_factory: pytest.TempPathFactory, record: dict[str, Any], rid: str) -> None:
    with https_server(answer_with_keys, tmp_path_factory.mktemp("tls")) as server:
        known = emergency_set(stored(record), 1904221833, BASE, NOW.date())
        key = IssuerSigningKey(ISSUED.kid, ISSUED.private)
        numeric = qr_text(written_card(known, CardClaims(server.url, rid, NOW, None), key).signed)
        bundle = read_card(numeric).bundle
        assert healthcards_claims(numeric, server)["vc"]["credentialSubject"]["fhirBundle"] == bundle
        assert kill_the_clipboard_bundle(numeric, server) == bundle


# Whose cards the wrong ones are made of, with the key that the specification prints. Nobody else publishes any.
SPEC_ISSUER = "https://spec.smarthealth.cards/examples/issuer"
SPEC_KEY = {
    "kty": "EC",
    "kid": "3Kfdg-XwP-7gXyywtUfUADwBumDOPKMQx-iELL11W9s",
    "use": "sig",
    "alg": "ES256",
    "crv": "P-256",
    "x": "11XvRWy1I2S0EyJlyf_bWfw_TQ5CJJNLw78bHXNxcgw",
    "y": "eZXwxvO1hvCY0KucrPfKo7yAyMT6Ajc3N7OkAB6VYy8",
}
# Signed as they should be, and so believed: there are blanks around the text, the file has another name or two cards in
# it, a resource has more `meta` than is asked of who issues it.
GOOD_ENOUGH = {
    "test-example-00-d-jws-bad-fhir-metadata.txt",
    "test-example-00-d-jws-trailing_chars.txt",
    "test-example-00-e-file-multi-jws.smart-health-card",
    "test-example-00-e-file-trailing_chars.smart-health-card",
    "test-example-00-e-file.wrong-extension",
    "test-example-00-f-qr-code-numeric-value-0-trailing_chars.txt",
}


@everything
def test_wrong_cards_of_dev_tools_are_refused() -> None:
    if not (VALIDATORS / ARCHIVE).exists():
        pytest.skip("the wrong cards of health-cards-dev-tools are not here: FICHA_VALIDATORS names their folder")
    believed, refused = set(), set()
    with tarfile.open(VALIDATORS / ARCHIVE) as archive:
        for member in archive.getmembers():
            name = Path(member.name).name
            is_card = any(part in name for part in ("-d-jws-", "-e-file", "-f-qr-code-numeric"))
            if "/testdata/" not in member.name or not is_card:
                continue
            opened = archive.extractfile(member)
            assert opened is not None
            try:
                card = read_card(opened.read())
                check_card(card, {"keys": [SPEC_KEY] if card.issuer == SPEC_ISSUER else []}, datetime.now(UTC))
                believed.add(name)
            except FichaError as error:
                assert error.message
                refused.add(name)
    assert believed == GOOD_ENOUGH and len(refused) > 40
