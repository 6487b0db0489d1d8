"""What docs/statements.md says of the statements that are asked all the time, and what docs/scaling.md builds on."""

from pathlib import Path

from sqlalchemy import bindparam, insert, or_, select, update

from ficha.core.db import Base
from ficha.core.list_parameters import one_of
from ficha.core.prepared import Prepared
from ficha.describe import prepared_statements
from ficha.emergencies.emergency import Emergency
from ficha.fmd.entries import Entry
from ficha.fmd.records import Record
from ficha.products.product import Product
from ficha.statement_keys import Destination, keys_of, unique_without_home

DOCS = Path(__file__).parents[2] / "docs"
STATEMENTS_PAGE, SCALING_PAGE = DOCS / "statements.md", DOCS / "scaling.md"
RECORDS = Base.metadata.tables[Record.__tablename__]
# What would ask every part, and why it is nevertheless as it is: none of them is a stranger's page or a record's read.
ASKS_EVERY_PART = {
    "an account's own records": {"READ_FIRST", "LOCK_FIRST", "ROWS_OF_ACCOUNT", "CODES_OF_ACCOUNT", "FIND_LIVE"},
    "an emergency by its number": {"LOCK_RECORD", "FIND_EMERGENCY", "CALL_STAFF"},
    "a step or an answer to an alert": {
        *("FIND_STEP", "RECENT_ALERTS", "NOTE_ANSWER", "FIND_REFUSAL", "FORGET_ALERT", "COUNT_ALERTS"),
    },
    "a Health Link by its secret or its number": {"LINK_BY_SECRET", "LINK_BY_ID", "TRY_TO_OPEN"},
}


def test_a_statement_is_judged_by_what_it_is_told() -> None:
    by_record = Prepared(select(Entry.sealed).where(Entry.record_id == bindparam("wanted")))
    by_list = Prepared(
        select(Entry.sealed).join(Record, Record.id == Entry.record_id).where(one_of(RECORDS.c.id, "wanted"))
    )
    codes = select(Record.id).join(Product, Product.record_id == Record.id)
    by_code = Prepared(codes.where(Product.code == bindparam("code")))
    by_other = Prepared(select(Emergency.id).where(Emergency.id == bindparam("wanted")))
    by_query = Prepared(select(Entry.sealed).where(Entry.record_id.in_(select(Record.id))))
    by_constant = Prepared(select(Entry.sealed).where(or_(Entry.record_id == 7, Entry.version == bindparam("version"))))
    products = Base.metadata.tables[Product.__tablename__]
    assert [keys_of(each).goes_to for each in (by_record, by_list, by_code)] == [
        Destination.ONE,
        Destination.ONE,
        Destination.LOOKUP,
    ]
    assert {keys_of(each).goes_to for each in (by_other, by_query, by_constant)} == {Destination.EVERY}
    assert [str(key) for key in keys_of(by_code).lookups] == ["products.code"]
    change = Prepared(update(products).where(products.c.code == bindparam("wanted")), ["state"])
    assert (keys_of(change).does, keys_of(change).goes_to) == ("change", Destination.ELSEWHERE)
    added = keys_of(Prepared(insert(Base.metadata.tables[Entry.__tablename__]), ["record_id", "model"]))
    assert (added.does, added.goes_to) == ("add", Destination.ONE)
    assert unique_without_home(Base.metadata.tables[Emergency.__tablename__]) == ["current_record_id", "id"]


def test_the_hot_reads_would_stay_in_one_part() -> None:
    found = {name: keys_of(statement) for name, statement in prepared_statements() if statement.only != "sqlite"}
    lane = {name: keys for name, keys in found.items() if name.startswith("fastlane:") or name.endswith(".SCAN")}
    assert len(lane) == 6
    assert {keys.goes_to for keys in lane.values()} == {Destination.LOOKUP}
    assert {str(key) for keys in lane.values() for key in keys.lookups} == {"products.code", "tokens.id"}
    every = {name.rpartition(".")[2] for name, keys in found.items() if keys.goes_to is Destination.EVERY}
    assert every == set().union(*ASKS_EVERY_PART.values()), "docs/scaling.md says what to do about each"


def test_the_page_counts_the_tables_that_would_be_divided() -> None:
    divided = STATEMENTS_PAGE.read_text().partition("## What would be divided")[2].count("\n| `")
    assert divided == 21 and "twenty-one tables name it" in SCALING_PAGE.read_text()


def test_every_read_and_change_finds_its_rows_by_a_key() -> None:
    unkeyed = {
        name.rpartition(".")[2]
        for name, statement in prepared_statements()
        if statement.only != "sqlite" and (keys := keys_of(statement)).does != "add" and keys.tables and not keys.keys
    }
    fronts_of_queues = {"DUE", "CLAIM", "CLAIM_MORE", "FIND_WAITING", "OLDEST"}
    assert unkeyed - fronts_of_queues == {
        "CHANGES",  # All of a table that stays small.
        "READ_KEYS",  # The same.
        "ALL_SCANNED_AT",  # By the codes in the rows that are given.
    }
