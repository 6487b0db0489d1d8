"""Somebody scans a sticker that opens nothing: one that ended, a new one, one not confirmed yet, or a wrong QR."""

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from httpx2 import Response
from sqlalchemy import select

from ficha.accounts.accounts import Account
from ficha.audit.log import AuditEntry
from ficha.cards.carnets import Carnet, opened_carnet
from ficha.fmd.records import Record
from ficha.notices.ended_scans import SCANNED_ENDED, note_ended_scan_if_due
from ficha.notices.notices import ReadNotice
from ficha.products.codes import IssuedCode, issue_code
from ficha.products.decoys import make_decoys
from ficha.products.ended_tags import EndedScan, EndedTag, unopened_tag
from tests.statement_counter import count_statements
from tests.web.sticker.sticker import ScannedSticker, emergencies, sticker_of
from tests.world import CLAVE, Person, World

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


def lose(sticker: ScannedSticker) -> None:
    assert sticker.owner.post(f"/v2/products/{sticker.code}/lost").status_code == 200


def printed(world: World) -> IssuedCode:
    with world.parts.database.writing() as session:
        return issue_code(session, world.clock.now())


def page_of(world: World, code: str, tag: str, **more: Any) -> Response:
    return world.reader.get(f"/E/{code}/{tag}", **more)


def noted(world: World) -> list[AuditEntry]:
    with world.parts.database.reading() as session:
        return list(session.scalars(select(AuditEntry).where(AuditEntry.action == SCANNED_ENDED)))


def told(world: World) -> list[str]:
    """The subjects of what was mailed since; nobody else is written to."""
    world.run_jobs()
    return [mail.subject for mail in world.mails()]


def alert(world: World, code: str, tag: str) -> Response:
    return world.client.post("/v2/emergencies", json={"code": code, "tag": tag})


def test_a_lost_sticker_says_that_it_ended_and_promises_nothing(sticker: ScannedSticker) -> None:
    world = sticker.world
    lose(sticker)
    page = sticker.scan(headers={"Accept-Language": "es-PE"})
    assert page.status_code == 410 and 'href="tel:106"' in page.text
    assert "Este QR ya no sirve" in page.text and "Se marcó como perdido, se retiró o se cambió por otro." in page.text
    assert "escanee ese" in page.text and "<form" not in page.text and "Avisar" not in page.text
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
    assert [page_of(world, sticker.code, tag).status_code for tag in (sticker.tag, renewed, again)] == [410, 410, 200]
    assert "Alguien escaneó una etiqueta que se cambió por otra" in told(world)


def test_a_retired_sticker_and_a_revoked_carnet_have_ended(sticker: ScannedSticker) -> None:
    world, owner = sticker.world, sticker.owner
    kept = owner.data["attributes"]["product_codes"][0]
    assert owner.post(f"/v2/products/{sticker.code}/retire").status_code == 200
    assert sticker.scan().status_code == 410
    assert owner.post(f"/v2/carnet/{kept}/issue").status_code == 201
    with world.parts.database.reading() as session:
        [carnet] = session.scalars(select(Carnet))
        key = session.get_one(Record, carnet.record_id).open_key(world.parts.keyring)
        tag = opened_carnet(carnet, key).tag
    assert page_of(world, carnet.code, tag).status_code == 200
    assert owner.post(f"/v2/carnet/{kept}/revoke").status_code == 200
    assert page_of(world, carnet.code, tag).status_code == 410


def test_the_owner_alone_is_told_once_a_day(sticker: ScannedSticker) -> None:
    world, owner = sticker.world, sticker.owner
    lose(sticker)
    for _ in range(5):
        sticker.scan()
        sticker.alert()
        assert alert(world, sticker.code, sticker.tag).status_code == 409
    world.run_jobs()
    [mail] = world.mails()
    assert mail.to == owner.correo and mail.subject == "Alguien escaneó una etiqueta marcada como perdida"
    assert "una etiqueta de Ana marcada como perdida: a las 12:00 UTC" in mail.text
    assert "Epilepsia" not in mail.text and sticker.tag not in mail.text
    [entry] = noted(world)
    assert (entry.actor, entry.via, entry.what) == ("public", "tag", [sticker.code])
    kept = owner.data["attributes"]["product_codes"][0]
    log = owner.get(f"/v2/fmd/{kept}/access-log").json()["data"]
    assert SCANNED_ENDED in [each["attributes"]["action"] for each in log]
    world.clock.move(hours=23, minutes=59)
    sticker.scan()
    assert len(told(world)) == len(noted(world)) == 1
    world.clock.move(minutes=1)
    sticker.scan()
    assert len(told(world)) == len(noted(world)) == 2


def test_the_notice_is_in_the_language_of_the_owner_and_can_be_refused(world: World) -> None:
    quiet = sticker_of(world, preferencia={"aviso_por_lectura": False})
    lose(quiet)
    quiet.scan()
    assert told(world) == [] and len(noted(world)) == 1
    for language, subject in (
        ("en", "Somebody scanned a sticker that was marked as lost"),
        ("pt", "Alguém escaneou uma etiqueta marcada como perdida"),
    ):
        lost = sticker_of(world)
        with world.parts.database.writing() as session:
            session.get_one(Account, lost.owner.id).idioma = language
        lose(lost)
        lost.scan()
        assert subject in told(world)


def test_of_two_ended_stickers_the_owner_is_told_once_and_the_log_names_both(sticker: ScannedSticker) -> None:
    world = sticker.world
    lose(sticker)
    kept = sticker.owner.data["attributes"]["product_codes"][0]
    old = sticker.owner.post(f"/v2/products/{kept}/tag").json()["data"]["attributes"]["tag"]
    sticker.owner.post(f"/v2/products/{kept}/tag")
    for _ in range(2):
        sticker.scan()
        page_of(world, kept, old)
    assert len(told(world)) == 1
    assert sorted(entry.what[0] for entry in noted(world)) == sorted([sticker.code, kept])


def test_many_at_once_are_one_notice_and_one_entry(sticker: ScannedSticker) -> None:
    """Each of them read that nobody had been told yet, as processes do that know nothing of each other."""
    world = sticker.world
    lose(sticker)
    kept = sticker.owner.data["attributes"]["product_codes"][0]
    old = sticker.owner.post(f"/v2/products/{kept}/tag").json()["data"]["attributes"]["tag"]
    sticker.owner.post(f"/v2/products/{kept}/tag")
    with world.parts.database.reading() as session:
        scans = [unopened_tag(session, code, tag) for code, tag in ((sticker.code, sticker.tag), (kept, old))]

    def note(number: int) -> None:
        scan = scans[number % 2]
        assert isinstance(scan, EndedScan) and scan.is_due(world.clock.now())
        note_ended_scan_if_due(world.parts.database, scan, world.clock.now(), origin="203.0.113.7")

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(note, range(16)))
        list(threads.map(lambda _: alert(world, sticker.code, sticker.tag), range(8)))
    assert len(noted(world)) == 2 and len(told(world)) == 1
    with world.parts.database.reading() as session:
        assert len(session.scalars(select(ReadNotice)).all()) == 1


def test_scanning_it_again_writes_nothing(sticker: ScannedSticker) -> None:
    world = sticker.world
    lose(sticker)
    sticker.scan()
    before = world.rows()
    with count_statements(world.parts.database) as counted:
        for _ in range(10):
            sticker.scan()
    assert world.rows() == before
    assert not [text for text in counted.texts if text.startswith(("INSERT", "UPDATE", "DELETE"))]


def test_after_erasure_it_has_ended_and_is_nobody_s(sticker: ScannedSticker) -> None:
    world, owner = sticker.world, sticker.owner
    lost = sticker_of(world)
    lose(lost)
    for person in (owner, lost.owner):
        assert person.delete("/v1/local/data", {"clave": CLAVE}).status_code == 200
    world.run_jobs()
    mails = len(world.mails())
    for ended in (sticker, lost):
        assert ended.scan().status_code == 410
        assert alert(world, ended.code, ended.tag).status_code == 409
    assert noted(world) == [] and len(told(world)) == mails
    with world.parts.database.reading() as session:
        assert {tag.record_id for tag in session.scalars(select(EndedTag))} == {None}


def test_only_the_hash_of_an_ended_tag_is_stored(sticker: ScannedSticker) -> None:
    lose(sticker)
    with sticker.world.parts.database.reading() as session:
        rows = session.connection().exec_driver_sql("SELECT * FROM ended_tags").fetchall()
    assert len(rows) == 1 and sticker.tag not in str(rows)


def test_a_wrong_tag_and_an_unknown_code_are_one_page_and_one_answer(sticker: ScannedSticker, ana: Person) -> None:
    """Whatever the code is: somebody's, lost, replaced, new, not confirmed, a decoy, or none."""
    world = sticker.world
    lost, new, waiting = sticker_of(world), printed(world), printed(world)
    lose(lost)
    kept = lost.owner.data["attributes"]["product_codes"][0]
    lost.owner.post(f"/v2/products/{kept}/tag")
    assert ana.post(f"/v2/products/{waiting.code}/claim").status_code == 200
    with world.parts.database.writing() as session:
        [decoy] = make_decoys(session, world.clock.now(), 1)
    codes = [sticker.code, lost.code, kept, new.code, waiting.code, decoy, "222222"]
    seen = set()
    for code in codes:
        # The tag of another sticker, live or ended, is as wrong as any.
        for tag in {WRONG, sticker.tag if code != sticker.code else WRONG, lost.tag if code != lost.code else WRONG}:
            page = page_of(world, code, tag, headers=PLAIN)
            sent = world.reader.post(f"/e/{code}/{tag}/avisar", data={}, headers=PLAIN)
            api = alert(world, code, tag)
            heads = tuple(sorted((k, v) for k, v in page.headers.items() if k not in ("date", "x-request-id")))
            told_by_api = re.sub(r'"timestamp":"[^"]+"', "", api.text)
            seen.add((page.status_code, page.text.replace(code, "CODE"), heads, sent.status_code,
                      sent.text.replace(code, "CODE"), api.status_code, told_by_api))  # fmt: skip
    [(status, page_text, _, sent_status, sent_text, api_status, _)] = seen
    assert (status, sent_status, api_status) == (404, 404, 404)
    assert "No reconocemos este QR" in page_text and page_text == sent_text
    assert "ya no sirve" not in page_text and "si el código es correcto y hay contactos" in page_text
    assert emergencies(world) == [] and noted(world) == []


def test_what_is_said_after_pressing_is_true_whatever_the_code_is(sticker: ScannedSticker) -> None:
    world = sticker.world
    lost = sticker_of(world)
    lose(lost)
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
    assert page.status_code == 404 and "Etiqueta nueva" in page.text and "no pertenece a nadie" in page.text
    assert 'href="tel:' in page.text and "<form" not in page.text
    link = re.search(r'href="(/registro\?[^"]+)"', page.text)
    assert link is not None and new.tag not in link.group(1)
    assert page.headers["referrer-policy"] == "no-referrer"
    assert f'value="{new.code}"' in world.client.get(link.group(1).replace("&amp;", "&")).text
    assert "New sticker" in page_of(world, new.code, new.tag, params={"l": "en"}).text
    assert "Etiqueta nova" in page_of(world, new.code, new.tag, params={"l": "pt"}).text
    refused = alert(world, new.code, new.tag)
    assert refused.status_code == 409 and refused.json()["errors"][0]["code"] == "etiqueta_nueva"
    assert emergencies(world) == []


def test_a_sticker_that_waits_for_the_mailbox_says_that_it_is_not_active(world: World, ana: Person) -> None:
    waiting = printed(world)
    assert ana.post(f"/v2/products/{waiting.code}/claim").status_code == 200
    page = page_of(world, waiting.code, waiting.tag)
    assert page.status_code == 404 and "todavía no está activa" in page.text
    assert 'href="tel:' in page.text and "<form" not in page.text and "/registro" not in page.text
    refused = alert(world, waiting.code, waiting.tag)
    assert refused.status_code == 409 and refused.json()["errors"][0]["code"] == "etiqueta_sin_activar"
    # Whoever guessed the code and ends it is not told when its holder scans it.
    assert ana.post(f"/v2/products/{waiting.code}/lost").status_code == 200
    world.run_jobs()
    mails = len(world.mails())
    assert page_of(world, waiting.code, waiting.tag).status_code == 410
    assert len(told(world)) == mails and noted(world) == []


def test_over_json_an_ended_tag_is_refused_by_its_own_name(sticker: ScannedSticker) -> None:
    world = sticker.world
    lose(sticker)
    body = {"code": sticker.code, "tag": sticker.tag, "position": {"lat": 10.6, "lng": -71.6}}
    key = {"Idempotency-Key": "scan-1"}
    answers = [world.client.post("/v2/emergencies", json=body, headers=key) for _ in range(2)]
    for answer in answers:
        assert answer.status_code == 409 and answer.json()["errors"][0]["code"] == "etiqueta_terminada"
    assert answers[1].headers["Idempotency-Replayed"] == "true"
    assert emergencies(world) == [] and len(noted(world)) == len(told(world)) == 1
