"""Runs PostgreSQL's jobs: Procrastinate fetches them and is woken by notifications, our threads do them."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from threading import Event, Thread
from typing import Any

from procrastinate import App, JobContext, PsycopgConnector
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job as FetchedJob
from procrastinate.jobs import Status
from procrastinate.manager import JobManager
from procrastinate.worker import Worker

from ficha.core.log import log
from ficha.jobs import postgres_engine
from ficha.jobs.executor import JobExecutor
from ficha.jobs.housekeeper import Housekeeper, Task
from ficha.jobs.kinds import Claim

RECONNECT_SECONDS = 1.0
LAST_WORDS_SECONDS = 5.0
NEVER_SECONDS = 86_400.0


class PostgresRunner:
    def __init__(self, workshop: JobExecutor, chores: list[Task], threads: int, poll_seconds: float) -> None:
        _quieten()
        self._workshop = workshop
        self._threads = threads
        self._poll_seconds = poll_seconds
        self._stopping = Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._worker: Worker | None = None
        self._under_way: set[asyncio.Future[None]] = set()
        beat_seconds = workshop.lease.total_seconds() / 3
        self._keeper = Housekeeper([Task(self._beat, beat_seconds), Task(workshop.take_over, beat_seconds), *chores])
        self._thread = Thread(target=lambda: asyncio.run(self._serve()), name="jobs-procrastinate", daemon=True)
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        return self._keeper.is_alive and self._thread.is_alive() and self._worker is not None

    def stop(self, timeout: float) -> None:
        """Takes no more jobs, waits for those under way, gives back what is not done by then."""
        self._stopping.set()
        self._on_loop(self._stop_worker)
        self._thread.join(timeout)
        if self._thread.is_alive():
            self._workshop.give_back()
            self._on_loop(self._let_go)
            self._thread.join(LAST_WORDS_SECONDS)
        self._keeper.stop()

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
                stalled_worker_timeout=self._workshop.lease.total_seconds(),
                install_signal_handlers=False,
            )
            try:
                await self._worker.run()  # type: ignore[no-untyped-call]
            finally:
                self._worker = None

    def _app(self) -> App:
        url = self._workshop.database.engine.url
        _, arguments = self._workshop.database.engine.dialect.create_connect_args(url)
        app = App(connector=PsycopgConnector(min_size=1, max_size=2, kwargs=arguments))
        app.job_manager = _Manager(app, self._workshop)
        for name in self._workshop.kinds:
            app.task(name=name, queue=postgres_engine.QUEUE, pass_context=True)(self._do)
        return app

    async def _do(self, context: JobContext, /, **_arguments: Any) -> None:
        """In a daemon thread: those of Procrastinate's pool would hold up the end of the process."""
        loop = asyncio.get_running_loop()
        done = loop.create_future()
        self._under_way.add(done)
        try:
            Thread(target=self._work, args=(_claim_of(context.job), loop, done), name="jobs-work", daemon=True).start()
            await done
        finally:
            self._under_way.discard(done)

    def _work(self, claim: Claim, loop: asyncio.AbstractEventLoop, done: asyncio.Future[None]) -> None:
        try:
            self._workshop.work(claim)
        finally:
            with contextlib.suppress(RuntimeError):  # The loop is closed: we were given up by a stop.
                loop.call_soon_threadsafe(_resolve, done)

    def _beat(self) -> None:
        worker = self._worker
        if worker is None or worker.worker_id is None:
            return
        with self._workshop.database.writing() as session:
            is_known = postgres_engine.beat(session, worker.worker_id)
        if not is_known:
            # Others took us for dead, and our jobs are theirs now. We begin again under a new number.
            self._on_loop(self._stop_worker)
            self._on_loop(self._let_go)

    def _stop_worker(self) -> None:
        if self._worker is not None:
            self._worker.stop()  # type: ignore[no-untyped-call]

    def _let_go(self) -> None:
        for done in list(self._under_way):
            _resolve(done)

    def _on_loop(self, call: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # Already closed.
            if self._loop is not None:
                self._loop.call_soon_threadsafe(call)


class _Manager(JobManager):
    """Procrastinate's, except that the thread which ran a job has already written down how it ended."""

    def __init__(self, app: App, workshop: JobExecutor) -> None:
        super().__init__(app.connector)
        self._workshop = workshop

    async def finish_job(self, job: FetchedJob, status: Status, delete_job: bool) -> None:
        if status is Status.FAILED:  # It never began: there is no such kind here, or no thread to be had.
            await asyncio.to_thread(self._workshop.work, _claim_of(job))

    async def listen_for_jobs(self, **arguments: Any) -> None:
        """Nobody would notice if listening ended, and every job would wait for the next poll."""
        while True:
            with contextlib.suppress(ConnectorException):
                await super().listen_for_jobs(**arguments)
            await asyncio.sleep(RECONNECT_SECONDS)


class _Discreet(logging.Handler):
    """Procrastinate's log lines hold arguments and the texts of exceptions. We keep what went wrong, not with what."""

    def emit(self, record: logging.LogRecord) -> None:
        action = getattr(record, "action", record.funcName)
        if action not in ("task_not_found", "job_error"):  # The workshop tells of these.
            error = record.exc_info[0] if record.exc_info else None
            log().warning("jobs.procrastinate", action=action, error=error.__name__ if error else None)


def _quieten() -> None:
    logger = logging.getLogger("procrastinate")
    logger.handlers[:] = [_Discreet()]
    logger.propagate = False
    logger.setLevel(logging.WARNING)


def _claim_of(job: FetchedJob) -> Claim:
    assert job.id is not None
    return postgres_engine.claim_of(job.id, job.task_name, job.task_kwargs, job.attempts, job.worker_id)


def _resolve(done: asyncio.Future[None]) -> None:
    if not done.done():
        done.set_result(None)
