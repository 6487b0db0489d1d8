"""Somebody scans a tag that ended: its owner is told, once a day, and nobody else."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select

from ficha.accounts.accounts import Account
from ficha.notices.notices import SCANNED_ENDED, ReadNotice, note_ended_scan_if_due
from ficha.products.codes import EndedScan, EndedTag, unopened_tag
from tests.databases import held, make_impatient
from tests.statement_counter import count_statements
from tests.web.sticker.sticker import ScannedSticker, alert_by_api, ended_scans, mailed, page_of, sticker_of
from tests.world import CLAVE, World


@pytest.fixture
def sticker(world: World) -> ScannedSticker:
    return sticker_of(world)


def test_the_owner_alone_is_told_once_a_day(sticker: ScannedSticker) -> None:
    world, owner = sticker.world, sticker.owner
    sticker.lose()
    for _ in range(5):
        sticker.scan()
        sticker.alert()
        assert alert_by_api(world, sticker.code, sticker.tag).status_code == 409
    world.run_jobs()
    [mail] = world.mails()
    assert mail.to == owner.correo and mail.subject == "Alguien escaneó una etiqueta marcada como perdida"
    assert "A las 08:00 (hora de Caracas), desde" in mail.text and "marcada como perdida, de Ana." in mail.text
    assert "Epilepsia" not in mail.text and sticker.tag not in mail.text
    [entry] = ended_scans(world)
    assert (entry.actor, entry.via, entry.what) == ("public", "tag", [sticker.code])
    kept = owner.data["attributes"]["product_codes"][0]
    log = owner.get(f"/v2/fmd/{kept}/access-log").json()["data"]
    assert SCANNED_ENDED in [each["attributes"]["action"] for each in log]
    world.clock.move(hours=23, minutes=59)
    sticker.scan()
    assert len(mailed(world)) == len(ended_scans(world)) == 1
    world.clock.move(minutes=1)
    sticker.scan()
    assert len(mailed(world)) == len(ended_scans(world)) == 2


def test_the_notice_is_in_the_language_of_the_owner_and_can_be_refused(world: World) -> None:
    quiet = sticker_of(world, preferencia={"aviso_por_lectura": False})
    quiet.lose()
    quiet.scan()
    assert mailed(world) == [] and len(ended_scans(world)) == 1
    for language, subject in (
        ("en", "Somebody scanned a sticker marked as lost"),
        ("pt", "Alguém escaneou uma etiqueta marcada como perdida"),
    ):
        lost = sticker_of(world)
        with world.parts.database.writing() as tx:
            tx.orm.get_one(Account, lost.owner.id).idioma = language
        lost.lose()
        lost.scan()
        assert subject in mailed(world)


def test_of_two_ended_stickers_the_owner_is_told_once_and_the_log_names_both(sticker: ScannedSticker) -> None:
    world = sticker.world
    sticker.lose()
    kept = sticker.owner.data["attributes"]["product_codes"][0]
    old = sticker.owner.post(f"/v2/products/{kept}/tag").json()["data"]["attributes"]["tag"]
    sticker.owner.post(f"/v2/products/{kept}/tag")
    for _ in range(2):
        sticker.scan()
        page_of(world, kept, old)
    assert len(mailed(world)) == 1
    assert sorted(entry.what[0] for entry in ended_scans(world)) == sorted([sticker.code, kept])


def test_many_at_once_are_one_notice_and_one_entry(sticker: ScannedSticker) -> None:
    """Each of them read that nobody had been told yet, as processes do that know nothing of each other."""
    world = sticker.world
    sticker.lose()
    kept = sticker.owner.data["attributes"]["product_codes"][0]
    old = sticker.owner.post(f"/v2/products/{kept}/tag").json()["data"]["attributes"]["tag"]
    sticker.owner.post(f"/v2/products/{kept}/tag")
    with world.parts.database.reading() as tx:
        scans = [unopened_tag(tx, code, tag) for code, tag in ((sticker.code, sticker.tag), (kept, old))]

    def note(number: int) -> None:
        scan = scans[number % 2]
        assert isinstance(scan, EndedScan) and scan.is_due(world.clock.now())
        note_ended_scan_if_due(world.parts.database, scan, world.clock.now(), origin="203.0.113.7")

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(note, range(16)))
        list(threads.map(lambda _: alert_by_api(world, sticker.code, sticker.tag), range(8)))
    assert len(ended_scans(world)) == 2 and len(mailed(world)) == 1
    with world.parts.database.reading() as tx:
        assert len(tx.orm.scalars(select(ReadNotice)).all()) == 1


def test_scanning_it_again_writes_nothing(sticker: ScannedSticker) -> None:
    world = sticker.world
    sticker.lose()
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
    lost.lose()
    for person in (owner, lost.owner):
        assert person.delete("/v1/local/data", {"clave": CLAVE}).status_code == 200
    world.run_jobs()
    mails = len(world.mails())
    for ended in (sticker, lost):
        assert ended.scan().status_code == 410
        assert alert_by_api(world, ended.code, ended.tag).status_code == 409
    assert ended_scans(world) == [] and len(mailed(world)) == mails
    with world.parts.database.reading() as tx:
        assert {tag.record_id for tag in tx.orm.scalars(select(EndedTag))} == {None}


def test_only_the_hash_of_an_ended_tag_is_stored(sticker: ScannedSticker) -> None:
    sticker.lose()
    with sticker.world.parts.database.reading() as tx:
        rows = tx.connection().exec_driver_sql("SELECT * FROM ended_tags").fetchall()
    assert len(rows) == 1 and sticker.tag not in str(rows)


def test_a_database_that_takes_nothing_now_hides_no_emergency_number(
    sticker: ScannedSticker, database_url: str
) -> None:
    world = sticker.world
    sticker.lose()
    make_impatient(world.parts.database)
    with held(database_url, "audit_entries"):
        page = sticker.scan()
    assert page.status_code == 410 and 'href="tel:' in page.text
    assert ended_scans(world) == []
    sticker.scan()
    assert len(ended_scans(world)) == len(mailed(world)) == 1
