"""Somebody with the database's password rewrites the log. `ficha audit verify` finds each way and says its name."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Table, delete, insert, select, text, update
from typer.testing import CliRunner, Result

from ficha.audit.anchors import Anchor
from ficha.audit.chain import CHAIN_START, AuditEntry, ChainEnd, LoggedFact, bare_hash, link_after
from ficha.audit.jobs import ANCHOR
from ficha.audit.verify_entries import Fault
from ficha.audit.verify_log import NOT_VOUCHED_FOR, AnchorFault, GuardFault
from ficha.cli.audit import app
from ficha.core.db import Base
from ficha.core.transaction import Transaction
from tests.audit.tampering import tampering_with
from tests.world import World

entries: Table = Base.metadata.tables[AuditEntry.__tablename__]
anchors: Table = Base.metadata.tables[Anchor.__tablename__]
Rows = list[dict[str, Any]]


@dataclass
class Log:
    """Two people's records with six entries each: three are known to anchor 2, five to anchor 3, one is new. The
    first anchor was signed when the log was empty, as with every new installation."""

    world: World
    url: str
    ana: int
    beto: int
    backup: dict[Table, Rows]

    def verify(self, *words: str) -> Result:
        env = {"FICHA_DATABASE_URL": self.url, "FICHA_DATA_DIR": str(self.folder), "COLUMNS": "160"}
        return CliRunner().invoke(app, ["verify", *words], env=env)

    def found(self, *words: str) -> list[tuple[str, str, str]]:
        """The rows that were printed."""
        answer = self.verify(*words)
        lines = [line.split("│")[1:4] for line in answer.stdout.splitlines() if line.startswith("│")]
        assert answer.exit_code == (1 if lines else 0), answer.output
        return [(first.strip(), second.strip(), third.strip()) for first, second, third in lines]

    @property
    def folder(self) -> Path:
        return self.world.parts.settings.data_dir

    @property
    def copies(self) -> Path:
        return self.world.parts.settings.anchor_path

    def rows_of(self, record_id: int) -> Rows:
        with self.world.parts.database.reading() as tx:
            query = select(entries).where(entries.c.record_id == record_id).order_by(entries.c.seq)
            return [dict(row) for row in tx.orm.execute(query).mappings()]


def snapshot(world: World) -> dict[Table, Rows]:
    with world.parts.database.reading() as tx:
        return {table: [dict(row) for row in tx.orm.execute(select(table)).mappings()] for table in (entries, anchors)}


@pytest.fixture
def log(world: World, database_url: str) -> Log:
    world.clock.catch_up()  # The command goes by the machine's time.
    world.do(ANCHOR)
    people = [world.register(nombre="Ana"), world.register(nombre="Beto")]
    codes = [person.data["attributes"]["product_codes"][0] for person in people]

    def change(kilos: int) -> None:
        for person, code in zip(people, codes, strict=True):
            body = {"peso_kg": kilos}
            answer = world.client.patch(f"/v2/fmd/{code}/cuerpo", json=body, headers=person.headers)
            assert answer.status_code == 200, answer.text

    ana, beto = (int(person.data["attributes"]["fmd_code"]) for person in people)
    change(50)
    change(51)
    world.do(ANCHOR)
    backup = snapshot(world)
    world.clock.move(minutes=20)
    change(52)
    change(53)
    world.do(ANCHOR)
    change(54)
    return Log(world, database_url, ana, beto, backup)


def at(record_id: int, seq: int) -> Any:
    return (entries.c.record_id == record_id) & (entries.c.seq == seq)


def edit(tx: Transaction, log: Log) -> None:
    tx.orm.execute(update(entries).where(at(log.ana, 4)).values(actor="account:99"))


def remove(tx: Transaction, log: Log) -> None:
    tx.orm.execute(delete(entries).where(at(log.ana, 4)))


def insert_between(tx: Transaction, log: Log) -> None:
    """The ones after it make room, as well as they can without the key."""
    third = log.rows_of(log.ana)[2]
    for seq in (6, 5, 4):
        tx.orm.execute(update(entries).where(at(log.ana, seq)).values(seq=seq + 1))
    made = third | {"id": 9000, "seq": 4, "uid": None, "previous": third["hash"], "hash": bytes(32)}
    tx.orm.execute(insert(entries).values(**made))


def reorder(tx: Transaction, log: Log) -> None:
    for old, new in ((4, 99), (5, 4), (99, 5)):
        tx.orm.execute(update(entries).where(at(log.ana, old)).values(seq=new))


def cut_the_tail(tx: Transaction, log: Log) -> None:
    tx.orm.execute(delete(entries).where(entries.c.record_id == log.ana, entries.c.seq > 4))


def remove_a_whole_log(tx: Transaction, log: Log) -> None:
    tx.orm.execute(delete(entries).where(entries.c.record_id == log.ana))


def hash_again(tx: Transaction, log: Log, hash_of: Callable[[LoggedFact, int, bytes], bytes] = bare_hash) -> None:
    """Somebody else did it, and every hash from there on fits."""
    previous = CHAIN_START.hash
    for row in log.rows_of(log.ana):
        if row["seq"] == 4:
            row["actor"] = "account:99"
        fact = LoggedFact(*(row[name] for name in LoggedFact._fields))
        if row["seq"] >= 4:
            made = hash_of(fact, row["seq"], previous)
            values = {"actor": fact.actor, "previous": previous, "hash": made}
            tx.orm.execute(update(entries).where(at(log.ana, row["seq"])).values(**values))
            previous = made
        else:
            previous = row["hash"]


def hash_again_with_another_key(tx: Transaction, log: Log) -> None:
    hash_again(tx, log, lambda fact, seq, last: link_after(fact, ChainEnd(seq - 1, last), bytes(32)).hash)


def swap_two_records(tx: Transaction, log: Log) -> None:
    for old, new in ((log.ana, 999_999), (log.beto, log.ana), (999_999, log.beto)):
        tx.orm.execute(update(entries).where(entries.c.record_id == old).values(record_id=new))


def put_an_older_log_in_its_place(tx: Transaction, log: Log) -> None:
    """Every entry in it is genuine: it is how the log was an hour ago."""
    tx.orm.execute(delete(entries).where(entries.c.record_id == log.ana))
    tx.orm.execute(insert(entries), [row for row in log.backup[entries] if row["record_id"] == log.ana])


def replay_an_old_backup(tx: Transaction, log: Log) -> None:
    """All of it is genuine, the anchors too."""
    for table, rows in log.backup.items():
        tx.orm.execute(delete(table))
        tx.orm.execute(insert(table), rows)


def forge_an_anchor(tx: Transaction, _log: Log) -> None:
    last = tx.orm.execute(select(anchors).order_by(anchors.c.number.desc()).limit(1)).mappings().one()
    tx.orm.execute(insert(anchors).values(**dict(last) | {"number": 4, "signature": bytes(64)}))


def cut_the_tail_and_its_anchor_s_list(tx: Transaction, log: Log) -> None:
    cut_the_tail(tx, log)
    tx.orm.execute(update(anchors).where(anchors.c.number == 3).values(ends=b""))


def remove_an_anchor(tx: Transaction, _log: Log) -> None:
    tx.orm.execute(delete(anchors).where(anchors.c.number == 2))


def cut_the_tail_and_the_newest_anchor(tx: Transaction, log: Log) -> None:
    cut_the_tail(tx, log)
    tx.orm.execute(delete(anchors).where(anchors.c.number == 3))


# What is found at Ana's record, by place; or at an anchor.
WAYS: list[tuple[Callable[[Transaction, Log], None], list[tuple[str, str]]]] = [
    (edit, [("4", Fault.ALTERED)]),
    (remove, [("5", Fault.MISSING)]),
    (insert_between, [("4", Fault.INSERTED), ("5", Fault.REORDERED), ("6", Fault.REORDERED), ("7", Fault.REORDERED)]),
    (reorder, [("4", Fault.REORDERED), ("5", Fault.REORDERED)]),
    (cut_the_tail, [("5", Fault.CUT)]),
    (remove_a_whole_log, [("5", Fault.CUT)]),
    (hash_again, [("4", Fault.REHASHED), ("5", Fault.REHASHED), ("6", Fault.REHASHED)]),
    (hash_again_with_another_key, [("4", Fault.ALTERED), ("5", Fault.ALTERED), ("6", Fault.ALTERED)]),
    (swap_two_records, [(str(seq), Fault.MOVED) for seq in range(1, 7)]),
    (put_an_older_log_in_its_place, [("5", Fault.CUT)]),
    (replay_an_old_backup, [("anchor 3", AnchorFault.OLDER_DATABASE)]),
    (forge_an_anchor, [("anchor 4", AnchorFault.FORGED), ("anchor 4", AnchorFault.MISSING)]),
    (cut_the_tail_and_its_anchor_s_list, [("anchor 3", AnchorFault.ENDS_ALTERED)]),
    (remove_an_anchor, [("anchor 3", AnchorFault.MISSING)]),
    (cut_the_tail_and_the_newest_anchor, [("anchor 3", AnchorFault.OLDER_DATABASE)]),
]


@pytest.mark.slow
@pytest.mark.parametrize(("way", "names"), WAYS, ids=lambda value: getattr(value, "__name__", ""))
def test_each_way_is_found_and_named(
    log: Log, way: Callable[[Transaction, Log], None], names: list[tuple[str, str]]
) -> None:
    with tampering_with(log.world.parts.database) as tx:
        way(tx, log)
    seen = [(place, name) for record, place, name in log.found() if record in ("", str(log.ana))]
    assert seen == [(place, str(name)) for place, name in names]


def test_a_trigger_that_is_gone_off_or_altered_is_named(log: Log) -> None:
    database = log.world.parts.database
    if database.is_sqlite:
        name, altered = "audit_entries_no_DELETE", "DROP TRIGGER audit_entries_no_DELETE"
    else:
        name, altered = "audit_entries_append_only", "ALTER TABLE audit_entries DISABLE TRIGGER USER"
    with database.writing() as tx:
        tx.orm.execute(text(altered))
    try:
        assert log.found() == [("", name, GuardFault.MISSING)]
    finally:
        if not database.is_sqlite:  # The tests of this process share it.
            with database.writing() as tx:
                tx.orm.execute(text("ALTER TABLE audit_entries ENABLE TRIGGER USER"))


def test_a_forged_copy_is_named_and_one_from_elsewhere_is_asked_too(log: Log, tmp_path: Path) -> None:
    elsewhere = tmp_path / "published.json"
    elsewhere.write_text(log.world.client.get("/.well-known/ficha-log.json").text)
    assert log.found("--copies", str(elsewhere)) == []
    with tampering_with(log.world.parts.database) as tx:
        replay_an_old_backup(tx, log)
    newest = max(log.copies.iterdir())
    newest.chmod(0o600)
    newest.write_text(json.dumps(json.loads(newest.read_text()) | {"root": "00" * 32}))
    assert log.found() == [("", "anchor 3", AnchorFault.COPY_FORGED)]
    newest.unlink()  # Who has the folder too is found out by what others hold.
    assert log.found() == []
    assert log.found("--copies", str(elsewhere)) == [("", "anchor 3", AnchorFault.OLDER_DATABASE)]


def test_a_log_that_goes_on_after_an_old_backup_is_not_the_one_that_was_signed(log: Log) -> None:
    with tampering_with(log.world.parts.database) as tx:
        replay_an_old_backup(tx, log)
    log.world.register()
    log.world.do(ANCHOR)
    assert ("", "anchor 3", AnchorFault.OTHER_DATABASE) in log.found()


def test_entries_from_before_the_key_are_good_as_far_as_the_first_anchor_knows_them(log: Log) -> None:
    """As after an upgrade: hashes without a key, then the first anchor, then entries with one."""
    database = log.world.parts.database
    with tampering_with(database) as tx:
        tx.orm.execute(delete(anchors))
        tx.orm.execute(delete(entries).where(entries.c.record_id == log.beto))
        previous = CHAIN_START.hash
        for row in log.rows_of(log.ana):
            fact = LoggedFact(*(row[name] for name in LoggedFact._fields))
            values = {"previous": previous, "hash": bare_hash(fact, row["seq"], previous)}
            tx.orm.execute(update(entries).where(at(log.ana, row["seq"])).values(**values))
            previous = values["hash"]
    for copy in log.copies.iterdir():
        copy.unlink()
    assert {name for _, _, name in log.found()} >= {NOT_VOUCHED_FOR}, "nothing vouches for them yet"
    log.world.do(ANCHOR)
    assert log.found() == []
    last = ChainEnd(6, previous)
    fact = LoggedFact(log.ana, log.world.clock.now(), "account:1", "record.read", ["salud"], "owner", "::1", None)
    link = link_after(fact, last, log.world.parts.secrets.derive("log"))
    with database.writing() as tx:
        tx.orm.execute(insert(entries).values(**fact._asdict(), **link._asdict()))
    assert log.found() == []
    with tampering_with(database) as tx:
        tx.orm.execute(update(entries).where(at(log.ana, 7)).values(hash=bare_hash(fact, 7, previous)))
    assert log.found() == [(str(log.ana), "7", Fault.REHASHED)]


def test_what_is_published_says_nothing_about_records(log: Log) -> None:
    answer = log.world.client.get("/.well-known/ficha-log.json")
    assert answer.status_code == 200
    assert [anchor["number"] for anchor in answer.json()["anchors"]] == [3, 2, 1]
    assert {name for anchor in answer.json()["anchors"] for name in anchor} == {
        "number",
        "at",
        "previous",
        "root",
        "signature",
    }
    assert answer.json()["keys"][0]["crv"] == "Ed25519"
