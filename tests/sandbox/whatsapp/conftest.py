"""A sandbox with a receiver for its notifications, and a client that checks every response against the contract."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from ficha.sandbox.config import SandboxConfig
from ficha.sandbox.server import Sandbox
from ficha.sandbox.whatsapp.behaviour import Behaviour
from ficha.sandbox.whatsapp.config import WhatsAppConfig
from tests import local_http
from tests.clock import MovableClock
from tests.sandbox.whatsapp.contract import Contract, NotInContract
from tests.sandbox.whatsapp.receiver import Receiver, receiver_for_test

ANA = "+584125550101"
ANA_ID = "584125550101"
USERNAME = "US.13491208655302741918"


@dataclass(frozen=True)
class Business:
    """The business: it sends messages through the platform and receives notifications."""

    sandbox: Sandbox
    client: httpx.Client
    control: httpx.Client
    receiver: Receiver
    clock: MovableClock

    @property
    def config(self) -> WhatsAppConfig:
        return self.sandbox.config.whatsapp

    @property
    def number(self) -> str:
        return self.config.phone_number_id

    def post(self, message: dict[str, Any]) -> httpx.Response:
        body = {"messaging_product": "whatsapp", "to": ANA, **message}
        return self.client.post(f"/{self.number}/messages", json={k: v for k, v in body.items() if v is not None})

    def send(self, message: dict[str, Any]) -> str:
        answer = self.post(message)
        assert answer.status_code == 200, answer.text
        wamid: str = answer.json()["messages"][0]["id"]
        return wamid

    def send_text(self, text: str = "Hola", **more: Any) -> str:
        return self.send({"type": "text", "text": {"body": text}, **more})

    def receive(self, **message: Any) -> str:
        """Ana writes, or whoever `from_` names. Returns the message's id."""
        answer = self.control.post("/messages", json={"from": ANA, **{k.rstrip("_"): v for k, v in message.items()}})
        assert answer.status_code == 201, answer.text
        wamid: str = answer.json()["id"]
        return wamid

    def wait_until_idle(self) -> None:
        self.sandbox.wait_until_idle()

    def change_behaviour(self, **values: Any) -> None:
        answer = self.control.put("/behaviour", json=values)
        assert answer.status_code == 200, answer.text

    def set_faults(self, *rules: dict[str, Any], seed: int | None = None) -> None:
        answer = self.control.put("/faults", json={"rules": rules, "seed": seed})
        assert answer.status_code == 200, answer.text

    def accepted(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.control.get("/accepted").json()
        return found

    def statuses_of(self, wamid: str) -> list[str]:
        return [each["status"] for each in self.receiver.statuses if each["id"] == wamid]


@pytest.fixture(scope="session")
def contract() -> Contract | None:
    return Contract.load()


@pytest.fixture
def receiver(contract: Contract | None) -> Iterator[Receiver]:
    yield from receiver_for_test(contract.check_webhook if contract else lambda _: None)


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture
def config(receiver: Receiver, clock: MovableClock) -> SandboxConfig:
    quick = Behaviour(sent_seconds=0.01, delivered_seconds=0.03, read_seconds=0.05, webhook_retries=(0, 0.02, 0.02))
    return SandboxConfig(clock=clock.now, whatsapp=WhatsAppConfig(webhook_url=receiver.url, behaviour=quick))


@pytest.fixture
def sandbox(config: SandboxConfig) -> Iterator[Sandbox]:
    with Sandbox(config) as sandbox:
        yield sandbox


@pytest.fixture
def client(sandbox: Sandbox, contract: Contract | None) -> Iterator[httpx.Client]:
    def check(answer: httpx.Response) -> None:
        answer.read()
        if contract is None or not answer.headers.get("content-type", "").startswith("application/json"):
            return
        request = answer.request
        try:
            contract.check_answer(request.method, request.url.path, answer.status_code, answer.json())
        except NotInContract:
            # What no path of the contract covers is answered as an error of the platform, or not asked here.
            assert answer.status_code >= 400

    headers = {"Authorization": f"Bearer {sandbox.config.whatsapp.token}"}
    hooks = {"response": [check]}
    # Only http:// is called here, and loading certificates takes longer than a test.
    with local_http.client(base_url=f"{sandbox.url}/v23.0", headers=headers, event_hooks=hooks) as client:
        yield client


@pytest.fixture
def business(sandbox: Sandbox, client: httpx.Client, receiver: Receiver, clock: MovableClock) -> Iterator[Business]:
    with local_http.client(base_url=f"{sandbox.url}/_sandbox") as control:
        yield Business(sandbox, client, control, receiver, clock)


def body_text(*values: str) -> dict[str, Any]:
    return {"type": "body", "parameters": [{"type": "text", "text": value} for value in values]}


def template(name: str, *components: dict[str, Any], language: str = "es") -> dict[str, Any]:
    return {
        "type": "template",
        "template": {"name": name, "language": {"code": language}, "components": list(components)},
    }
