"""The ledger against the database and the sandbox's log: what was acknowledged is there, and once."""

import time
from collections import Counter
from contextlib import suppress
from typing import Any

import httpx
from sqlalchemy import select

from ficha.accounts.accounts import Account
from ficha.emergencies.emergency import Emergency
from ficha.fmd.records import Record
from ficha.jobs.queue import dead_jobs
from ficha.messaging.tables import Message
from ficha.parts import Parts
from proof.cluster import wait_until
from proof.load import Ledger
from proof.people import Owner

DRAIN_SECONDS = 180.0
CLEAN = frozenset({"ok", "unavailable", "refused"})


def compare(ledger: Ledger, writers: list[Owner], parts: Parts, sandbox_url: str, server_url: str) -> dict[str, int]:
    """How many of each that must not be. What jobs have still to do is waited for first."""
    with suppress(TimeoutError):
        wait_until(lambda: _is_drained(ledger, parts, sandbox_url), DRAIN_SECONDS, "jobs did not end")
    time.sleep(5)  # Whoever would send twice does it now.
    told = _told(sandbox_url)
    alerts = Counter(each["wa_id"] for each in told)
    keys = Counter(each["key"] for each in told if each["key"])
    notified = _incoming(parts)
    with parts.database.reading() as tx:
        records = Counter(
            correo for (correo,) in tx.orm.execute(select(Account.correo).join(Record, Record.account_id == Account.id))
        )
        emergencies = Counter(tx.orm.scalars(select(Emergency.id)))
        per_code = Counter(tx.orm.scalars(select(Emergency.code)))
        dead = len(dead_jobs(tx))
    unclean = Counter(attempt.outcome for attempt in ledger.attempts if attempt.outcome not in CLEAN)
    return {
        "registrations lost": sum(not records[correo] for correo in ledger.registered),
        "registrations doubled": sum(records[correo] > 1 for correo in ledger.registered),
        "changes lost": _changes_lost(writers, server_url),
        "alerts lost": sum(emergency not in emergencies for emergency in ledger.alerted.values()),
        "alerts doubled": sum(count > 1 for count in per_code.values()),
        "alerts that reached nobody": sum(not alerts[phone] for phone in ledger.alerted),
        "messages doubled": sum(count > 1 for count in keys.values())
        + sum(alerts[phone] > 1 for phone in ledger.alerted),
        "notifications lost": sum(not notified[one] for one in ledger.notified),
        "notifications doubled": sum(notified[one] > 1 for one in ledger.notified),
        "dead jobs": dead,
        "wrong answers": sum(ledger.wrong.values()),
        "never answered": sum(ledger.never.values()),
        "errors that are not clean": sum(unclean.values()),
    }


def _changes_lost(writers: list[Owner], url: str) -> int:
    """What the record says in the end is at least what was acknowledged last."""
    lost = 0
    with httpx.Client(base_url=url, timeout=30) as client:
        for owner in writers:
            answer = client.get(owner.record_path, headers=owner.headers)
            lost += not any(
                f"Serie {number:06d}" in answer.text for number in range(owner.acknowledged, owner.tried + 1)
            )
    return lost


def _is_drained(ledger: Ledger, parts: Parts, sandbox_url: str) -> bool:
    reached = {each["wa_id"] for each in _told(sandbox_url)}
    return ledger.alerted.keys() <= reached and ledger.notified <= _incoming(parts).keys()


def _told(sandbox_url: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = httpx.get(f"{sandbox_url}/_sandbox/accepted", timeout=30).json()
    return found


def _incoming(parts: Parts) -> "Counter[str]":
    with parts.database.reading() as tx:
        return Counter(one for one in tx.orm.scalars(select(Message.provider_id).where(~Message.is_ours)) if one)
