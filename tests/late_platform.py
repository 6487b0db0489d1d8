"""The messaging platform of a world: most tests never need it."""

from functools import cached_property

from ficha.sandbox.config import SandboxConfig
from ficha.sandbox.server import Sandbox
from ficha.sandbox.whatsapp.behaviour import Behaviour
from ficha.sandbox.whatsapp.config import WhatsAppConfig
from tests.clock import MovableClock
from tests.ports import ReservedPort

# Statuses come in the same order as always, and sooner.
QUICK = Behaviour(sent_seconds=0.002, delivered_seconds=0.004, read_seconds=0.006)


class LatePlatform:
    """Its address is known from the beginning, its server starts when it is first needed."""

    def __init__(self, clock: MovableClock) -> None:
        self._clock = clock
        self._reserved = ReservedPort()
        self.port = self._reserved.number

    @cached_property
    def sandbox(self) -> Sandbox:
        whatsapp = WhatsAppConfig(behaviour=QUICK)
        return Sandbox(SandboxConfig(clock=self._clock.now, port=self.port, whatsapp=whatsapp)).start()

    def stop(self) -> None:
        self._reserved.release()
        if "sandbox" in vars(self):
            self.sandbox.stop()
