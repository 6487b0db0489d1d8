"""Messages from end to end, against the sandbox: how many are sent in a second, and how soon an alert is accepted."""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

import httpx
import psutil
from pydantic import SecretStr
from rich.console import Console
from rich.table import Table
from sqlalchemy import func, select

from bench.contenders import SERVICE, environment
from bench.databases import BenchDatabase, open_database
from bench.dataset import new_sticker
from bench.processes import cpu_seconds, running
from bench.progress import show_progress
from ficha.channels.messages import Template
from ficha.core.settings import Settings
from ficha.demo.records import PUPIL
from ficha.enrolment.registration import NewPerson, register
from ficha.messaging.messages import queue_row
from ficha.messaging.tables import Message, MessageState, Notification
from ficha.parts import Parts, build_parts
from ficha.sandbox.config import SandboxConfig
from ficha.sandbox.server import Sandbox
from ficha.sandbox.whatsapp.behaviour import Behaviour
from ficha.sandbox.whatsapp.config import WhatsAppConfig

SENDS = 1_000
RATES = (1, 10, 50)
SECONDS = 6.0
TIMEOUT_SECONDS = 120.0


@dataclass(frozen=True)
class RunningService:
    opened: BenchDatabase
    parts: Parts
    sandbox: Sandbox
    port: int
    processes: list[psutil.Process]

    def cpu_seconds(self) -> tuple[float, float]:
        """Of the server, and of the worker where there is one; and of the database, where it has a process."""
        return sum(map(cpu_seconds, self.processes)), self.opened.cpu_seconds() or 0.0

    def wait_until_processed(self) -> None:
        """Until every notification has been sent and processed."""
        self.sandbox.wait_until_idle(TIMEOUT_SECONDS)
        deadline = time.perf_counter() + TIMEOUT_SECONDS
        waiting = select(func.count()).where(Notification.processed_at.is_(None))
        while time.perf_counter() < deadline:
            with self.parts.database.reading() as tx:
                if not tx.orm.scalar(waiting):
                    return
            time.sleep(0.05)


@dataclass(frozen=True)
class Sent:
    """Seconds until all were accepted; CPU of service and database, with the three statuses of each, per message."""

    seconds: float
    cpu_ms: float
    database_cpu_ms: float


def measure_messages(console: Console, databases: list[str]) -> bool:
    sends = Table(
        "database",
        "messages",
        "seconds",
        "per second",
        "CPU ms of each",
        "database CPU ms",
        title="Sending, end to end, with three statuses",
        title_justify="left",
    )
    alerts = Table(
        "database", "alerts/s", "alerts", "p50 ms", "p95 ms", "most ms", title="From the button to the platform"
    )
    good = True
    with show_progress(len(databases) * (1 + len(RATES))) as report:
        for name in databases:
            with open_database(name) as opened, running_service(opened) as service:
                report(f"{name}: {SENDS} messages")
                sent = send_all(service)
                rate = SENDS / sent.seconds
                figures = f"{sent.seconds:.1f}", f"{rate:.0f}", f"{sent.cpu_ms:.2f}", f"{sent.database_cpu_ms:.2f}"
                sends.add_row(name, str(SENDS), *figures)
                for alerts_a_second in RATES:
                    report(f"{name}: {alerts_a_second} alerts a second")
                    waits = sorted(_alert(service, alerts_a_second))
                    p95 = waits[int(len(waits) * 0.95)] * 1000
                    good = good and p95 < 1000
                    middle, most = waits[len(waits) // 2] * 1000, waits[-1] * 1000
                    alerts.add_row(
                        name, str(alerts_a_second), str(len(waits)), f"{middle:.0f}", f"{p95:.0f}", f"{most:.0f}"
                    )
    console.print(sends)
    console.print(alerts)
    return good


@contextmanager
def running_service(opened: BenchDatabase) -> Iterator[RunningService]:
    """The service as an operator runs it: on PostgreSQL with a worker as well as the server."""
    with ExitStack() as stack:
        behaviour = Behaviour(per_second=None, pair_burst=None, auto_read=True)
        sandbox = stack.enter_context(Sandbox(SandboxConfig(whatsapp=WhatsAppConfig(behaviour=behaviour))))
        known = environment(opened.folder / "data", opened.url) | {
            "FICHA_WHATSAPP_BASE_URL": sandbox.url,
            "FICHA_WHATSAPP_PER_SECOND": "1000",
        }
        server = stack.enter_context(running(SERVICE.command, known, opened.folder))
        processes = [server.process]
        if opened.name != "sqlite":
            processes.append(psutil.Process(stack.enter_context(_worker(known))))
        webhook = f"http://127.0.0.1:{server.port}/v2/webhook/whatsapp"
        sandbox.call(lambda platforms: setattr(platforms.whatsapp.subscription, "override", webhook))
        parts = build_parts(Settings(data_dir=opened.folder / "data", database_url=SecretStr(opened.url)))
        stack.callback(parts.database.close)
        yield RunningService(opened, parts, sandbox, server.port, processes)


@contextmanager
def _worker(known: dict[str, str]) -> Iterator[int]:
    with subprocess.Popen([sys.executable, "-m", "ficha", "worker"], env=known, stderr=subprocess.DEVNULL) as worker:
        try:
            yield worker.pid
        finally:
            worker.terminate()


def send_all(service: RunningService) -> Sent:
    parts = service.parts
    cpu_before, database_before = service.cpu_seconds()
    with parts.database.writing() as tx:
        for number in range(SENDS):
            template = Template("mensaje_pendiente", "es", body=[f"Mensaje {number}"])
            number_id = parts.settings.whatsapp_phone_number_id
            queue_row(tx, parts.keyring, number_id, f"+58412{number:07d}", template, parts.clock.now())
    started = time.perf_counter()
    while time.perf_counter() - started < TIMEOUT_SECONDS:
        with parts.database.reading() as tx:
            waiting = tx.orm.scalar(select(func.count()).where(Message.state == MessageState.QUEUED))
        if not waiting:
            break
        time.sleep(0.05)
    seconds = time.perf_counter() - started
    service.wait_until_processed()
    cpu, database = service.cpu_seconds()
    return Sent(seconds, (cpu - cpu_before) / SENDS * 1000, (database - database_before) / SENDS * 1000)


def _alert(service: RunningService, rate: int) -> list[float]:
    """Seconds from the button to the platform, for each alert. They start on time, whether or not those before were
    answered, and each is of another person."""
    stickers = _stickers(service.parts, int(rate * SECONDS))
    before = len(service.sandbox.whatsapp.journal.accepted)
    pressed: dict[str, float] = {}
    threads = []
    started = time.perf_counter()
    with httpx.Client(base_url=f"http://127.0.0.1:{service.port}", timeout=30) as client:
        for number, (path, phone) in enumerate(stickers):
            time.sleep(max(0.0, started + number / rate - time.perf_counter()))
            thread = threading.Thread(target=_press, args=(client, path, phone, pressed))
            thread.start()
            threads.append(thread)
        for thread in threads:
            thread.join()
    deadline = time.perf_counter() + TIMEOUT_SECONDS
    while time.perf_counter() < deadline:
        accepted = service.sandbox.whatsapp.journal.accepted[before:]
        if {one.to for one in accepted} >= pressed.keys():
            break
        time.sleep(0.05)
    service.wait_until_processed()
    first = {one.to: datetime.fromisoformat(one.at).timestamp() for one in reversed(accepted)}
    return [first[phone] - at for phone, at in pressed.items() if phone in first]


def _press(client: httpx.Client, path: str, phone: str, pressed: dict[str, float]) -> None:
    pressed[phone] = datetime.now(UTC).timestamp()
    client.post(f"{path}/avisar", data={"lat": "10.65", "lon": "-71.63", "precision": "9"})


def _stickers(parts: Parts, count: int) -> list[tuple[str, str]]:
    now, found = parts.clock.now(), []
    with parts.database.writing() as tx:
        for number in range(count):
            phone = f"414{time.time_ns() % 10_000_000:07d}"
            name = f"{time.time_ns()}{number}"
            person = NewPerson(
                correo=f"p{name}@bench.example", clave_hash="-", nombre="Ana", cod_telefono="+58", telefono=phone
            )
            account = register(tx, person, parts.keyring, now)
            contact = PUPIL["emergencia"]["contactos"][0] | {"telefono": phone}
            record = PUPIL | {"emergencia": {"contactos": [contact]}}
            found.append((new_sticker(tx, parts, account, record), f"+58{phone}"))
    return found
