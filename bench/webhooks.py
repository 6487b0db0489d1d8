"""The existence check beside a thousand events that wait for a receiver which takes calls and never answers."""

import socket
import statistics
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime

from rich.console import Console
from rich.table import Table
from sqlalchemy import delete, insert, update

from bench.contenders import SERVICE, environment
from bench.databases import open_database
from bench.dataset import Dataset
from bench.entries import ENTRIES
from bench.load import LoadPlan
from bench.processes import running
from bench.progress import show_progress
from bench.rounds import run_load
from ficha.audit.log import Actor
from ficha.parts import Parts
from ficha.webhooks.deliveries import TRIED_FOR, DeliveryState, WebhookDelivery
from ficha.webhooks.webhooks import Webhook, register_webhook

WAITING = 1_000
ROUNDS = 5
SECONDS = 3.0
CONNECTIONS = 16
LEAST = 0.9
ENTRY = ENTRIES["exists_model"]


def measure_webhooks(console: Console, databases: list[str]) -> bool:
    """One server, with the events and without them in turn."""
    table = Table("database", "alone/s", f"beside {WAITING}/s", "share", title="Does a model have data")
    good = True
    with show_progress(len(databases) * ROUNDS) as report:
        for name in databases:
            with open_database(name) as opened, ExitStack() as stack:
                told = environment(opened.folder / "data", opened.url) | {"FICHA_WEBHOOK_PRIVATE": "true"}
                server = stack.enter_context(running(SERVICE.command, told, opened.folder))
                people = Dataset(opened.folder / "data", opened.url)
                stack.callback(people.close)
                hook = _register(people.parts, stack.enter_context(_silent_receiver()))
                speeds: dict[bool, list[float]] = {False: [], True: []}
                for number in range(ROUNDS):
                    report(f"{name}: round {number + 1} of {ROUNDS}")
                    for waits, found in speeds.items():
                        _wait(people.parts, hook, WAITING if waits else 0)
                        load = LoadPlan(ENTRY.name, server.port, SECONDS, ENTRY.seeds(people, CONNECTIONS))
                        result = run_load(load)
                        assert not result.errors, result.errors
                        found.append(result.requests / result.seconds)
            free, full = (statistics.median(found) for found in speeds.values())
            good = good and full / free >= LEAST
            table.add_row(name, f"{free:.0f}", f"{full:.0f}", f"{full / free:.2f}")
    console.print(table)
    return good


@contextmanager
def _silent_receiver() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"


def _register(parts: Parts, url: str) -> int:
    with parts.database.writing() as tx:
        hook, _ = register_webhook(
            tx, parts.secrets, None, url, ["emergency.opened"], Actor("service"), parts.clock.now()
        )
        return hook.id


def _wait(parts: Parts, hook: int, count: int) -> None:
    """So many wait, each of another record, for a receiver that is not left alone yet."""
    now: datetime = parts.clock.now()
    row = {"webhook_id": hook, "kind": "emergency.opened", "at": now, "state": DeliveryState.PENDING, "attempts": 0}
    row |= {"next_at": now, "tried_until": now + TRIED_FOR}
    with parts.database.writing() as tx:
        tx.orm.execute(delete(WebhookDelivery))
        tx.orm.execute(update(Webhook).values(failures=0, rests_until=None))
        if count:
            tx.orm.execute(insert(WebhookDelivery), [row | {"record_id": number} for number in range(1, count + 1)])
