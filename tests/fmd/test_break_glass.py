"""A responder scans a sticker, and breaks the glass when she needs to see more."""

import pytest

from ficha.audit.chain import AuditEntry
from ficha.audit.verify_entries import verify_record
from ficha.core.transaction import Transaction
from ficha.fmd.access import FmdNotFound, ScannedFmd
from ficha.fmd.base import Door
from ficha.fmd.break_glass import break_glass, open_with_secret
from ficha.fmd.consent import visible_documents
from ficha.fmd.scanning import scan
from ficha.fmd.stored_documents import stored_documents
from ficha.products.codes import IssuedCode, issue_code
from tests.world import CLAVE, Person, World


@pytest.fixture
def sticker(world: World, ana: Person) -> IssuedCode:
    with world.parts.database.writing() as tx:
        issued = issue_code(tx, world.clock.now())
    assert ana.post(f"/v2/products/{issued.code}/claim", {"product_tag": issued.tag}).status_code == 200
    ana.put(f"/v2/fmd/{issued.code}/salud", {"condiciones": [{"condicion": {"texto": "Asma"}}]})
    ana.put(f"/v2/fmd/{issued.code}/vacuna", {"vacunas": [{"vacuna": {"texto": "Tétanos"}}]})
    ana.put(f"/v2/fmd/{issued.code}/preferencia", {"idioma": "es"})
    return issued


def seen(tx: Transaction, fmd: ScannedFmd) -> set[str]:
    documents = {name: entry.document for name, entry in stored_documents(tx, fmd.record.id, fmd.key).items()}
    return set(visible_documents(documents, fmd.door))


def test_a_scan_shows_what_is_for_responders(world: World, sticker: IssuedCode) -> None:
    with world.parts.database.reading() as tx:
        fmd = scan(tx, world.parts.keyring, sticker.code, sticker.tag)
        assert fmd.door is Door.R and seen(tx, fmd) == {"salud"}


def test_broken_glass_shows_more_for_an_hour_and_is_logged(world: World, ana: Person, sticker: IssuedCode) -> None:
    with world.parts.database.writing() as tx:
        fmd = scan(tx, world.parts.keyring, sticker.code, sticker.tag)
        secret, _ = break_glass(tx, fmd, "Dra. Molina, placa 4471", "Paciente inconsciente", world.clock.now())
    with world.parts.database.reading() as tx:
        deeper = open_with_secret(tx, world.parts.keyring, secret, world.clock.now())
        assert deeper.door is Door.B and seen(tx, deeper) == {"salud", "vacuna"}
        entries = tx.orm.query(AuditEntry).filter_by(record_id=fmd.record.id, action="glass.broken").all()
        assert len(entries) == 1 and verify_record(tx, fmd.record.id) == []
        rows = str(tx.connection().exec_driver_sql("SELECT * FROM broken_glass").fetchall())
        assert "Molina" not in rows and "inconsciente" not in rows and secret not in rows
    world.clock.move(minutes=60)
    with world.parts.database.reading() as tx, pytest.raises(FmdNotFound):
        open_with_secret(tx, world.parts.keyring, secret, world.clock.now())


@pytest.mark.parametrize("end", ["lost", "deleted"])
def test_it_ends_with_the_sticker_and_with_the_record(world: World, ana: Person, sticker: IssuedCode, end: str) -> None:
    with world.parts.database.writing() as tx:
        fmd = scan(tx, world.parts.keyring, sticker.code, sticker.tag)
        secret, _ = break_glass(tx, fmd, "Luis", "Accidente", world.clock.now())
    if end == "lost":
        assert ana.post(f"/v2/products/{sticker.code}/lost").status_code == 200
    else:
        assert ana.delete("/v1/local/data", {"clave": CLAVE}).status_code == 200
    with world.parts.database.reading() as tx:
        with pytest.raises(FmdNotFound):
            open_with_secret(tx, world.parts.keyring, secret, world.clock.now())
        with pytest.raises(FmdNotFound):
            scan(tx, world.parts.keyring, sticker.code, sticker.tag)


@pytest.mark.parametrize("tag", ["", "x", "A" * 26, "á"])
def test_a_wrong_tag_opens_nothing(world: World, sticker: IssuedCode, tag: str) -> None:
    with world.parts.database.reading() as tx, pytest.raises(FmdNotFound):
        scan(tx, world.parts.keyring, sticker.code, tag)
