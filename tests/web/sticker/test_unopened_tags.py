"""Somebody scans a sticker that opens nothing: one that ended, a new one, one not confirmed yet, or a wrong QR."""

import re

import pytest
from sqlalchemy import select

from ficha.cards.carnets import Carnet, opened_carnet
from ficha.fmd.records import Record
from ficha.products.codes import IssuedCode, issue_code
from ficha.products.decoys import make_decoys
from tests.statement_counter import count_statements
from tests.web.sticker.sticker import (
    ScannedSticker,
    alert_by_api,
    emergencies,
    ended_scans,
    mailed,
    page_of,
    sticker_of,
)
from tests.world import Person, World

WRONG = "A" * 26
# Compressed, the code alone changes the length.
PLAIN = {"Accept-Encoding": "identity"}
FORMS = {
    "avisar": {},
    "ubicacion": {"lugar": "la plaza"},
    "mensaje": {"mensaje": "Estoy con ella"},
    "mas": {"quien": "Dr. Gil", "motivo": "Convulsión"},
}


@pytest.fixture
def sticker(world: World) -> ScannedSticker:
    return sticker_of(world)


def printed(world: World) -> IssuedCode:
    with world.parts.database.writing() as tx:
        return issue_code(tx, world.clock.now())


def test_a_lost_sticker_says_that_it_ended_and_promises_nothing(sticker: ScannedSticker) -> None:
    world = sticker.world
    sticker.lose()
    page = sticker.scan(headers={"Accept-Language": "es-PE"})
    assert page.status_code == 410 and 'href="tel:106"' in page.text
    assert "Este QR ya no sirve: se marcó como perdido" in page.text and "No muestra datos" in page.text
    assert 'href="/app?l=es"' in page.text
    assert "otra etiqueta u otro carnet, escanéelo" in page.text
    assert "<form" not in page.text and "Avisar" not in page.text
    for personal in ("Ana", "Epilepsia", "María", "4125551111"):
        assert personal not in page.text
    assert "This QR no longer works" in sticker.scan(params={"l": "en"}).text
    assert "Este QR já não funciona" in sticker.scan(params={"l": "pt"}).text
    for form, fields in FORMS.items():
        answer = world.reader.post(f"{sticker.path}/{form}", data=fields, follow_redirects=False)
        assert answer.status_code == 410 and "Este QR ya no sirve" in answer.text, form
    assert emergencies(world) == []
    # Its code no longer is anybody's.
    typed, unknown = (world.reader.get(f"/e/{code}").text for code in (sticker.code, "222222"))
    assert typed.replace(sticker.code, "222222") == unknown


def test_the_tag_before_a_new_one_has_ended_and_the_new_one_opens(sticker: ScannedSticker) -> None:
    world = sticker.world
    renewed = sticker.owner.post(f"/v2/products/{sticker.code}/tag").json()["data"]["attributes"]["tag"]
    again = sticker.owner.post(f"/v2/products/{sticker.code}/tag").json()["data"]["attributes"]["tag"]
    pages = [page_of(world, sticker.code, tag) for tag in (sticker.tag, renewed, again)]
    assert [page.status_code for page in pages] == [410, 410, 200]
    assert "Este QR ya no sirve: se cambió por otro" in pages[0].text and "uno más nuevo en su lugar" in pages[0].text
    assert (
        "Este QR já não funciona: foi trocado por outro"
        in page_of(world, sticker.code, renewed, params={"l": "pt"}).text
    )
    assert "Alguien escaneó una etiqueta cambiada por otra" in mailed(world)


def test_a_retired_sticker_and_a_revoked_carnet_have_ended(sticker: ScannedSticker) -> None:
    world, owner = sticker.world, sticker.owner
    kept = owner.data["attributes"]["product_codes"][0]
    assert owner.post(f"/v2/products/{sticker.code}/retire").status_code == 200
    page = sticker.scan(params={"l": "en"})
    assert page.status_code == 410 and "This QR no longer works: it was retired" in page.text
    assert mailed(world) == ["Alguien escaneó una etiqueta o un carnet que ya no se usa"]
    assert owner.post(f"/v2/carnet/{kept}/issue").status_code == 201
    with world.parts.database.reading() as tx:
        [carnet] = tx.orm.scalars(select(Carnet))
        key = tx.orm.get_one(Record, carnet.record_id).open_key(world.parts.keyring)
        tag = opened_carnet(carnet, key).tag
    assert page_of(world, carnet.code, tag).status_code == 200
    assert owner.post(f"/v2/carnet/{kept}/revoke").status_code == 200
    assert page_of(world, carnet.code, tag).status_code == 410


def test_a_wrong_tag_and_an_unknown_code_are_one_page_and_one_answer(sticker: ScannedSticker, ana: Person) -> None:
    """Whatever the code is: somebody's, lost, replaced, new, not confirmed, a decoy, or none."""
    world = sticker.world
    lost, new, waiting = sticker_of(world), printed(world), printed(world)
    lost.lose()
    kept = lost.owner.data["attributes"]["product_codes"][0]
    lost.owner.post(f"/v2/products/{kept}/tag")
    assert ana.post(f"/v2/products/{waiting.code}/claim").status_code == 200
    with world.parts.database.writing() as tx:
        [decoy] = make_decoys(tx, world.clock.now(), 1)
    codes = [sticker.code, lost.code, kept, new.code, waiting.code, decoy, "222222"]
    seen = set()
    for code in codes:
        # The tag of another sticker, live or ended, is as wrong as any.
        for tag in {WRONG, sticker.tag if code != sticker.code else WRONG, lost.tag if code != lost.code else WRONG}:
            page = page_of(world, code, tag, headers=PLAIN)
            sent = world.reader.post(f"/e/{code}/{tag}/avisar", data={}, headers=PLAIN)
            api = alert_by_api(world, code, tag)
            heads = tuple(sorted((k, v) for k, v in page.headers.items() if k not in ("date", "x-request-id")))
            told_by_api = re.sub(r'"timestamp":"[^"]+"', "", api.text)
            seen.add((page.status_code, page.text.replace(code, "CODE"), heads, sent.status_code,
                      sent.text.replace(code, "CODE"), api.status_code, told_by_api))  # fmt: skip
    [(status, page_text, _, sent_status, sent_text, api_status, _)] = seen
    assert (status, sent_status, api_status) == (404, 404, 404)
    assert "No reconocemos este QR" in page_text and page_text == sent_text
    assert "ya no sirve" not in page_text and "si el código es correcto y hay a quién avisar" in page_text
    assert emergencies(world) == [] and ended_scans(world) == []


def test_a_wrong_tag_takes_the_statements_of_an_unknown_code(sticker: ScannedSticker) -> None:
    world = sticker.world
    lost = sticker_of(world)
    lost.lose()
    taken = []
    for code in (sticker.code, lost.code, printed(world).code, "222222"):
        page_of(world, code, WRONG)
        with count_statements(world.parts.database) as counted:
            page_of(world, code, WRONG)
        taken.append(counted.statements)
    assert len(set(taken)) == 1, taken


def test_what_is_said_after_pressing_is_true_whatever_the_code_is(sticker: ScannedSticker) -> None:
    world = sticker.world
    lost = sticker_of(world)
    lost.lose()
    said = {}
    for code in (sticker.code, lost.code, "222222"):
        page = world.reader.post(f"/e/{code}/avisar", data={}, headers={"Accept-Language": "es-PE"})
        said[code] = page.text.partition('class="call"')[2].replace(code, "CODE")
        assert page.status_code == 200 and "Aviso solicitado" in page.text and "en camino" not in page.text
    assert len(set(said.values())) == 1
    assert len(emergencies(world)) == 1


def test_a_new_sticker_says_so_and_leads_to_whoever_wants_it(world: World) -> None:
    new = printed(world)
    page = page_of(world, new.code, new.tag)
    assert page.status_code == 404 and "Etiqueta nueva: empezar" in page.text and "no pertenece a nadie" in page.text
    assert (
        'href="tel:' in page.text and page.text.count("<form") == 1 and "avisar" not in page.text.partition("<form")[2]
    )
    # The tag stands in the body of the form, and in no address.
    assert 'action="/empezar?l=es"' in page.text and new.tag not in "".join(
        re.findall(r'(?:href|action)="([^"]*)', page.text)
    )
    assert page.headers["referrer-policy"] == "no-referrer" and page.headers["cache-control"] == "no-store"
    assert "New sticker: begin" in page_of(world, new.code, new.tag, params={"l": "en"}).text
    assert "Etiqueta nova: começar" in page_of(world, new.code, new.tag, params={"l": "pt"}).text
    refused = alert_by_api(world, new.code, new.tag)
    assert refused.status_code == 409 and refused.json()["errors"][0]["code"] == "etiqueta_nueva"
    assert emergencies(world) == []


def test_a_sticker_that_waits_for_the_mailbox_says_that_it_is_not_active(world: World, ana: Person) -> None:
    waiting = printed(world)
    assert ana.post(f"/v2/products/{waiting.code}/claim").status_code == 200
    page = page_of(world, waiting.code, waiting.tag)
    assert page.status_code == 404 and "todavía no está activa" in page.text
    assert 'href="tel:' in page.text and "falta confirmarla" in page.text and "entrar y activarla" in page.text
    assert ana.correo not in page.text
    refused = alert_by_api(world, waiting.code, waiting.tag)
    assert refused.status_code == 409 and refused.json()["errors"][0]["code"] == "etiqueta_sin_activar"
    # Whoever guessed the code and ends it is not told when its holder scans it.
    assert ana.post(f"/v2/products/{waiting.code}/lost").status_code == 200
    world.run_jobs()
    mails = len(world.mails())
    assert page_of(world, waiting.code, waiting.tag).status_code == 410
    assert len(mailed(world)) == mails and ended_scans(world) == []


def test_over_json_an_ended_tag_is_refused_by_its_own_name(sticker: ScannedSticker) -> None:
    world = sticker.world
    sticker.lose()
    body = {"code": sticker.code, "tag": sticker.tag, "position": {"lat": 10.6, "lng": -71.6}}
    key = {"Idempotency-Key": "scan-1"}
    answers = [world.client.post("/v2/emergencies", json=body, headers=key) for _ in range(2)]
    for answer in answers:
        assert answer.status_code == 409 and answer.json()["errors"][0]["code"] == "etiqueta_terminada"
    assert answers[1].headers["Idempotency-Replayed"] == "true"
    assert emergencies(world) == [] and len(ended_scans(world)) == len(mailed(world)) == 1
