"""The load: a mixed profile at a steady rate, and a ledger of all that was asked and answered.

Whoever is told to come again does, with the same Idempotency-Key, until there is an answer: as a careful client would.
"""

import asyncio
import json
import random
import re
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import httpx

from ficha.channels.whatsapp.webhook import sign
from proof.people import CLAVE, Owner

# Of a hundred requests; alerts and registrations are writes too.
PROFILE = {"read": 80, "scan": 10, "change": 2, "register": 2, "alert": 1, "webhook": 5}
SECRET, NUMBER, ACCOUNT = "sandbox-app-secret", "106540352242922", "102290129340398"
ANSWER_SECONDS = 40.0
GIVE_UP_SECONDS = 120.0
PAUSE_SECONDS = 0.5
# How long a server that refused a connection is left alone, as a proxy in front would.
REST_SECONDS = 1.0
SERIES = re.compile(r"Serie (\d{6})")


@dataclass(frozen=True)
class Attempt:
    """One request. `outcome`: ok, unavailable (503 with Retry-After), refused (no connection, or a broken one), or
    anything else, which is a fault of ours."""

    at: float
    kind: str
    outcome: str
    ms: float


@dataclass
class Ledger:
    attempts: list[Attempt] = field(default_factory=list)
    # What was acknowledged: correos, phones that must be alerted with their emergency, ids of notifications.
    registered: set[str] = field(default_factory=set)
    alerted: dict[str, int] = field(default_factory=dict)
    notified: set[str] = field(default_factory=set)
    wrong: Counter[str] = field(default_factory=Counter)
    never: Counter[str] = field(default_factory=Counter)


class Load:
    """`writers`: whose records are read and changed. `strangers`: each of their stickers is alerted once."""

    def __init__(self, urls: list[str], writers: list[Owner], strangers: list[Owner]) -> None:
        self.ledger = Ledger()
        self._writers, self._strangers = writers, strangers
        self._rest_until = dict.fromkeys(urls, 0.0)
        limits = httpx.Limits(max_connections=400, max_keepalive_connections=100)
        self._clients = {url: httpx.AsyncClient(base_url=url, timeout=ANSWER_SECONDS, limits=limits) for url in urls}
        self._kinds: dict[str, Callable[[], Awaitable[None]]] = {
            "read": self._read,
            "scan": self._scan,
            "change": self._change,
            "register": self._register,
            "alert": self._alert,
            "webhook": self._webhook,
        }

    async def run(self, rate: float, seconds: float) -> None:
        """Asks at this rate whatever the answers are, and waits for those under way."""
        kinds, weights = list(PROFILE), list(PROFILE.values())
        begun, under_way = time.monotonic(), set[asyncio.Task[None]]()
        for number in range(int(rate * seconds)):
            await asyncio.sleep(max(0.0, begun + number / rate - time.monotonic()))
            [kind] = random.choices(kinds, weights)
            task = asyncio.ensure_future(self._kinds[kind]())
            under_way.add(task)
            task.add_done_callback(under_way.discard)
        await asyncio.gather(*under_way)
        for client in self._clients.values():
            await client.aclose()

    # What is asked

    async def _read(self) -> None:
        owner = random.choice(self._writers)
        await self._look(owner, "read", owner.record_path, owner.headers)

    async def _scan(self) -> None:
        owner = random.choice(self._writers)
        await self._look(owner, "scan", owner.page, {"Accept": "text/html"})

    async def _look(self, owner: Owner, kind: str, path: str, headers: dict[str, str]) -> None:
        """Never older than what was acknowledged before it was asked, never newer than what was begun."""
        known = owner.acknowledged
        answer = await self._until_answered(kind, "GET", path, headers=headers)
        if answer is not None:
            found = SERIES.search(answer.text)
            if found is None or not known <= int(found[1]) <= owner.tried:
                self.ledger.wrong[f"{kind}: not what was written"] += 1

    async def _change(self) -> None:
        owner = random.choice(self._writers)
        async with owner.turn:
            owner.tried += 1
            body = owner.document(owner.tried)
            if await self._until_answered("change", "PUT", owner.record_path, json=body, headers=owner.headers):
                owner.acknowledged = owner.tried

    async def _register(self) -> None:
        correo = f"{secrets.token_hex(8)}@proof.example"
        body = {"correo": correo, "clave": CLAVE, "cod_telefono": "+58", "telefono": "4125551111"}
        body |= {"relacion": "madre", "nombre": "María Rojas"}
        if await self._until_answered("register", "POST", "/v2/auth/register", json=body, headers=_key()):
            self.ledger.registered.add(correo)

    async def _alert(self) -> None:
        if not self._strangers:
            return
        owner = self._strangers.pop()
        body = {"code": owner.code, "tag": owner.tag, "position": None}
        answer = await self._until_answered("alert", "POST", "/v2/emergencies", json=body, headers=_key())
        if answer is not None:
            self.ledger.alerted[owner.phone] = int(answer.json()["data"]["id"])

    async def _webhook(self) -> None:
        notification = f"wamid.{secrets.token_hex(12)}"
        body = _notification(notification, f"58414{random.randrange(10**7):07d}")
        headers = {"X-Hub-Signature-256": sign(SECRET, body), "Content-Type": "application/json"}
        if await self._until_answered("webhook", "POST", "/v2/webhook/whatsapp", content=body, headers=headers):
            self.ledger.notified.add(notification)

    # How it is asked

    async def _until_answered(self, kind: str, method: str, path: str, **more: Any) -> httpx.Response | None:
        deadline = time.monotonic() + GIVE_UP_SECONDS
        while time.monotonic() < deadline:
            answer = await self._ask(kind, method, path, **more)
            if answer is not None:
                return answer
            await asyncio.sleep(PAUSE_SECONDS)
        self.ledger.never[kind] += 1
        return None

    async def _ask(self, kind: str, method: str, path: str, **more: Any) -> httpx.Response | None:
        """The answer if it is a good one."""
        url, begun = self._server(), time.monotonic()
        answer: httpx.Response | None = None
        try:
            answer = await self._clients[url].request(method, path, **more)
            outcome = _outcome(answer)
        except httpx.TimeoutException:
            outcome = "no answer"
        except httpx.TransportError:
            outcome = "refused"
            self._rest_until[url] = begun + REST_SECONDS
        ended = time.monotonic()
        self.ledger.attempts.append(Attempt(begun, kind, outcome, 1000 * (ended - begun)))
        return answer if outcome == "ok" else None

    def _server(self) -> str:
        now = time.monotonic()
        awake = [url for url, until in self._rest_until.items() if until <= now]
        return random.choice(awake or list(self._rest_until))


def _outcome(answer: httpx.Response) -> str:
    if answer.is_success:
        return "ok"
    if answer.status_code == 503 and "retry-after" in answer.headers:
        return "unavailable"
    # The first request with this key is still under way; it asks to come again, too.
    if answer.status_code == 409 and "retry-after" in answer.headers:
        return "under way"
    return f"status {answer.status_code}"


def _key() -> dict[str, str]:
    return {"Idempotency-Key": secrets.token_hex(16)}


def _notification(identifier: str, sender: str) -> bytes:
    message = {"id": identifier, "from": sender, "timestamp": str(int(time.time())), "type": "text"}
    value = {
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": "15550783881", "phone_number_id": NUMBER},
        "contacts": [{"profile": {"name": "María"}, "wa_id": sender}],
        "messages": [message | {"text": {"body": "Hola"}}],
    }
    change = {"field": "messages", "value": value}
    return json.dumps({"object": "whatsapp_business_account", "entry": [{"id": ACCOUNT, "changes": [change]}]}).encode()
