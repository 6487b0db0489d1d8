"""What is rare among many rows is found by an index of its own, not by reading them all."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import event, text

from ficha.accounts.accounts import Role
from ficha.accounts.tokens import MAX_ID
from ficha.core.transaction import Transaction
from ficha.events.publish import publish
from ficha.products.decoys import GuessingAlarm, raised_alarms
from ficha.products.inventory import list_codes
from ficha.products.product import LedgerState
from tests.products.test_inventory import batch_of
from tests.world import World


def plan_of(tx: Transaction, asks: Callable[[], object]) -> str:
    """How the database would carry out the statement."""
    seen: list[tuple[str, Any]] = []
    connection = tx.connection()

    def note(_connection: Any, _cursor: Any, sql: str, values: Any, *_: Any) -> None:
        seen.append((sql, values))

    event.listen(connection, "before_cursor_execute", note)
    asks()
    event.remove(connection, "before_cursor_execute", note)
    [(sql, values)] = seen
    explain = "EXPLAIN QUERY PLAN" if connection.dialect.name == "sqlite" else "EXPLAIN"
    return "\n".join(str(row) for row in connection.exec_driver_sql(f"{explain} {sql}", values))


@pytest.mark.oldest_postgresql
def test_rare_states_and_alarms_have_an_index(world: World) -> None:
    batch_of(world.somebody_with(Role.ADMIN), 500)
    database, now = world.parts.database, world.clock.now()
    with database.writing() as tx:
        for _ in range(200):
            publish(tx, "message.state", {}, now, staff=True)
        publish(tx, GuessingAlarm.DECOY, {}, now, staff=True)
    with database.writing() as tx:
        tx.orm.execute(text("ANALYZE"))
        if not database.is_sqlite:  # Of so few rows reading all would be cheaper.
            tx.orm.execute(text("SET LOCAL enable_seqscan = off"))
        plans = {
            "ix_products_claimed": lambda: list_codes(tx, state=LedgerState.CLAIMED, limit=50),
            "ix_products_ended": lambda: list_codes(tx, state=LedgerState.VOID, limit=50),
            "ix_events_guessing": lambda: raised_alarms(tx, before=MAX_ID, limit=20),
        }
        for index, asks in plans.items():
            assert index in plan_of(tx, asks)
        assert len(raised_alarms(tx, before=MAX_ID, limit=20)) == 1
