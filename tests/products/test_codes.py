"""Codes are issued once and claimed once."""

from ficha.core import ids
from ficha.core.db import Database
from ficha.products.codes import issue_code
from ficha.products.product import Product
from tests.clock import MovableClock
from tests.world import World


def test_a_thousand_codes_are_a_thousand_codes(database: Database) -> None:
    now = MovableClock().now()
    with database.writing() as tx:
        issued = [issue_code(tx, now).code for _ in range(1000)]
    assert len(set(issued)) == 1000


def test_a_code_that_was_ever_issued_is_not_issued_again(world: World) -> None:
    taken = world.register().data["attributes"]["product_codes"][0]
    codes = iter([taken, taken, "NEW222"])
    with world.parts.database.writing() as tx:
        assert issue_code(tx, world.clock.now(), new_code=lambda: next(codes)).code == "NEW222"
    with world.parts.database.reading() as tx:
        assert tx.orm.get_one(Product, taken).state == "claimed"
    assert ids.random_code() != taken
