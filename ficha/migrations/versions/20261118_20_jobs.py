"""PostgreSQL keeps its jobs in the table that SQLite has: what waits, runs or died in Procrastinate's moves there.

Processes of the version before go on putting jobs into the old table until they are stopped: a trigger puts them into
the new one. What they run now is found gone when it ends, and is tried again here once its lease is over, as after any
process that died. The old tables stay for them, empty; a later migration drops them.
"""

import sqlalchemy as sa
from alembic import op

revision = "20261118_20"
down_revision = "20261118_13"
branch_labels = None
depends_on = None

# When a job was put and when it died is told by its events. Procrastinate counts an attempt when it ends, we do when it
# begins. In tables that were put back from a backup all is text.
MOVE = """
    INSERT INTO jobs (id, kind, payload, key, state, rank, run_at, attempts, worker, lease_until, last_error,
        created_at, died_at)
    SELECT id, kind, args -> 'payload', key,
        CASE status WHEN 'todo' THEN 'ready' WHEN 'doing' THEN 'running' ELSE 'dead' END,
        rank, coalesce(at, put_at, now()), CASE status WHEN 'doing' THEN attempts + 1 ELSE attempts END,
        CASE status WHEN 'doing' THEN 'procrastinate' END,
        CASE status WHEN 'doing' THEN now() + interval '30 seconds' END,
        args ->> 'error', coalesce(put_at, at, now()), CASE status WHEN 'failed' THEN coalesce(died_at, now()) END
    FROM (
        SELECT CAST(id AS bigint) AS id, task_name AS kind, CAST(args AS jsonb) AS args, queueing_lock AS key,
            CAST(status AS text) AS status, CASE WHEN CAST(priority AS int) > 0 THEN 0 ELSE 1 END AS rank,
            CAST(scheduled_at AS timestamptz) AS at, CAST(attempts AS int) AS attempts
        FROM procrastinate_jobs WHERE queue_name = 'ficha' AND CAST(status AS text) IN ('todo', 'doing', 'failed')
    ) AS job LEFT JOIN (
        SELECT CAST(job_id AS bigint) AS job_id,
            min(CAST(at AS timestamptz)) FILTER (WHERE CAST(type AS text) = 'deferred') AS put_at,
            max(CAST(at AS timestamptz)) FILTER (WHERE CAST(type AS text) = 'failed') AS died_at
        FROM procrastinate_events GROUP BY job_id
    ) AS told ON job_id = id
"""
# Ids go on where the old ones ended: a mail carries its job's, and is known by it.
COUNT_ON = """
    SELECT setval(pg_get_serial_sequence('jobs', 'id'), greatest(
        nextval(pg_get_serial_sequence('jobs', 'id')), nextval(to_regclass('procrastinate_jobs_id_seq')),
        (SELECT max(id) FROM jobs)
    ))
"""
PUT_INSTEAD = """
    CREATE FUNCTION ficha_put_job() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO jobs (kind, payload, key, state, rank, run_at, attempts, created_at)
        VALUES (NEW.task_name, CAST(NEW.args AS jsonb) -> 'payload', NEW.queueing_lock, 'ready',
            CASE WHEN CAST(NEW.priority AS int) > 0 THEN 0 ELSE 1 END,
            coalesce(CAST(NEW.scheduled_at AS timestamptz), now()), 0, now())
        ON CONFLICT (key) WHERE state = 'ready' DO UPDATE SET key = EXCLUDED.key;
        PERFORM pg_notify('ficha_jobs', '');
        RETURN NULL;
    END $$
"""
TRIGGER = """
    CREATE TRIGGER ficha_put_job BEFORE INSERT ON procrastinate_jobs
    FOR EACH ROW WHEN (NEW.queue_name = 'ficha') EXECUTE FUNCTION ficha_put_job()
"""


def upgrade() -> None:
    connection = op.get_bind()
    if connection.dialect.name != "postgresql" or not sa.inspect(connection).has_table("procrastinate_jobs"):
        return
    # Nobody puts or ends a job between the steps.
    op.execute("LOCK TABLE procrastinate_jobs IN ACCESS EXCLUSIVE MODE")
    for statement in (MOVE, COUNT_ON, "DELETE FROM procrastinate_jobs", PUT_INSTEAD, TRIGGER):
        op.execute(statement)
