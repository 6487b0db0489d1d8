"""ficha sandbox: the platforms on this machine."""

from typing import Annotated

import typer

from ficha.cli.rich_console import rich_console

Port = Annotated[int | None, typer.Option(help="Port on this machine (FICHA_SANDBOX_PORT).")]
Webhook = Annotated[
    str | None, typer.Option(help="Where notifications go, on this machine; by default, this service's own webhook.")
]


def sandbox(port: Port = None, webhook: Webhook = None) -> None:
    """Start the sandbox of WhatsApp and Chatwoot alone.

    `ficha serve` already brings one in development. Ctrl-C stops it.

    Example: ficha sandbox --port 8001 --webhook http://127.0.0.1:8000/v2/webhook/whatsapp
    """
    import asyncio
    from dataclasses import replace

    from ficha.core.settings import Settings
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
        console.print(f"[red]The sandbox cannot start: {fault}[/red]", highlight=False)
        raise typer.Exit(2) from None
