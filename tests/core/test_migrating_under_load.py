"""`ficha migrate` while the version before serves: on PostgreSQL its requests wait, and neither of the two fails."""

import os
from collections.abc import Iterator
from threading import Thread

import pytest
from sqlalchemy import create_engine, make_url, text

from ficha.core.db import Database
from ficha.core.postgres_address import driver_url
from ficha.core.schema_version import SchemaState, schema_state
from ficha.migrations import migrate
from tests.gates import wait_until_over_or_locked

# Before the migrations that change subscriptions and grants.
OLDER = "20261118_34"


@pytest.fixture
def older_url(postgres_url: str) -> Iterator[str]:
    """A database of a version before."""
    server, name = make_url(driver_url(postgres_url)), f"ficha_older_{os.getpid()}"
    admin = create_engine(server, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
        yield server.set(database=name).render_as_string(hide_password=False)
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    admin.dispose()


@pytest.mark.parametrize("tables", [("subscriptions", "grants"), ("grants", "subscriptions")])
def test_whoever_would_wait_for_it_in_a_circle_goes_first(older_url: str, tables: tuple[str, str]) -> None:
    """A request has changed one table and comes to another, which the migration has locked while it waits for the
    first. PostgreSQL would end one of them."""
    database, serving = Database(older_url), Database(older_url)
    migrate(database, OLDER)
    failed: list[Exception] = []

    def run() -> None:
        try:
            migrate(database)
        except Exception as error:
            failed.append(error)

    migrating = Thread(target=run)
    with serving.writing() as tx:
        tx.orm.execute(text(f"DELETE FROM {tables[0]}"))
        migrating.start()
        wait_until_over_or_locked(serving, migrating)
        tx.orm.execute(text(f"DELETE FROM {tables[1]}"))
    migrating.join(60)
    assert not migrating.is_alive() and failed == []
    assert schema_state(older_url) is SchemaState.CURRENT
    for each in (database, serving):
        each.close()
