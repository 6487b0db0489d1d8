"""The PostgreSQL engine: Procrastinate's tables, written and read on our own connection. Procrastinate itself is not
imported here, so that a server which only puts jobs aside does not load it.

What is put without a time is due at once, by any clock. What has a time is due by the service's clock in `run_due`, but
by the database's in Procrastinate's own query, which the runner uses. Heartbeats go by the database's time.
"""

import json
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import column, text
from sqlalchemy.exc import IntegrityError

from ficha.core.prepared import Prepared
from ficha.core.transaction import Transaction
from ficha.jobs.kinds import DeadJob, Job, JobClaim, Payload

QUEUE = "ficha"

# A second put under a waiting key changes nothing, but locks the waiting job until the caller commits: a worker
# that took it before could not see what the caller has just written, and nobody would look again.
PUT = Prepared(
    text("""
    INSERT INTO procrastinate_jobs (queue_name, task_name, queueing_lock, args, scheduled_at, priority)
    VALUES (:queue, :kind, :key, CAST(:args AS jsonb), :at, :priority)
    ON CONFLICT (queueing_lock) WHERE status = 'todo' DO UPDATE SET queueing_lock = EXCLUDED.queueing_lock
    """),
    only="postgresql",
)

# Procrastinate's own functions end a job whoever asks. Ours ask that it still be held, at this very attempt.
STILL_HELD = """
    id = :id AND status = 'doing' AND attempts = :attempts
    AND worker_id IS NOT DISTINCT FROM CAST(:worker AS bigint)
"""
FINISH = Prepared(text(f"DELETE FROM procrastinate_jobs WHERE {STILL_HELD}"), only="postgresql")  # noqa: S608
END = text(f"""
    UPDATE procrastinate_jobs
    SET status = CAST(:status AS procrastinate_job_status), attempts = attempts + 1, scheduled_at = :at,
        worker_id = NULL, abort_requested = false, args = args || CAST(:error AS jsonb)
    WHERE {STILL_HELD} RETURNING id
""")  # noqa: S608

# As Procrastinate's own `fetch_job`, but by the service's clock, and for nobody who could send a heartbeat.
NEXT = """
    SELECT id FROM procrastinate_jobs
    WHERE queue_name = :queue AND status = 'todo' AND (scheduled_at IS NULL OR scheduled_at <= {now})
    ORDER BY priority DESC, id LIMIT 1
    FOR UPDATE SKIP LOCKED
"""
CLAIMED = ("id", "task_name", "args", "attempts", "worker_id")
CLAIM = Prepared(
    text(f"""
    UPDATE procrastinate_jobs SET status = 'doing', worker_id = NULL WHERE id = ({NEXT.format(now=":now")})
    RETURNING {", ".join(CLAIMED)}
    """).columns(*map(column, CLAIMED)),  # noqa: S608
    only="postgresql",
)
# For a worker that Procrastinate has entered. Another process may have taken it for dead and removed it: a job that it
# claimed after that would be taken over at once, and run twice.
CLAIM_FOR_WORKER = Prepared(
    text(f"""
    UPDATE procrastinate_jobs SET status = 'doing', worker_id = known.id
    FROM (SELECT id FROM procrastinate_workers WHERE id = CAST(:worker AS bigint) FOR KEY SHARE) AS known
    WHERE procrastinate_jobs.id = ({NEXT.format(now="now()")})
    RETURNING {", ".join(f"procrastinate_jobs.{name}" for name in CLAIMED)}
    """).columns(*map(column, CLAIMED)),  # noqa: S608
    only="postgresql",
)

# After one of the two above, in the same transaction. An array, because PostgreSQL may run the query of an IN for every
# row, and each time it would find others that are not locked yet.
MORE = """
    UPDATE procrastinate_jobs SET status = 'doing', worker_id = CAST(:worker AS bigint) WHERE id = ANY (ARRAY(
        SELECT id FROM procrastinate_jobs
        WHERE queue_name = :queue AND status = 'todo' AND (scheduled_at IS NULL OR scheduled_at <= {now})
            AND task_name = :kind AND priority = (SELECT priority FROM procrastinate_jobs WHERE id = :first)
        ORDER BY id LIMIT :most
        FOR UPDATE SKIP LOCKED
    ))
    RETURNING {columns}
"""
CLAIM_MORE, CLAIM_MORE_FOR_WORKER = (
    Prepared(text(MORE.format(now=now, columns=", ".join(CLAIMED))).columns(*map(column, CLAIMED)), only="postgresql")
    for now in (":now", "now()")
)

HEARTBEAT = text("UPDATE procrastinate_workers SET last_heartbeat = now() WHERE id = :worker RETURNING id")
EXPIRED = text("""
    SELECT id, task_name, args, attempts, worker_id FROM procrastinate_jobs AS job
    WHERE queue_name = :queue AND status = 'doing' AND NOT EXISTS (
        SELECT 1 FROM procrastinate_workers AS worker
        WHERE worker.id = job.worker_id AND worker.last_heartbeat > now() - make_interval(secs => :lease)
    )
    FOR UPDATE OF job SKIP LOCKED
""")

DEAD = text("""
    SELECT id, task_name, attempts, args ->> 'error',
        (SELECT min(at) FROM procrastinate_events WHERE job_id = job.id AND type = 'deferred'),
        (SELECT max(at) FROM procrastinate_events WHERE job_id = job.id AND type = 'failed')
    FROM procrastinate_jobs AS job
    WHERE queue_name = :queue AND status = 'failed' AND id > :after
    ORDER BY id LIMIT :limit
""")
# Due at once, by whichever of the two clocks.
RETRY_DEAD = text("""
    UPDATE procrastinate_jobs SET status = 'todo', attempts = 0, scheduled_at = LEAST(now(), :now)
    WHERE queue_name = :queue AND id = :id AND status = 'failed' RETURNING id
""")
DISCARD = text(
    "DELETE FROM procrastinate_jobs WHERE queue_name = :queue AND id = :id AND status = 'failed' RETURNING id"
)
COUNT_WAITING = text("""
    SELECT task_name, count(*) FROM procrastinate_jobs
    WHERE queue_name = :queue AND status = 'todo' GROUP BY task_name
""")
COUNT_FAILING = text("""
    SELECT task_name, count(*) FROM procrastinate_jobs AS job
    WHERE queue_name = :queue AND (
        (status = 'todo' AND attempts >= :attempts)
        OR (status = 'failed' AND EXISTS (
            SELECT 1 FROM procrastinate_events WHERE job_id = job.id AND type = 'failed' AND at > :died_since
        ))
    )
    GROUP BY task_name
""")
WAITING_SINCE = text("""
    SELECT min(coalesce(job.scheduled_at, event.at)) FROM procrastinate_jobs AS job
    LEFT JOIN procrastinate_events AS event ON event.job_id = job.id AND event.type = 'deferred'
    WHERE job.queue_name = :queue AND job.status = 'todo'
""")


def put(tx: Transaction, kind: str, payload: Payload, at: datetime | None, key: str | None, urgent: bool) -> None:
    args = json.dumps({"payload": dict(payload)})
    job = {"queue": QUEUE, "kind": kind, "key": key, "args": args, "at": at, "priority": int(urgent)}
    tx.run(PUT, **job)


def claim_without_lease(tx: Transaction) -> JobClaim | None:
    row = tx.first(CLAIM, queue=QUEUE, now=tx.now())
    return claim_of(*row) if row else None


def claim_for_worker(tx: Transaction, worker: str) -> JobClaim | None:
    """The next job that is due by the database's clock, as Procrastinate itself would fetch it for this worker."""
    row = tx.first(CLAIM_FOR_WORKER, queue=QUEUE, worker=worker)
    return claim_of(*row) if row else None


def claim_more(tx: Transaction, first: JobClaim, most: int) -> list[JobClaim]:
    asked = {"queue": QUEUE, "worker": first.worker, "kind": first.job.kind, "first": first.job.id, "most": most}
    given = {"now": tx.now()} if first.worker is None else {}
    rows = tx.all(CLAIM_MORE_FOR_WORKER if first.worker else CLAIM_MORE, **given, **asked)
    return sorted((claim_of(*row) for row in rows), key=lambda claim: claim.job.id)


def send_heartbeat(tx: Transaction, worker: int) -> bool:
    """False when other processes took this worker for dead and removed it."""
    return tx.orm.scalar(HEARTBEAT, {"worker": worker}) is not None


def expired(tx: Transaction, lease: timedelta) -> list[JobClaim]:
    rows = tx.orm.execute(EXPIRED, {"queue": QUEUE, "lease": lease.total_seconds()})
    return [claim_of(*row) for row in rows]


def finish(tx: Transaction, claim: JobClaim) -> bool:
    return tx.changed(FINISH, **_held(claim)) > 0


def retry(tx: Transaction, claim: JobClaim, at: datetime, error: str) -> bool:
    try:
        with tx.savepoint():
            return _end(tx, claim, "todo", at, error)
    except IntegrityError:
        # Another with the same key waits already: it will do this one's work.
        return finish(tx, claim)


def mark_dead(tx: Transaction, claim: JobClaim, error: str) -> bool:
    return _end(tx, claim, "failed", None, error)


def dead_jobs(tx: Transaction, limit: int, after: int) -> list[DeadJob]:
    rows = tx.orm.execute(DEAD, {"queue": QUEUE, "limit": limit, "after": after})
    return [DeadJob(*row) for row in rows]


def retry_dead(tx: Transaction, id: int) -> bool:
    try:
        with tx.savepoint():
            return tx.orm.scalar(RETRY_DEAD, {"queue": QUEUE, "id": id, "now": tx.now()}) is not None
    except IntegrityError:
        return discard_dead(tx, id)


def discard_dead(tx: Transaction, id: int) -> bool:
    return tx.orm.scalar(DISCARD, {"queue": QUEUE, "id": id}) is not None


def count_waiting(tx: Transaction) -> dict[str, int]:
    return {row[0]: row[1] for row in tx.orm.execute(COUNT_WAITING, {"queue": QUEUE})}


def count_failing(tx: Transaction, attempts: int, died_since: datetime) -> dict[str, int]:
    values = {"queue": QUEUE, "attempts": attempts, "died_since": died_since}
    return {row[0]: row[1] for row in tx.orm.execute(COUNT_FAILING, values)}


def waiting_since(tx: Transaction) -> datetime | None:
    since: datetime | None = tx.orm.scalar(WAITING_SINCE, {"queue": QUEUE})
    return since


def claim_of(id: int, kind: str, args: dict[str, Any], attempts: int, worker: int | None) -> JobClaim:
    """Procrastinate counts attempts when they end, we when they begin."""
    return JobClaim(Job(id, kind, args.get("payload", {}), attempts + 1), None if worker is None else str(worker))


def _held(claim: JobClaim) -> dict[str, Any]:
    return {"id": claim.job.id, "attempts": claim.job.attempt - 1, "worker": claim.worker}


def _end(tx: Transaction, claim: JobClaim, status: str, at: datetime | None, error: str) -> bool:
    ending = {"status": status, "at": at, "error": json.dumps({"error": error})}
    return tx.orm.scalar(END, {**_held(claim), **ending}) is not None
