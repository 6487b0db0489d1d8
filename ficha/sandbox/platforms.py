"""Which platform answers which path."""

from dataclasses import dataclass
from typing import Protocol

from ficha.sandbox.chatwoot.api import APPLICATION, FILES, PUBLIC
from ficha.sandbox.chatwoot.control import PREFIX as CHATWOOT_CONTROL
from ficha.sandbox.chatwoot.platform import ChatwootPlatform
from ficha.sandbox.chatwoot.requests import ChatwootHandler
from ficha.sandbox.config import SandboxConfig
from ficha.sandbox.http_messages import HttpRequest, HttpResponse
from ficha.sandbox.listener import Handler
from ficha.sandbox.whatsapp.platform import WhatsAppPlatform
from ficha.sandbox.whatsapp.requests import RequestHandler


class Platform(Protocol):
    """One outside platform, with all its state in memory. `url` is set once the sandbox listens."""

    url: str

    @property
    def pending(self) -> int:
        """How many things it will still do by itself: statuses to come, notifications not yet accepted."""

    async def stop(self) -> None: ...


@dataclass(frozen=True)
class Mount:
    """A platform, and the paths it answers: those that begin with one of `prefixes`."""

    prefixes: tuple[str, ...]
    platform: Platform
    handler: Handler


class Platforms:
    """Every platform of one sandbox. A request goes to the first one that has a prefix of its path."""

    def __init__(self, config: SandboxConfig) -> None:
        self.url = ""
        self.whatsapp = WhatsAppPlatform(config.whatsapp, config.clock)
        self.chatwoot = ChatwootPlatform(config.chatwoot, config.clock)
        self._mounts = (
            Mount((APPLICATION, PUBLIC, FILES, CHATWOOT_CONTROL), self.chatwoot, ChatwootHandler(self.chatwoot)),
            # Last, as it answers every path that no other platform does.
            Mount(("",), self.whatsapp, RequestHandler(self.whatsapp)),
        )

    async def answer(self, request: HttpRequest) -> HttpResponse:
        mount = next(mount for mount in self._mounts if request.path.startswith(mount.prefixes))
        return await mount.handler(request)

    def listen_at(self, url: str) -> None:
        self.url = url
        for mount in self._mounts:
            mount.platform.url = url

    @property
    def pending(self) -> int:
        return sum(mount.platform.pending for mount in self._mounts)

    async def stop(self) -> None:
        for mount in self._mounts:
            await mount.platform.stop()
