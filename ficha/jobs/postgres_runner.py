"""Runs PostgreSQL's jobs: Procrastinate fetches them and is woken by notifications, our threads run them."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence
from threading import Event, Thread
from typing import Any

from procrastinate import App, JobContext, PsycopgConnector
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job as FetchedJob
from procrastinate.jobs import Status
from procrastinate.manager import JobManager
from procrastinate.worker import Worker

from ficha.core.log import log
from ficha.core.transaction import Transaction
from ficha.jobs import postgres_engine
from ficha.jobs.executor import JobExecutor
from ficha.jobs.housekeeper import Housekeeper, Task
from ficha.jobs.kinds import JobClaim

RECONNECT_SECONDS = 1.0
ABANDON_SECONDS = 5.0
NEVER_SECONDS = 86_400.0


class PostgresRunner:
    def __init__(self, executor: JobExecutor, tasks: list[Task], threads: int, poll_seconds: float) -> None:
        _keep_content_out_of_logs()
        self._executor = executor
        self._threads = threads
        self._poll_seconds = poll_seconds
        self._stopping = Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._worker: Worker | None = None
        self._running: set[asyncio.Future[None]] = set()
        heartbeat_seconds = executor.lease.total_seconds() / 3
        self._housekeeper = Housekeeper(
            [
                Task(self._send_heartbeat, heartbeat_seconds),
                Task(executor.take_over, heartbeat_seconds),
                *tasks,
            ]
        )
        self._thread = Thread(target=lambda: asyncio.run(self._serve()), name="jobs-procrastinate", daemon=True)
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        return self._housekeeper.is_alive and self._thread.is_alive() and self._worker is not None

    def stop(self, timeout: float) -> None:
        """Takes no more jobs, waits for those under way, gives back what is not done by then."""
        self._stopping.set()
        self._on_loop(self._stop_worker)
        self._thread.join(timeout)
        if self._thread.is_alive():
            self._executor.give_back()
            self._on_loop(self._abandon_running)
            self._thread.join(ABANDON_SECONDS)
        self._housekeeper.stop()

    async def _serve(self) -> None:
        """One worker after another: Procrastinate's ends when the database goes away for a moment."""
        self._loop = asyncio.get_running_loop()
        while not self._stopping.is_set():
            try:
                await self._serve_one()
            except Exception as error:
                log().warning("jobs.worker_failed", error=type(error).__name__)
                await asyncio.sleep(RECONNECT_SECONDS)

    async def _serve_one(self) -> None:
        app = self._app()
        async with app.open_async():
            if self._stopping.is_set():
                return
            self._worker = Worker(
                app=app,
                queues=[postgres_engine.QUEUE],
                concurrency=self._threads,
                fetch_job_polling_interval=self._poll_seconds,
                abort_job_polling_interval=NEVER_SECONDS,
                # Procrastinate's heartbeat ends when a stop begins, while jobs still run. Ours goes on to the end.
                update_heartbeat_interval=NEVER_SECONDS,
                stalled_worker_timeout=self._executor.lease.total_seconds(),
                install_signal_handlers=False,
            )
            try:
                await self._worker.run()  # type: ignore[no-untyped-call]
            finally:
                self._worker = None

    def _app(self) -> App:
        url = self._executor.database.engine.url
        _, arguments = self._executor.database.engine.dialect.create_connect_args(url)
        app = App(connector=PsycopgConnector(min_size=1, max_size=2, kwargs=arguments))
        app.job_manager = _JobManager(app, self._executor)
        for name in self._executor.kinds:
            app.task(name=name, queue=postgres_engine.QUEUE, pass_context=True)(self._run_in_thread)
        return app

    async def _run_in_thread(self, context: JobContext, /, **_arguments: Any) -> None:
        """In a daemon thread: those of Procrastinate's pool would delay the end of the process."""
        loop = asyncio.get_running_loop()
        done = loop.create_future()
        self._running.add(done)
        try:
            Thread(target=self._run, args=(_claim_of(context.job), loop, done), name="jobs-work", daemon=True).start()
            await done
        finally:
            self._running.discard(done)

    def _run(self, claim: JobClaim, loop: asyncio.AbstractEventLoop, done: asyncio.Future[None]) -> None:
        """Goes on with the jobs that are due: fetching each through Procrastinate costs more than most jobs."""

        def claim_next(tx: Transaction) -> Sequence[JobClaim]:
            if worker is None or self._stopping.is_set():
                return ()
            return self._executor.with_more(tx, postgres_engine.claim_for_worker(tx, worker))

        worker = claim.worker
        claims: Sequence[JobClaim] = (claim,)
        try:
            while claims:
                claims = self._executor.run(claims, claim_next)
        finally:
            with contextlib.suppress(RuntimeError):  # The loop is closed: a stop has abandoned this job.
                loop.call_soon_threadsafe(_resolve, done)

    def _send_heartbeat(self) -> None:
        worker = self._worker
        if worker is None or worker.worker_id is None:
            return
        with self._executor.database.writing() as tx:
            is_known = postgres_engine.send_heartbeat(tx, worker.worker_id)
        if not is_known:
            # Other processes took this worker for dead and its jobs over. It begins again under a new id.
            self._on_loop(self._stop_worker)
            self._on_loop(self._abandon_running)

    def _stop_worker(self) -> None:
        if self._worker is not None:
            self._worker.stop()  # type: ignore[no-untyped-call]

    def _abandon_running(self) -> None:
        for done in list(self._running):
            _resolve(done)

    def _on_loop(self, call: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # Already closed.
            if self._loop is not None:
                self._loop.call_soon_threadsafe(call)


class _JobManager(JobManager):
    """Procrastinate's, except that the thread which ran a job has already written down how it ended."""

    def __init__(self, app: App, executor: JobExecutor) -> None:
        super().__init__(app.connector)
        self._executor = executor

    async def finish_job(self, job: FetchedJob, status: Status, delete_job: bool) -> None:
        if status is Status.FAILED:  # It never began: there is no such kind here, or no thread could be started.
            await asyncio.to_thread(self._executor.run, [_claim_of(job)])

    async def listen_for_jobs(self, **arguments: Any) -> None:
        """Nobody would notice if listening ended, and every job would wait for the next poll."""
        while True:
            with contextlib.suppress(ConnectorException):
                await super().listen_for_jobs(**arguments)
            await asyncio.sleep(RECONNECT_SECONDS)


class _WithoutContent(logging.Handler):
    """Procrastinate's log lines hold arguments and texts of exceptions. Only the action and the error's class stay."""

    def emit(self, record: logging.LogRecord) -> None:
        action = getattr(record, "action", record.funcName)
        if action not in ("task_not_found", "job_error"):  # The executor logs these.
            error = record.exc_info[0] if record.exc_info else None
            log().warning("jobs.procrastinate", action=action, error=error.__name__ if error else None)


def _keep_content_out_of_logs() -> None:
    logger = logging.getLogger("procrastinate")
    logger.handlers[:] = [_WithoutContent()]
    logger.propagate = False
    logger.setLevel(logging.WARNING)


def _claim_of(job: FetchedJob) -> JobClaim:
    assert job.id is not None
    return postgres_engine.claim_of(job.id, job.task_name, job.task_kwargs, job.attempts, job.worker_id)


def _resolve(done: asyncio.Future[None]) -> None:
    if not done.done():
        done.set_result(None)
