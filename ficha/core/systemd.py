"""What we tell systemd where it started us: that we are ready, alive, or stopping (sd_notify(3))."""

import asyncio
import os
import signal
import socket
from contextlib import suppress

READY, ALIVE, STOPPING = b"READY=1", b"WATCHDOG=1", b"STOPPING=1"


def tell_systemd(state: bytes) -> None:
    """Nothing happens where systemd does not listen, and nobody waits for it."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    if address.startswith("@"):  # A name that is in no folder.
        address = "\0" + address[1:]
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.setblocking(False)
        sender.sendto(state, address)


def seconds_between_signs_of_life() -> float | None:
    """A third of what systemd waits before it takes us for dead (`WatchdogSec=`); None if it waits for no sign."""
    microseconds = os.environ.get("WATCHDOG_USEC", "")
    return int(microseconds) / 3_000_000 if microseconds.isdigit() else None


async def tell_systemd_of_this_loop() -> None:
    """Ready now, and alive as long as this event loop turns."""
    tell_systemd(READY)
    seconds = seconds_between_signs_of_life()
    while seconds is not None:
        tell_systemd(ALIVE)
        await asyncio.sleep(seconds)


def tell_systemd_of_stop_signals() -> None:
    """From now on, before the handlers that are there do their work."""
    for number in (signal.SIGTERM, signal.SIGINT):
        _tell_before(number)


def _tell_before(number: signal.Signals) -> None:
    handler = signal.getsignal(number)
    if not callable(handler):
        return
    stop = handler

    def tell_and_stop(*given: object) -> None:
        tell_systemd(STOPPING)
        stop(*given)  # type: ignore[arg-type]

    signal.signal(number, tell_and_stop)
