"""An upgrade takes along the jobs that Procrastinate's tables hold, and what older processes put there meanwhile."""

from typing import Any

import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from ficha.core.db import Database
from ficha.migrations import alembic_config

BEFORE = "20261118_13"
# As much of the old tables as the version before wrote to.
OLD_TABLES = """
    CREATE TABLE procrastinate_jobs (
        id bigserial PRIMARY KEY, queue_name text, task_name text, priority int DEFAULT 0, queueing_lock text,
        args jsonb DEFAULT '{}', status text DEFAULT 'todo', scheduled_at timestamptz, attempts int DEFAULT 0
    );
    CREATE UNIQUE INDEX old_key ON procrastinate_jobs (queueing_lock) WHERE status = 'todo';
    CREATE TABLE procrastinate_events (
        job_id bigint REFERENCES procrastinate_jobs ON DELETE CASCADE, type text, at timestamptz
    );
    INSERT INTO procrastinate_jobs
        (queue_name, task_name, priority, queueing_lock, args, status, scheduled_at, attempts)
    VALUES ('ficha', 'plain', 0, NULL, '{"payload": {"n": 1}}', 'todo', NULL, 0),
        ('ficha', 'failing', 1, 'ana', '{"payload": {"n": 2}, "error": "OSError"}', 'todo', '2027-01-01 00:00Z', 3),
        ('ficha', 'running', 0, 'ana', '{"payload": {"n": 3}}', 'doing', NULL, 1),
        ('ficha', 'dead', 0, NULL, '{"payload": {"n": 4}, "error": "GiveUp"}', 'failed', NULL, 10);
    INSERT INTO procrastinate_events
    SELECT id, 'deferred', timestamptz '2026-11-17 12:00Z' FROM procrastinate_jobs UNION
    SELECT id, 'failed', timestamptz '2026-11-17 13:00Z' FROM procrastinate_jobs WHERE status = 'failed';
"""
# As `ficha restore` makes tables that no migration makes any more.
PUT_BACK = """
    CREATE TABLE a AS SELECT CAST(id AS text), queue_name, task_name, CAST(priority AS text), queueing_lock,
        CAST(args AS text), status, CAST(scheduled_at AS text), CAST(attempts AS text) FROM procrastinate_jobs;
    CREATE TABLE b AS SELECT CAST(job_id AS text), type, CAST(at AS text) FROM procrastinate_events;
    DROP TABLE procrastinate_events, procrastinate_jobs;
    ALTER TABLE a RENAME TO procrastinate_jobs;
    ALTER TABLE b RENAME TO procrastinate_events;
"""
OLD_PUT = text("""
    INSERT INTO procrastinate_jobs (queue_name, task_name, queueing_lock, args, scheduled_at, priority)
    VALUES ('ficha', :kind, :key, '{"payload": {"n": 5}}', NULL, 1)
    ON CONFLICT (queueing_lock) WHERE status = 'todo' DO UPDATE SET queueing_lock = EXCLUDED.queueing_lock
""")

DROPPED = "20261118_99"
# One of each kind that Procrastinate had, and our trigger.
OLD_OBJECTS = (
    "CREATE TYPE procrastinate_job_status AS ENUM ('todo', 'doing')",
    "CREATE TYPE procrastinate_job_to_defer_v1 AS (queue_name text)",
    "CREATE TABLE procrastinate_workers (id bigserial PRIMARY KEY)",
    "CREATE TABLE procrastinate_jobs (id bigserial PRIMARY KEY, status procrastinate_job_status, worker_id bigint"
    " REFERENCES procrastinate_workers)",
    "CREATE FUNCTION procrastinate_defer_job_v1(job procrastinate_job_to_defer_v1) RETURNS bigint LANGUAGE sql"
    " AS 'SELECT 1'",
    "CREATE PROCEDURE procrastinate_retry_v1(job bigint) LANGUAGE sql AS 'SELECT 1'",
    "CREATE FUNCTION ficha_put_job() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
    "CREATE TRIGGER ficha_put_job BEFORE INSERT ON procrastinate_jobs FOR EACH ROW EXECUTE FUNCTION ficha_put_job()",
)
NAMED = """
    SELECT relname FROM pg_class WHERE relname LIKE 'procrastinate%' UNION
    SELECT proname FROM pg_proc WHERE proname LIKE 'procrastinate%' OR proname = 'ficha_put_job' UNION
    SELECT typname FROM pg_type WHERE typname LIKE 'procrastinate%'
"""


def rows(connection: Connection, columns: str) -> list[Any]:
    return [tuple(row) for row in connection.execute(text(f"SELECT {columns} FROM jobs ORDER BY id"))]


@pytest.mark.oldest_postgresql
@pytest.mark.parametrize("is_put_back", [False, True])
@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_jobs_move_with_all_that_is_known_of_them(database: Database, is_put_back: bool) -> None:
    with database.engine.connect() as connection, connection.begin() as transaction:
        driver: Any = connection.connection.driver_connection
        driver.execute(OLD_TABLES + PUT_BACK if is_put_back else OLD_TABLES)
        connection.execute(text("UPDATE alembic_version SET version_num = :before"), {"before": BEFORE})
        command.upgrade(alembic_config(connection), "20261118_20")
        assert rows(connection, "id, kind, CAST(payload ->> 'n' AS int), key, state, rank, attempts, last_error") == [
            (1, "plain", 1, None, "ready", 1, 0, None),
            (2, "failing", 2, "ana", "ready", 0, 3, "OSError"),
            (3, "running", 3, "ana", "running", 1, 2, None),
            (4, "dead", 4, None, "dead", 1, 10, "GiveUp"),
        ]
        times = "run_at > '2026-12-31', created_at = '2026-11-17 12:00Z', died_at = '2026-11-17 13:00Z'"
        assert rows(connection, times) == [
            (False, True, None),
            (True, True, None),
            (False, True, None),
            (False, True, True),
        ]
        assert rows(connection, "lease_until > now()") == [(None,), (None,), (True,), (None,)], "taken over after it"
        # By a process of the version before, which no database has that was just put back.
        for kind, key in () if is_put_back else (("late", "eva"), ("late", "eva"), ("failing", "ana")):
            connection.execute(OLD_PUT, {"kind": kind, "key": key})
        late = [] if is_put_back else [("late", "eva", "ready", 0, True)]
        assert rows(connection, "kind, key, state, rank, run_at <= now()")[4:] == late
        following = connection.scalar(text("SELECT nextval(pg_get_serial_sequence('jobs', 'id'))"))
        assert following is not None and following > 4, "no id is used again: a mail is known by its job's"
        assert not connection.scalar(text("SELECT count(*) FROM procrastinate_jobs"))
        transaction.rollback()  # The database is shared with other tests.


@pytest.mark.oldest_postgresql
def test_nothing_is_left_of_the_old_tables(database: Database) -> None:
    with database.engine.connect() as connection, connection.begin() as transaction:
        is_postgresql = connection.dialect.name == "postgresql"
        for statement in OLD_OBJECTS if is_postgresql else ("CREATE TABLE procrastinate_jobs (id int)",):
            connection.execute(text(statement))
        config = alembic_config(connection)
        before = ScriptDirectory.from_config(config).get_revision(DROPPED).down_revision
        connection.execute(text("UPDATE alembic_version SET version_num = :before"), {"before": before})
        command.upgrade(config, DROPPED)
        left = text(NAMED if is_postgresql else "SELECT name FROM sqlite_master WHERE name LIKE 'procrastinate%'")
        assert connection.scalars(left).all() == []
        transaction.rollback()  # The database is shared with other tests.
