"""Messages end to end, against the sandbox: how many leave in a second, and how soon an alert is accepted."""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

import httpx
from pydantic import SecretStr
from rich.console import Console
from rich.table import Table
from sqlalchemy import func, select

from bench.contenders import SERVICE, environment
from bench.places import Place, place
from bench.processes import running
from bench.world import sticker
from ficha.channels.messages import Template
from ficha.core.settings import Settings
from ficha.demo.records import PUPIL
from ficha.enrolment.registration import NewPerson, register
from ficha.messaging.message_states import MessageState
from ficha.messaging.messages import Message, queue_message
from ficha.parts import Parts, build_parts
from ficha.sandbox.config import SandboxConfig
from ficha.sandbox.server import Sandbox
from ficha.sandbox.whatsapp.behaviour import Behaviour
from ficha.sandbox.whatsapp.config import WhatsAppConfig

SENDS = 1_000
RATES = (1, 10, 50)
SECONDS = 6.0
PATIENCE_SECONDS = 120.0


@dataclass(frozen=True)
class House:
    parts: Parts
    platform: Sandbox
    port: int


def measure_messages(console: Console, databases: list[str]) -> bool:
    sends = Table("database", "messages", "seconds", "per second", title="Sending, end to end", title_justify="left")
    alerts = Table(
        "database", "alerts/s", "alerts", "p50 ms", "p95 ms", "most ms", title="From the button to the platform"
    )
    good = True
    for name in databases:
        with place(name) as here, _house(here) as house:
            with console.status(f"{name}: {SENDS} messages"):
                seconds = _send(house)
            sends.add_row(name, str(SENDS), f"{seconds:.1f}", f"{SENDS / seconds:.0f}")
            for rate in RATES:
                with console.status(f"{name}: {rate} alerts a second"):
                    waits = sorted(_alert(house, rate))
                p95 = waits[int(len(waits) * 0.95)] * 1000
                good = good and (rate != 10 or p95 < 1000)
                alerts.add_row(
                    name,
                    str(rate),
                    str(len(waits)),
                    f"{waits[len(waits) // 2] * 1000:.0f}",
                    f"{p95:.0f}",
                    f"{waits[-1] * 1000:.0f}",
                )
    console.print(sends)
    console.print(alerts)
    return good


@contextmanager
def _house(here: Place) -> Iterator[House]:
    """The service as an operator runs it: on PostgreSQL with a worker beside the server."""
    with ExitStack() as stack:
        behaviour = Behaviour(per_second=None, pair_burst=None)
        platform = stack.enter_context(Sandbox(SandboxConfig(whatsapp=WhatsAppConfig(behaviour=behaviour))))
        known = environment(here.folder / "data", here.url) | {
            "FICHA_WHATSAPP_BASE_URL": platform.url,
            "FICHA_WHATSAPP_PER_SECOND": "1000",
        }
        server = stack.enter_context(running(SERVICE.command, known, here.folder))
        if here.name != "sqlite":
            stack.enter_context(_worker(known))
        webhook = f"http://127.0.0.1:{server.port}/v2/webhook/whatsapp"
        platform.call(lambda platforms: setattr(platforms.whatsapp.subscription, "override", webhook))
        parts = build_parts(Settings(data_dir=here.folder / "data", database_url=SecretStr(here.url)))
        stack.callback(parts.database.close)
        yield House(parts, platform, server.port)


@contextmanager
def _worker(known: dict[str, str]) -> Iterator[None]:
    with subprocess.Popen([sys.executable, "-m", "ficha", "worker"], env=known, stderr=subprocess.DEVNULL) as worker:
        try:
            yield
        finally:
            worker.terminate()


def _send(house: House) -> float:
    parts = house.parts
    with parts.database.writing() as session:
        for number in range(SENDS):
            template = Template("mensaje_pendiente", "es", body=[f"Mensaje {number}"])
            number_id = parts.settings.whatsapp_phone_number_id
            queue_message(session, parts.keyring, number_id, f"+58412{number:07d}", template, parts.clock.now())
    started = time.perf_counter()
    while time.perf_counter() - started < PATIENCE_SECONDS:
        with parts.database.reading() as session:
            waiting = session.scalar(select(func.count()).where(Message.state == MessageState.QUEUED))
        if not waiting:
            break
        time.sleep(0.05)
    seconds = time.perf_counter() - started
    house.platform.wait_until_idle(60)
    return seconds


def _alert(house: House, rate: int) -> list[float]:
    """Alerts leave on time, whether or not the ones before were answered. Each of another person's record."""
    stickers = _stickers(house.parts, int(rate * SECONDS))
    before = len(house.platform.whatsapp.journal.accepted)
    pressed: dict[str, float] = {}
    threads = []
    started = time.perf_counter()
    with httpx.Client(base_url=f"http://127.0.0.1:{house.port}", timeout=30) as client:
        for number, (path, phone) in enumerate(stickers):
            time.sleep(max(0.0, started + number / rate - time.perf_counter()))
            thread = threading.Thread(target=_press, args=(client, path, phone, pressed))
            thread.start()
            threads.append(thread)
        for thread in threads:
            thread.join()
    deadline = time.perf_counter() + PATIENCE_SECONDS
    while time.perf_counter() < deadline:
        accepted = house.platform.whatsapp.journal.accepted[before:]
        if {one.to for one in accepted} >= pressed.keys():
            break
        time.sleep(0.05)
    first = {one.to: datetime.fromisoformat(one.at).timestamp() for one in reversed(accepted)}
    return [first[phone] - at for phone, at in pressed.items() if phone in first]


def _press(client: httpx.Client, path: str, phone: str, pressed: dict[str, float]) -> None:
    pressed[phone] = datetime.now(UTC).timestamp()
    client.post(f"{path}/avisar", data={"lat": "10.65", "lon": "-71.63", "precision": "9"})


def _stickers(parts: Parts, count: int) -> list[tuple[str, str]]:
    now, found = parts.clock.now(), []
    with parts.database.writing() as session:
        for number in range(count):
            phone = f"414{time.time_ns() % 10_000_000:07d}"
            name = f"{time.time_ns()}{number}"
            person = NewPerson(
                correo=f"p{name}@bench.example", clave_hash="-", nombre="Ana", cod_telefono="+58", telefono=phone
            )
            account = register(session, person, parts.keyring, now)
            contact = PUPIL["emergencia"]["contactos"][0] | {"telefono": phone}
            record = PUPIL | {"emergencia": {"contactos": [contact]}}
            found.append((sticker(session, parts, account, record), f"+58{phone}"))
    return found
