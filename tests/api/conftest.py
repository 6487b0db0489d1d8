"""The service with a sandbox of the platform, and a member of staff who sends messages."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from httpx2 import Response
from sqlalchemy import select

from ficha.accounts.accounts import Role
from ficha.messaging.tables import Message
from ficha.sandbox.server import Sandbox
from tests.messaging.webhook_notifications import MARIA, enveloped, message, notify, value
from tests.world import Person, World, build_world, settings_for


@dataclass
class MessagingScenario:
    """The service, the sandbox of the platform, and a member of staff who writes to María."""

    world: World
    sandbox: Sandbox
    staff: Person

    def send(self, kind: str, **body: Any) -> Response:
        return self.staff.post(f"/v2/whatsapp/messages/{kind}", {"to": f"+{MARIA}"} | body)

    def receive(self, text: str = "Hola", **more: Any) -> str:
        """María writes to the platform, and the platform notifies us. Returns the id of her message."""
        wamid = self.sandbox.receive(from_=f"+{MARIA}", text=text, **more)
        raw = self.sandbox.call(lambda platforms: platforms.whatsapp.chats.messages[wamid].raw)
        at = int(self.world.clock.now().timestamp())
        item = message(MARIA, at=at) | {name: raw[name] for name in ("id", "type", raw["type"])}
        assert notify(self.world, enveloped(value([item]))).status_code == 200
        self.world.run_jobs()
        return wamid

    def set_faults(self, *rules: dict[str, Any]) -> None:
        self.sandbox.call(lambda platforms: platforms.whatsapp.faults.set(rules))

    def accepted(self) -> list[dict[str, Any]]:
        """The messages the platform took, as they came, oldest first."""
        return self.sandbox.call(lambda platforms: [each.body for each in platforms.whatsapp.journal.accepted])

    def is_read(self, provider_id: str) -> bool:
        """Whether the person sees it as read."""
        return self.sandbox.call(lambda platforms: platforms.whatsapp.chats.messages[provider_id].is_read_by_business)

    def stored(self, provider_id: str) -> Message:
        with self.world.parts.database.reading() as tx:
            return tx.orm.scalars(select(Message).where(Message.provider_id == provider_id)).one()


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def messaging(database_url: str, tmp_path: Path, sandbox: Sandbox) -> Iterator[MessagingScenario]:
    settings = settings_for(database_url, tmp_path / "data", whatsapp_base_url=sandbox.url, whatsapp_seconds=2)
    world = build_world(settings)
    yield MessagingScenario(world, sandbox, world.somebody_with(Role.STAFF))
    world.close()
