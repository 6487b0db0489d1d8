"""`python -m ficha.sandbox`: the sandbox as a process of its own."""

import argparse
import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace

from ficha.core.process import end_with_parent
from ficha.sandbox.chatwoot.api import APPLICATION
from ficha.sandbox.config import SandboxConfig
from ficha.sandbox.loopback import NotLoopback
from ficha.sandbox.platforms import Platforms
from ficha.sandbox.server import serve


def main() -> int:
    options = _options()
    try:
        config = _read_config(from_stdin=options.stdin)
        if options.port is not None:
            config = replace(config, port=options.port)
        if options.webhook is not None:
            config = replace(config, whatsapp=replace(config.whatsapp, webhook_url=options.webhook))
        if options.with_parent is not None:
            end_with_parent(options.with_parent)
        asyncio.run(run(config, _print_address))
    except (NotLoopback, OSError) as fault:
        sys.stderr.write(f"The sandbox cannot start: {fault}\n")
        return 2
    return 0


async def run(config: SandboxConfig, ready: Callable[[Platforms], None]) -> None:
    """Serves until SIGINT or SIGTERM."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    await serve(config, stop, ready)


def _read_config(*, from_stdin: bool) -> SandboxConfig:
    if from_stdin:
        return SandboxConfig.from_json(json.loads(sys.stdin.readline()))
    from ficha.core.settings import Settings  # noqa: PLC0415  Costs more than everything else here.

    return SandboxConfig.of(Settings())


def _print_address(platforms: Platforms) -> None:
    whatsapp = platforms.whatsapp
    sys.stderr.write(f"WhatsApp sandbox at {whatsapp.url}, notifying {whatsapp.config.webhook_url}\n")
    sys.stderr.write(f"Chatwoot sandbox at {platforms.chatwoot.url}{APPLICATION}\n")
    sys.stderr.flush()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m ficha.sandbox", description=__doc__)
    parser.add_argument("--port", type=int, help="Port on this machine (FICHA_SANDBOX_PORT).")
    parser.add_argument("--webhook", help="Where notifications go; an address of this machine.")
    parser.add_argument(
        "--with-parent",
        type=int,
        nargs="?",
        const=os.getppid(),
        metavar="PID",
        help="Stop when the process that started it ends, even if that was before it could look.",
    )
    parser.add_argument("--stdin", action="store_true", help="Read the configuration as a line of JSON, not settings.")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
