"""Chatwoot's sandbox, and clients of both its APIs that check every answer against the contract."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from ficha.sandbox.chatwoot.config import ChatwootConfig
from ficha.sandbox.config import SandboxConfig
from ficha.sandbox.server import Sandbox
from tests import local_http
from tests.clock import MovableClock
from tests.sandbox.chatwoot.contract import Contract
from tests.sandbox.whatsapp.receiver import Receiver, receiver_for_test

CONTRACT = Contract.load()
PHONE = "+584125550101"


@dataclass(frozen=True)
class DeskCallers:
    """The account as its administrator calls it, and the inbox as a contact does."""

    sandbox: Sandbox
    client: httpx.Client
    receiver: Receiver
    clock: MovableClock
    called: set[tuple[str, str]] = field(default_factory=set)

    def agent(
        self, method: str, path: str, *, token: str | None = None, account: int = 1, **more: Any
    ) -> httpx.Response:
        headers = {"api_access_token": self.sandbox.config.chatwoot.token if token is None else token}
        path = f"/api/v1/accounts/{account}{path}"
        return self.client.request(method, path, headers=headers if token != "" else {}, **more)

    def public(self, method: str, path: str, inbox: str = "sandbox-inbox", **more: Any) -> httpx.Response:
        return self.client.request(method, f"/public/api/v1/inboxes/{inbox}{path}", **more)

    def control(self, method: str, path: str, json: Any = None) -> Any:
        answer = self.client.request(method, f"/_sandbox/chatwoot{path}", json=json)
        assert answer.is_success, answer.text
        return answer.json()

    def contact(self, source_id: str = "ana", **values: Any) -> dict[str, Any]:
        """A contact that the public API made."""
        answer = self.public("POST", "/contacts", json={"source_id": source_id, "name": "Ana", **values})
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def conversation(self, source_id: str = "ana", text: str | None = "Hola") -> int:
        """The display id of a new conversation of this contact."""
        path = f"/contacts/{source_id}/conversations"
        number = int(self.public("POST", path, json={}).json()["id"])
        if text is not None:
            self.public("POST", f"{path}/{number}/messages", json={"content": text})
        return number


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    yield from receiver_for_test(lambda _: None)


@pytest.fixture
def desk(receiver: Receiver) -> Iterator[DeskCallers]:
    clock = MovableClock()
    called: set[tuple[str, str]] = set()

    def check(answer: httpx.Response) -> None:
        answer.read()
        request = answer.request
        if CONTRACT is None or request.url.path.startswith("/_sandbox/") or answer.is_redirect:
            return
        known = CONTRACT.path_of(request.method, request.url.path)
        if known is not None:
            called.add((request.method, known))
            if answer.status_code != 405:
                CONTRACT.check_answer(request.method, request.url.path, answer.status_code, answer.content)

    chatwoot = ChatwootConfig(webhook_url=receiver.url)
    with (
        Sandbox(SandboxConfig(clock=clock.now, chatwoot=chatwoot)) as sandbox,
        # Only http:// is called here, and loading certificates takes longer than a test.
        local_http.client(base_url=sandbox.url, event_hooks={"response": [check]}) as client,
    ):
        yield DeskCallers(sandbox, client, receiver, clock, called)
