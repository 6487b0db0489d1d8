"""Batches, the ledger, and codes that are never issued twice, whoever makes them at once."""

import base64
import os
from collections import Counter
from itertools import product
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.exc import DatabaseError

from ficha.accounts.accounts import Role
from ficha.core.clock import SystemClock
from ficha.core.crypto import Keyring
from ficha.core.db import Database
from ficha.core.ids import CODE_ALPHABET, code_number, numbered_code, random_code
from ficha.core.key_sources import KeysInEnvironment
from ficha.core.secrets import KeyDestroyed
from ficha.products.batches import Batch, SealedTags, add_codes, open_batch
from ficha.products.decoys import make_decoys
from ficha.products.product import Product
from tests.processes import environment, ficha, start
from tests.world import Person, World

IS_STORM = bool(os.environ.get("FICHA_STORM"))
CODES = 1_000_000 if IS_STORM else 3000
KEYS = "k:" + base64.b64encode(b"a" * 32).decode()
# So few that both processes draw the same ones all the time.
FEW = [f"2222{''.join(pair)}" for pair in product(CODE_ALPHABET, repeat=2)]


@pytest.fixture
def admin(world: World) -> Person:
    return world.somebody_with(Role.ADMIN)


def batch_of(admin: Person, count: int = 3, label: str = "Colegio") -> int:
    answer = admin.post("/v2/generators/codes", {"count": count, "label": label})
    assert answer.status_code == 201, answer.text
    return int(answer.json()["data"]["id"])


def codes_of(admin: Person, **asked: object) -> list[dict[str, object]]:
    answer = admin.get("/v2/codes", params=asked)
    assert answer.status_code == 200, answer.text
    return [each["attributes"] | {"code": each["id"]} for each in answer.json()["data"]]


def tags_of(admin: Person, batch: int) -> dict[str, str]:
    lines = admin.get(f"/v2/batches/{batch}/csv", params={"tags": True}).text.split("\r\n")[1:-1]
    return {line.split(",")[0]: line.rpartition("/")[2] for line in lines}


def fill(url: str, count: int, is_crowded: bool) -> None:
    """As a process on some machine does it."""
    database, keyring, now = Database(url), Keyring(KeysInEnvironment(KEYS)), SystemClock().now()
    draw = Random(os.getpid())
    new_code = (lambda: draw.choice(FEW)) if is_crowded else random_code
    with database.writing() as tx:
        number = open_batch(tx, keyring, count, now, by="cli", tag_days=7).id
    left = count
    while left:
        with database.writing() as tx:
            left = add_codes(tx, keyring, number, now, most=100 if is_crowded else 1000, new_code=new_code).left
    database.close()


@pytest.mark.parametrize("is_crowded", [True, False])
def test_two_processes_at_once_never_issue_a_code_twice(database: Database, is_crowded: bool) -> None:
    """In the crowd, most codes that a process draws were issued by the other a moment ago, or are being issued."""
    count = 490 if is_crowded else CODES // 2
    began = SystemClock().now()
    processes = [start(fill, database.url, count, is_crowded) for _ in range(2)]
    for process in processes:
        process.join(60 if not IS_STORM else 900)
        assert process.exitcode == 0
    seconds = (SystemClock().now() - began).total_seconds()
    if IS_STORM:
        print(f"{database.engine.dialect.name}: {2 * count / seconds:,.0f} codes/s")  # noqa: T201
    with database.reading() as tx:
        counted = tx.orm.scalars(select(func.count()).select_from(Product).group_by(Product.batch_id))
        assert counted.all() == [count, count]
        assert {batch.made for batch in tx.orm.scalars(select(Batch))} == {count}


def test_a_batch_is_made_listed_and_counted(world: World, admin: Person) -> None:
    first, second = batch_of(admin, 3), batch_of(admin, 2, "Farmacia")
    listed = admin.get("/v2/batches").json()["data"]
    assert [(each["id"], each["attributes"]["label"]) for each in listed] == [(second, "Farmacia"), (first, "Colegio")]
    assert [each["attributes"]["made"] for each in listed] == [2, 3]
    attributes = admin.get(f"/v2/batches/{first}").json()["data"]["attributes"]
    assert attributes["codes"] == {"printed": 3, "shipped": 0, "claimed": 0, "void": 0}
    assert len(codes_of(admin, batch=first)) == 3
    assert admin.get("/v2/batches", params={"size": 1}).json()["meta"]["page"]["next"]


def test_codes_come_in_pages_in_their_order(world: World, admin: Person) -> None:
    batch = batch_of(admin, 5)
    seen, cursor = [], None
    while True:
        answer = admin.get("/v2/codes", params={"batch": batch, "size": 2} | ({"cursor": cursor} if cursor else {}))
        seen += [each["id"] for each in answer.json()["data"]]
        cursor = answer.json()["meta"]["page"]["next"]
        if cursor is None:
            break
    assert seen == sorted(seen) and len(set(seen)) == 5
    assert [code["code"] for code in codes_of(admin, starts=seen[0].lower())] == [seen[0]]
    assert admin.get("/v2/codes", params={"cursor": "x"}).status_code == 422


def test_a_large_batch_is_made_bit_by_bit(world: World, admin: Person) -> None:
    batch = batch_of(admin, 1205)
    assert admin.get(f"/v2/batches/{batch}").json()["data"]["attributes"]["made"] == 1000
    world.run_jobs()
    attributes = admin.get(f"/v2/batches/{batch}").json()["data"]["attributes"]
    assert (attributes["made"], attributes["codes"]["printed"]) == (1205, 1205)
    assert len(tags_of(admin, batch)) == 1205
    too_many = admin.post("/v2/generators/codes", {"count": 100_001})
    assert too_many.status_code == 422 and too_many.json()["errors"][0]["code"] == "lote_demasiado_grande"


def test_the_ledger_tells_what_became_of_a_code(world: World, admin: Person, ana: Person) -> None:
    batch = batch_of(admin, 3)
    tags = tags_of(admin, batch)
    claimed, voided, left = sorted(tags)
    assert admin.post(f"/v2/batches/{batch}/ship").status_code == 200
    assert ana.post(f"/v2/products/{claimed}/claim", {"product_tag": tags[claimed]}).status_code == 200
    assert admin.post(f"/v2/codes/{voided.lower()}/void").json()["data"]["attributes"]["state"] == "void"
    states = {code["code"]: code["state"] for code in codes_of(admin, batch=batch)}
    assert states == {claimed: "claimed", voided: "void", left: "shipped"}
    assert [code["code"] for code in codes_of(admin, state="void")] == [voided]
    ledger = admin.get(f"/v2/codes/{claimed}").json()["data"]["attributes"]["ledger"]
    by = f"account:{admin.id}"
    assert [(row["state"], row["by"], row["is_of_batch"]) for row in ledger] == [
        ("printed", by, True),
        ("shipped", by, True),
        ("claimed", "owner", False),
    ]
    assert str(ana.data["attributes"]["fmd_code"]) not in admin.get(f"/v2/codes/{claimed}").text
    assert ana.post(f"/v2/products/{voided}/claim", {"product_tag": tags[voided]}).status_code == 404
    # Whoever bought one all the same learns which is good.
    scanned = [world.reader.get(f"/e/{code}/{tags[code]}") for code in (claimed, voided, left)]
    assert [page.status_code for page in scanned] == [200, 410, 404]
    assert "Este QR ya no sirve" in scanned[1].text and "Etiqueta nueva" in scanned[2].text


def test_what_is_claimed_or_void_is_not_voided_again(world: World, admin: Person, ana: Person) -> None:
    own = ana.data["attributes"]["product_codes"][0]
    for step in ("ship", "void"):
        refused = admin.post(f"/v2/codes/{own}/{step}")
        assert refused.status_code == 409 and refused.json()["errors"][0]["code"] == "codigos_con_dueno"
        assert admin.post(f"/v2/codes/ZZZZZZ/{step}").status_code == 404
    assert ana.get(f"/v2/products/{own}").json()["data"]["attributes"]["ended_at"] is None


def test_a_voided_batch_ends_with_what_nobody_has_claimed(world: World, admin: Person, ana: Person) -> None:
    batch = batch_of(admin, 3)
    tags = tags_of(admin, batch)
    mine, *others = sorted(tags)
    ana.post(f"/v2/products/{mine}/claim", {"product_tag": tags[mine]})
    assert admin.post(f"/v2/batches/{batch}/void").json()["data"]["attributes"]["has_tags"] is False
    world.run_jobs()
    assert Counter(code["state"] for code in codes_of(admin, batch=batch)) == {"void": 2, "claimed": 1}
    for code in others:
        assert ana.post(f"/v2/products/{code}/claim", {"product_tag": tags[code]}).status_code == 404
        assert world.reader.get(f"/e/{code}/{tags[code]}").status_code == 410
    assert world.reader.get(f"/e/{mine}/{tags[mine]}").status_code == 200


def test_decoys_are_not_in_the_inventory(world: World, admin: Person) -> None:
    with world.parts.database.writing() as tx:
        [decoy] = make_decoys(tx, world.clock.now(), 1)
    assert decoy not in [code["code"] for code in codes_of(admin, size=200)]
    assert admin.get(f"/v2/codes/{decoy}").status_code == 404 == admin.post(f"/v2/codes/{decoy}/void").status_code


@pytest.mark.parametrize("statement", ["UPDATE code_ledger SET state = 'void'", "DELETE FROM code_ledger"])
def test_the_ledger_is_only_ever_added_to(world: World, admin: Person, statement: str) -> None:
    batch_of(admin)
    with pytest.raises(DatabaseError), world.parts.database.writing() as tx:
        tx.orm.execute(text(statement))


def test_a_batch_is_exported_as_csv(world: World, admin: Person) -> None:
    batch = batch_of(admin, 2)
    answer = admin.get(f"/v2/batches/{batch}/csv")
    assert answer.headers["content-type"].startswith("text/csv")
    head, *rows = answer.text.split("\r\n")[:-1]
    assert head.startswith("code,state,") and len(rows) == 2
    code, state, *_, link = rows[0].split(",")
    assert (state, link) == ("printed", f"HTTP://TESTSERVER/E/{code}")
    for code, tag in tags_of(admin, batch).items():
        assert len(tag) == 26 and len(code) == 6


def test_tags_are_sealed_and_destroyed_after_seven_days(world: World, admin: Person) -> None:
    batch = batch_of(admin, 3)
    tags = tags_of(admin, batch)
    with world.parts.database.reading() as tx:
        stored = b"".join(tx.orm.scalars(select(SealedTags.sealed)))
        assert not any(tag.encode() in stored for tag in tags.values())
    world.clock.move(days=6)
    world.do("limpieza")
    admin = world.somebody_with(Role.ADMIN)
    assert tags_of(admin, batch) == tags
    world.clock.move(days=1)
    world.do("limpieza")
    admin = world.somebody_with(Role.ADMIN)
    refused = admin.get(f"/v2/batches/{batch}/csv", params={"tags": True})
    assert refused.status_code == 409 and refused.json()["errors"][0]["code"] == "marcas_destruidas"
    with world.parts.database.reading() as tx:
        assert tx.orm.scalars(select(SealedTags)).all() == []
        with pytest.raises(KeyDestroyed):
            tx.orm.get_one(Batch, batch).open_key(world.parts.keyring)


def test_the_tag_of_a_claimed_sticker_is_told_to_nobody(world: World, admin: Person, ana: Person) -> None:
    batch = batch_of(admin, 2)
    tags = tags_of(admin, batch)
    mine = min(tags)
    ana.post(f"/v2/products/{mine}/claim")
    assert set(tags_of(admin, batch)) == set(tags) - {mine}


def test_the_command_goes_on_with_an_interrupted_batch(world: World, tmp_path: Path) -> None:
    settings, now = world.parts.settings, world.clock.now()
    with world.parts.database.writing() as tx:
        number = open_batch(tx, world.parts.keyring, 7, now, by="cli", tag_days=7).id
        add_codes(tx, world.parts.keyring, number, now, most=3)
    env = environment(settings.database, settings.data_dir)
    assert len(ficha("codes", "create", "--batch", str(number), env=env).stdout.splitlines()) == 4
    assert ficha("codes", "create", "--batch", str(number), env=env).stdout == ""
    ficha("codes", "ship", str(number), env=env)
    assert '"shipped": 7' in ficha("codes", "batches", "--json", env=env).stdout
    unknown = ficha("codes", "void", "99", "--yes", env=env, check=False)
    assert unknown.returncode == 1 and "Traceback" not in unknown.stderr and "lote" in unknown.stderr


def test_a_code_has_a_place_among_all() -> None:
    for code in ("222222", "222223", "K7M2QX", "ZZZZZZ"):
        assert numbered_code(code_number(code)) == code
    assert code_number("222222") == 1 and code_number("ZZZZZZ") == 32**6
