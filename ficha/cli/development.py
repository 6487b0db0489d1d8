"""ficha demo, ficha sandbox and ficha openapi: to try the service, and to build on it."""

import sys
from contextlib import closing
from typing import Annotated

import typer

from ficha.cli.opened_parts import opened_parts, working_settings
from ficha.cli.rich_console import AsJson, print_json, refuse, rich_console, tell
from ficha.core.settings import Settings

Port = Annotated[int | None, typer.Option(min=0, max=65535, help="Port on this machine (FICHA_SANDBOX_PORT); 0: any.")]
Webhook = Annotated[
    str | None, typer.Option(help="Where notifications go, on this machine; by default, this service's own webhook.")
]


def demo(
    as_json: AsJson = False,
    remove: Annotated[bool, typer.Option("--remove", help="Erase the demo people instead.")] = False,
) -> None:
    """Print the demo people, and make them first.

    How to log in as them, and what their stickers open. Never in production.

    Example: ficha demo --json
    """
    from ficha.demo.people import ensure_demo, erase_demo
    from ficha.migrations import migrate
    from ficha.parts import build_parts

    settings = working_settings()
    if remove:
        with opened_parts() as parts:
            count = erase_demo(parts)
        tell(f"Erased {count} demo people.")
        return
    if settings.in_production:
        refuse("There are no demo people in production.")
    parts = build_parts(settings)
    with closing(parts.database):
        migrate(parts.database)
        people = ensure_demo(parts)
    if as_json:
        print_json([person.as_json() for person in people])
        return
    # Plain lines: a table is wider than a terminal, and what wraps an address also cuts it.
    lines = [f"Everybody's clave is {people[0].clave}\n"]
    widest = max(len(person.correo) for person in people)
    for person in people:
        lines.append(f"{person.nombre:<16} {person.correo:<{widest}} {' '.join(person.roles)}")
    lines.append("\nTheir stickers, as a stranger opens them:\n")
    for person in people:
        lines += [f"{person.nombre} ({', '.join(person.codes)})", f"  {person.responder_url}"]
    sys.stdout.write("\n".join(lines) + "\n")


def sandbox(port: Port = None, webhook: Webhook = None) -> None:
    """Start the sandbox of WhatsApp and Chatwoot alone.

    `ficha serve` already brings one in development. Ctrl-C stops it.

    Example: ficha sandbox --port 8001 --webhook http://127.0.0.1:8000/v2/webhook/whatsapp
    """
    import asyncio
    from dataclasses import replace

    from ficha.sandbox.__main__ import run
    from ficha.sandbox.config import SandboxConfig
    from ficha.sandbox.loopback import NotLoopback
    from ficha.sandbox.platforms import Platforms

    console = rich_console(stderr=True)

    def print_address(platforms: Platforms) -> None:
        url, config = platforms.whatsapp.url, platforms.whatsapp.config
        console.print(f"\n[bold]WhatsApp sandbox[/bold] at {url} (Ctrl-C stops it)")
        console.print(f"  {url}/v23.0/{config.phone_number_id}/messages   what the service calls")
        console.print(f"  {url}/_sandbox/state   the chats as people see them")
        console.print(f"  notifications go to {config.webhook_url}")
        account = platforms.chatwoot.config.account_id
        console.print(f"  {url}/api/v1/accounts/{account}/conversations   Chatwoot, the conversation platform")
        console.print("Write to the service as a person would:", highlight=False)
        body = '{"from": "+584125550101", "type": "text", "text": "Hola"}'
        console.print(f"  curl {url}/_sandbox/messages -d '{body}'\n", highlight=False)

    try:
        config = SandboxConfig.of(Settings())
        if port is not None:
            config = replace(config, port=port)
        if webhook is not None:
            config = replace(config, whatsapp=replace(config.whatsapp, webhook_url=webhook))
        asyncio.run(run(config, print_address))
    except (NotLoopback, OSError) as fault:
        refuse(f"The sandbox cannot start: {fault}", 2)


def openapi() -> None:
    """Print the OpenAPI document.

    Example: ficha openapi > openapi.json
    """
    from ficha.describe import openapi_json

    sys.stdout.write(openapi_json())
