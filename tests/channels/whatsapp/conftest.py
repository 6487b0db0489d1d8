"""A scripted platform and a client of it."""

from collections.abc import Iterator

import pytest

from ficha.channels.whatsapp.client import WhatsApp
from tests.channels.whatsapp.scripted_platform import ScriptedPlatform, client, scripted_platform


@pytest.fixture
def platform() -> Iterator[ScriptedPlatform]:
    with scripted_platform() as server:
        yield server


@pytest.fixture
def whatsapp(platform: ScriptedPlatform) -> Iterator[WhatsApp]:
    with client(platform.url) as each:
        yield each
