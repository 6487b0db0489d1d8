"""ficha messages: what the platform told us and was not understood."""

from typing import Annotated

import typer

from ficha.cli.opened_parts import opened_database
from ficha.cli.rich_console import AsJson, print_rows

app = typer.Typer(help="Messages: what the platform told us.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Messages: what the platform told us."""


@app.command("notifications")
def list_notifications(
    kind: Annotated[str | None, typer.Option(help="Only of this kind.")] = None,
    waiting: Annotated[bool, typer.Option("--waiting", help="Those that have not been processed.")] = False,
    count: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List notifications that were kept and not understood, newest first. What they say stays sealed.

    Example: ficha messages notifications --kind foreign
    """
    from ficha.messaging.notifications import NotificationState, kept_notifications, state_of_notification

    state = NotificationState.WAITING if waiting else None
    with opened_database() as database, database.reading() as tx:
        found = kept_notifications(tx, before=2**62, limit=count, kind=kind, state=state)
    rows = [
        {
            "id": each.id,
            "kind": each.kind,
            "state": str(state_of_notification(each)),
            "received_at": each.received_at.isoformat(timespec="seconds"),
            "unreadable": each.unreadable,
        }
        for each in found
    ]
    print_rows(rows, ("Id", "Kind", "State", "Received", "Unreadable"), as_json=as_json)
