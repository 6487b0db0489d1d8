"""Health Cards as owners get them, as strangers verify them, and as they end."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from PIL import Image
from pydantic_core import to_json
from sqlalchemy import select

from ficha.core.key_rotation import count_stale
from ficha.exchange.health_cards.emergency_set import Urgency, emergency_set
from ficha.exchange.health_cards.issued import IssuedCard
from ficha.exchange.health_cards.reading import CardKeyUnknown, CardRevoked, HealthCard, check_card, read_card
from ficha.exchange.health_cards.writing import MOST_LETTERS, CardClaims, WrittenCard, qr_text, written_card
from ficha.exchange.issuer_keys import LEAD, YEAR, IssuerKey, IssuerSigningKey
from ficha.exchange.jose import from_base64url, inflated
from tests.api.fmd.test_fmd import fmd, patch
from tests.exchange.health_cards.cards import Issuer
from tests.exchange.samples import BASE, NOW, RECORDS, SMALL, WHOLE, any_record, stored
from tests.qr_reader import read_qr
from tests.world import Person, World

JWKS = "/.well-known/jwks.json"
ISSUER = "https://testserver"


def card_of(person: Person) -> HealthCard:
    answer = person.get(fmd(person, "/health-card"))
    assert answer.status_code == 200, answer.text
    return read_card(answer.content)


def keys(world: World) -> dict[str, Any]:
    found: dict[str, Any] = world.client.get(JWKS).json()
    return found


def fetched(world: World) -> Any:
    def fetch(url: str) -> dict[str, Any]:
        assert url.startswith(ISSUER)
        found: dict[str, Any] = world.client.get(url.removeprefix(ISSUER)).json()
        return found

    return fetch


def verify(world: World, card: HealthCard) -> None:
    check_card(card, keys(world), world.clock.now(), fetched(world))


def kinds(card: HealthCard) -> list[str]:
    return [entry["resource"]["resourceType"] for entry in card.bundle["entry"]]


def told_actions(world: World, person: Person) -> list[str]:
    world.drain_reads()
    return [entry["attributes"]["action"] for entry in person.get(fmd(person, "/access-log")).json()["data"]]


def test_the_owner_takes_it_home_and_anybody_verifies_it(world: World, ana: Person) -> None:
    patch(ana, "", SMALL)
    answer = ana.get(fmd(ana, "/health-card"))
    assert answer.headers["content-type"] == "application/smart-health-card"
    assert answer.headers["content-disposition"].endswith('.smart-health-card"')
    [signed] = answer.json()["verifiableCredential"]
    card = read_card(signed)
    verify(world, card)
    assert card.issuer == ISSUER and card.fhir_version == "4.0.1"
    assert card.not_before == int(world.clock.now().timestamp()) and card.expires is not None
    assert kinds(card)[:2] == ["Patient", "AllergyIntolerance"] and "MedicationStatement" in kinds(card)
    # The same one as a QR, and whenever it is asked for, as long as nothing changed.
    png, svg = (ana.get(fmd(ana, f"/health-card.{kind}")) for kind in ("png", "svg"))
    assert (png.headers["content-type"], svg.headers["content-type"]) == ("image/png", "image/svg+xml")
    assert scanned(png.content) == qr_text(signed)
    patch(ana, "", {"cuerpo": {"grupo_sanguineo": "O-"}})
    assert card_of(ana).signed != signed
    actions = told_actions(world, ana)
    assert actions.count("health_card.issued") == 2 and actions.count("health_card.taken") == 2


def scanned(png: bytes) -> str:
    from io import BytesIO

    with Image.open(BytesIO(png)) as picture:
        found = read_qr(picture.convert("L"))
    assert found is not None
    return found.text


def test_only_owner_and_guardian_have_it(world: World, ana: Person) -> None:
    stranger = world.register()
    for path in ("/health-card", "/health-card.png", "/health-card.svg", "/health-cards"):
        refused = stranger.get(fmd(ana, path))
        assert refused.status_code == 404 and refused.content == stranger.get("/v2/fmd/ZZZZZZ/health-card").content
        assert ana.client.get(fmd(ana, path)).status_code == 401
    with world.parts.database.reading() as tx:
        assert not tx.orm.scalars(select(IssuedCard)).all()


def test_the_owner_ends_a_card_and_whoever_verifies_it_learns_so(world: World, ana: Person) -> None:
    patch(ana, "", SMALL)
    card = card_of(ana)
    before = keys(world)
    [listed] = ana.get(fmd(ana, "/health-cards")).json()["data"]
    shown = listed["attributes"]
    assert (shown["state"], shown["left_out"]) == ("issued", 0) and "alergiasm" in shown["models"]
    ended = ana.delete(fmd(ana, f"/health-cards/{listed['id']}"))
    assert ended.status_code == 200 and ended.json()["data"]["attributes"]["state"] == "revoked"
    again = ana.delete(fmd(ana, f"/health-cards/{listed['id']}"))
    assert (again.status_code, again.json()["errors"][0]["code"]) == (409, "tarjeta_ya_anulada")
    with pytest.raises(CardRevoked):
        verify(world, card)
    [old], [new] = before["keys"], keys(world)["keys"]
    assert new["crlVersion"] == old["crlVersion"] + 1
    told = world.client.get(f"/.well-known/crl/{card.kid}.json").json()
    assert told == {"kid": card.kid, "method": "rid", "ctr": new["crlVersion"], "rids": [card.rid]}
    # The next one counts.
    verify(world, card_of(ana))
    assert "health_card.revoked" in told_actions(world, ana)


def test_nobody_ends_the_card_of_another(world: World, ana: Person) -> None:
    card = card_of(ana)
    [listed] = ana.get(fmd(ana, "/health-cards")).json()["data"]
    stranger = world.register()
    assert stranger.delete(fmd(stranger, f"/health-cards/{listed['id']}")).status_code == 404
    assert stranger.delete(fmd(ana, f"/health-cards/{listed['id']}")).status_code == 404
    assert ana.delete(fmd(ana, "/health-cards/999999")).status_code == 404
    verify(world, card)


def test_the_cards_of_who_leaves_are_revoked(world: World, ana: Person) -> None:
    patch(ana, "", SMALL)
    card = card_of(ana)
    gone = ana.delete("/v1/local/data", {"clave": ana.body["clave"]})
    assert gone.status_code == 200, gone.text
    with pytest.raises(CardRevoked):
        verify(world, card)
    with world.parts.database.reading() as tx:
        assert [row.sealed for row in tx.orm.scalars(select(IssuedCard))] == [None]


def test_what_the_owner_hides_is_on_no_card(world: World, ana: Person) -> None:
    patch(ana, "", SMALL)
    patch(ana, "", {"consentimiento": {"visibilidad": {"alergiasm": "P", "salud": "B"}}})
    card = card_of(ana)
    assert not {"AllergyIntolerance", "Condition", "Procedure"} & set(kinds(card))
    assert "J01C" not in json.dumps(card.bundle)


def test_keys_are_public_and_say_nothing_private(world: World) -> None:
    answer = world.client.get(JWKS, headers={"Origin": "https://verifier.example"})
    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.headers["content-type"] == "application/json"
    [key] = answer.json()["keys"]
    assert (key["kty"], key["use"], key["alg"], key["crv"], "d" in key) == ("EC", "sig", "ES256", "P-256", False)
    listed = world.client.get(f"/.well-known/crl/{key['kid']}.json")
    assert listed.headers["access-control-allow-origin"] == "*"
    assert listed.json() == {"kid": key["kid"], "method": "rid", "ctr": 1, "rids": []} and key["crlVersion"] == 1
    assert world.client.get("/.well-known/crl/unknown.json").status_code == 404
    assert world.client.get(f"/.well-known/crl/{'a' * 44}.json").status_code == 422


def private_halves(world: World) -> dict[str, bool]:
    with world.parts.database.reading() as tx:
        return {key.kid: key.wrapped_key is not None for key in tx.orm.scalars(select(IssuerKey))}


def test_a_year_later_another_key_signs_and_the_old_cards_stay_good(world: World, ana: Person) -> None:
    first = card_of(ana)
    world.clock.move(seconds=YEAR.total_seconds())
    token = {"Authorization": f"Bearer {world.token_for(ana.id)}"}

    def taken() -> HealthCard:
        return read_card(world.client.get(fmd(ana, "/health-card"), headers=token).content)

    second = taken()
    assert second.kid == first.kid and len(keys(world)["keys"]) == 2, "published first"
    world.clock.move(seconds=LEAD.total_seconds())
    token = {"Authorization": f"Bearer {world.token_for(ana.id)}"}
    patch_body = {"cuerpo": {"grupo_sanguineo": "O-"}}
    assert world.client.patch(fmd(ana), json=patch_body, headers=token).status_code == 200
    third = taken()
    assert third.kid != first.kid
    assert private_halves(world) == {first.kid: False, third.kid: True}
    for card in (second, third):
        verify(world, card)


def test_private_halves_are_wrapped_by_the_master_key(world: World, ana: Person) -> None:
    card_of(ana)
    with world.parts.database.reading() as tx:
        [key] = tx.orm.scalars(select(IssuerKey)).all()
        number = key.open_key(world.parts.keyring)
        assert key.wrapped_key is not None and number not in key.wrapped_key and len(number) == 32
    assert count_stale(world.parts.database, world.parts.keyring) == 0
    assert number.hex() not in repr(key)


def test_a_stolen_key_ends_what_it_signed(world: World, ana: Person) -> None:
    from ficha.exchange.issuer_keys import withdraw_issuer_key

    card = card_of(ana)
    with world.parts.database.writing() as tx:
        withdraw_issuer_key(tx, card.kid, world.clock.now())
    with pytest.raises(CardKeyUnknown):
        verify(world, card)
    assert world.client.get(f"/.well-known/crl/{card.kid}.json").status_code == 404
    [listed] = ana.get(fmd(ana, "/health-cards")).json()["data"]
    assert listed["attributes"]["state"] == "revoked"
    verify(world, card_of(ana))
    assert private_halves(world)[card.kid] is False


SIGNER = Issuer()
KEY = IssuerSigningKey(SIGNER.kid, SIGNER.private)
CLAIMS = CardClaims(ISSUER, "AQPCj4wwk6M", NOW, NOW + YEAR)


def written(record: Mapping[str, Any]) -> WrittenCard:
    return written_card(emergency_set(stored(record), 1904221833, BASE, NOW.date()), CLAIMS, KEY)


def parts_of(part: Any) -> Iterator[dict[str, Any]]:
    if isinstance(part, list):
        for one in part:
            yield from parts_of(one)
    if isinstance(part, dict):
        yield part
        for one in part.values():
            yield from parts_of(one)


def assert_minified(compact: str) -> None:
    plain = inflated(from_base64url(compact.split(".")[1]))
    assert plain == to_json(json.loads(plain))


def assert_slim(card: HealthCard) -> None:
    """As Health Cards ask of what a QR holds."""
    entries = card.bundle["entry"]
    assert [entry["fullUrl"] for entry in entries] == [f"resource:{place}" for place in range(len(entries))]
    for part in [card.bundle, *(entry["resource"] for entry in entries)]:
        assert "id" not in part and "text" not in part and part.get("meta", {}).keys() <= {"security"}
    for part in parts_of(card.bundle):
        assert part.get("reference", "resource:0").startswith("resource:")
        assert "display" not in part and not ("coding" in part and "text" in part)
        assert all(value not in (None, "", [], {}) for value in part.values())
    for name in ("code", "medicationCodeableConcept", "vaccineCode", "policyRule"):
        assert all(
            "text" not in part.get(name, {}) for part in parts_of(card.bundle) if isinstance(part.get(name), dict)
        )


@pytest.mark.parametrize("name", RECORDS)
def test_a_card_fits_one_qr_is_stripped_and_verifies(name: str) -> None:
    made = written(RECORDS[name])
    card = read_card(qr_text(made.signed))
    check_card(card, SIGNER.keys, NOW)
    assert_slim(card)
    assert len(made.signed) <= MOST_LETTERS


@settings(max_examples=60)
@given(record=any_record())
def test_the_card_of_any_record_fits_and_verifies(record: dict[str, Any]) -> None:
    made = written(record)
    card = read_card(made.signed)
    check_card(card, SIGNER.keys, NOW)
    assert_slim(card)
    assert_minified(made.signed)
    header = json.loads(from_base64url(made.signed.split(".")[0]))
    assert header == {"alg": "ES256", "zip": "DEF", "kid": SIGNER.kid}


def test_what_does_not_fit_is_left_out_from_the_end_and_the_card_says_so() -> None:
    many = {**WHOLE, "alergiasa": {"alergias": [{"agente": {"texto": f"Cosa {n}"}} for n in range(40)]}}
    made = written(many)
    card = read_card(made.signed)
    known = emergency_set(stored(many), 1904221833, BASE, NOW.date())
    assert made.left_out > 30
    assert card.bundle["meta"]["security"][0]["code"] == "SUBSETTED"
    order = [list(Urgency).index(fact.urgency) for fact in known.facts]
    assert order == sorted(order)
    shown = len([kind for kind in kinds(card) if kind != "Patient"])
    first = [url for fact in known.facts[: len(known.facts) - made.left_out] for url in fact.resources]
    assert shown == len(first)
    # One that is whole says nothing of that.
    assert "meta" not in read_card(written(SMALL).signed).bundle


def test_words_without_a_code_are_notes() -> None:
    card = read_card(written(RECORDS["words alone"]).signed)
    [allergy] = [
        one["resource"] for one in card.bundle["entry"] if one["resource"]["resourceType"] == "AllergyIntolerance"
    ]
    assert allergy["note"] == [{"text": "Un jarabe <rojo> & otro"}]
    assert allergy["code"]["extension"][0]["valueCode"] == "as-text"


def test_who_accepts_transfusions_has_nothing_of_it_on_her_card() -> None:
    def wishes(**answers: bool) -> list[tuple[str, str]]:
        bundle = read_card(written({"personal": SMALL["personal"], "consentimiento": answers}).signed).bundle
        resources = [entry["resource"] for entry in bundle["entry"]]
        consents = [one["provision"] for one in resources if one["resourceType"] == "Consent"]
        return [(one["code"][0]["coding"][0]["code"], one["type"]) for one in consents]

    assert wishes(rechaza_transfusion=False, donante_organos=False) == []
    assert wishes(rechaza_transfusion=True, donante_organos=True) == [
        ("transfusion", "deny"),
        ("donacion_organos", "permit"),
    ]


def test_that_nothing_is_known_is_on_the_card() -> None:
    card = read_card(written(RECORDS["none known"]).signed)
    codes = [part["code"] for part in parts_of(card.bundle) if part.get("system") == "http://snomed.info/sct"]
    assert codes == ["716186003", "160245001", "787481004"]


def test_the_longest_names_leave_room() -> None:
    name = "𝒜" * 100
    record = {
        "personal": {"nombres": name, "apellidos": name, "fecha_nacimiento": "2012-05-03"},
        "emergencia": {
            "contactos": [
                {"nombre": "名" * 100, "relacion": "madre", "cod_telefono": "+58", "telefono": f"412555{n:04}"}
                for n in range(10)
            ]
        },
    }
    made = written(record)
    assert len(made.signed) <= MOST_LETTERS
    assert read_card(made.signed).bundle["meta"]["security"][0]["code"] == "SUBSETTED"


def test_the_order_is_published_as_it_is() -> None:
    page = (Path(__file__).parents[3] / "docs/health-cards.md").read_text("utf-8")
    rows = [line.split("|")[2].strip() for line in page.splitlines() if line.startswith("| ") and line[2].isdigit()]
    assert rows == [urgency.value for urgency in Urgency]


def test_no_card_says_pregnant_after_the_birth() -> None:
    past = {"salud": {"embarazo": {"estado": "embarazada", "fecha_probable_parto": "2021-06-01"}}}
    assert kinds(read_card(written(past).signed)) == ["Patient"]


ANAPHYLAXIS = {"texto": "Anafilaxia", "sistema": "snomed", "codigo": "39579001"}


def urgencies(record: Mapping[str, Any]) -> dict[str, Urgency]:
    """By the code of each fact."""
    found = emergency_set(stored(record), 1904221833, BASE, NOW.date()).facts
    told = {
        (made.get("code") or made.get("medicationCodeableConcept", {})).get("coding", [{}])[0].get("code"): fact.urgency
        for fact in found
        for _, made in fact.resources
    }
    return {code: urgency for code, urgency in told.items() if code}


def test_an_allergy_that_killed_almost_is_one_that_may_kill() -> None:
    """Whatever is called its criticality; and where details are left out, the reaction that says so stays."""
    for told in ({}, {"criticidad": "baja"}, {"criticidad": "desconocida"}):
        penicillin = {"texto": "Penicilina", "sistema": "atc", "codigo": "J01C"}
        record = {"alergiasm": {"alergias": [{"medicamento": penicillin, "reacciones": [ANAPHYLAXIS], **told}]}}
        assert urgencies(record)["J01C"] is Urgency.SEVERE_ALLERGY
        many = {"alergiasa": {"alergias": [{"agente": {"texto": f"Cosa {n}"}} for n in range(40)]}}
        card = read_card(written(record | many).signed)
        allergy = card.bundle["entry"][1]["resource"]
        assert allergy["code"]["coding"][0]["code"] == "J01C"
        assert allergy["reaction"][0]["manifestation"][0]["coding"][0]["code"] == "39579001"
        assert allergy.get("criticality") != "low"


def test_anticoagulants_insulin_and_steroids_are_not_missed() -> None:
    def taken(code: str, **more: Any) -> dict[str, Any]:
        return {"medicamento": {"texto": code, "sistema": "atc", "codigo": code}, **more}

    medicines = [
        taken("B01AA03"),
        taken("A10AE04"),
        taken("H02AB07", desde="2024"),
        taken("A02BC01", critico=True),
        taken("N02BE01"),
        taken("B01AB05", hasta="2020"),
    ]
    found = urgencies({"medicacion": {"medicamentos": medicines}})
    others = {code for code, urgency in found.items() if urgency is not Urgency.CRITICAL_MEDICINE}
    assert others == {"N02BE01", "B01AB05"}
