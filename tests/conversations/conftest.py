"""The desk and María, for the tests of what goes between them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from httpx2 import Response

from ficha.sandbox.chatwoot.records import EVENTS, OUTGOING, Conversation, Message, Sender, Webhook
from tests.world import World, build_world, settings_for

MARIA = "+584125551111"
LUIS = "+584145552222"
SECRET = "sandbox-webhook-secret"


@dataclass
class DeskScenario:
    """María with her phone, an agent at the desk, and the service between them."""

    world: World

    def write(self, text: str, *, sender: str = MARIA) -> None:
        self.world.platform.receive(from_=sender, text=text)
        self.settle()

    def answer(self, text: str, *, private: bool = False, number: int = 1) -> None:
        """The agent writes."""

        def write(platforms: Any) -> None:
            chatwoot = platforms.chatwoot
            message = Message(next(chatwoot.ids["message"]), text, OUTGOING, chatwoot.now(), Sender("user", 2))
            message.private = private
            chatwoot.add_message(chatwoot.conversations[number], message)

        self.world.platform.call(write)
        self.settle()

    def settle(self) -> None:
        """Until nothing is on its way between the three."""
        for _ in range(3):
            self.world.platform.wait_until_idle()
            self.world.run_jobs()
        self.world.platform.wait_until_idle()

    def conversation(self, number: int = 1) -> Conversation:
        return self.world.platform.chatwoot.conversations[number]

    def at_the_desk(self, number: int = 1) -> list[tuple[int, str | None]]:
        """Kind and text of every message of one conversation there."""
        return [(each.type, each.content) for each in self.conversation(number).messages]

    def on_the_phone(self) -> list[str]:
        """What María was sent."""
        return [each.text for each in self.world.platform.whatsapp.journal.accepted]

    def tell(self, event: dict[str, Any], **headers: str) -> Response:
        body = json.dumps(event).encode()
        return self.world.client.post(
            "/v2/webhook/chatwoot", content=body, headers={"Content-Type": "application/json"} | headers
        )


@pytest.fixture
def desk(database_url: str, tmp_path: Path) -> Iterator[DeskScenario]:
    world = build_world(settings_for(database_url, tmp_path / "data", chatwoot_bridge=True, chatwoot_seconds=1))
    world.listen()
    listen_to_desk(world)
    yield DeskScenario(world)
    world.close()


def listen_to_desk(world: World) -> None:
    assert world.bridge is not None
    webhook = Webhook(1, f"{world.bridge.url}/v2/webhook/chatwoot", list(EVENTS), SECRET)
    world.platform.call(lambda platforms: platforms.chatwoot.webhooks.update({1: webhook}))
