"""The service with Chatwoot's sandbox behind it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from httpx2 import Response

from ficha.accounts.accounts import Role
from ficha.sandbox.chatwoot.journal import ChatwootRequest
from ficha.sandbox.server import Sandbox
from tests.world import Person, World, build_world, settings_for

TOKEN = "sandbox-chatwoot-token"


@dataclass
class ConversationScenario:
    """The service, the platform, and a member of staff."""

    world: World
    sandbox: Sandbox
    staff: Person

    def call(self, method: str, path: str, *, token: str | None = TOKEN, **more: Any) -> Response:
        """With a token of the platform, unless it is None."""
        headers = ({"api_access_token": token} if token is not None else {}) | more.pop("headers", {})
        return self.world.client.request(method, f"/v1{path}", headers=headers, **more)

    def set_faults(self, *rules: dict[str, Any]) -> None:
        self.sandbox.call(lambda platforms: platforms.chatwoot.faults.set(rules))

    def requests(self) -> list[ChatwootRequest]:
        """What reached the platform."""
        entries = self.sandbox.call(lambda platforms: list(platforms.chatwoot.journal.entries))
        return [each for each in entries if isinstance(each, ChatwootRequest)]


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as sandbox:
        yield sandbox


@pytest.fixture
def conversations(database_url: str, tmp_path: Path, sandbox: Sandbox) -> Iterator[ConversationScenario]:
    settings = settings_for(database_url, tmp_path / "data", chatwoot_base_url=sandbox.url, chatwoot_seconds=2)
    world = build_world(settings)
    yield ConversationScenario(world, sandbox, world.somebody_with(Role.STAFF))
    world.close()
