"""Every operation that is served: which area's operations stand under which prefix, and the catalogue made of them."""

from collections.abc import Sequence

from fastapi import FastAPI

from ficha.api import accounts, administration, conversations, emergencies, fmd, messaging, products, utilities
from ficha.api.operations import OperationRow, Operations
from ficha.core.settings import Settings


def served_operations(settings: Settings) -> Sequence[tuple[str, Sequence[Operations]]]:
    """Prefix and operations, in the order in which paths are matched and OpenAPI lists them."""
    v1, v2 = settings.v1, settings.v2
    whatsapp = f"{v2}/{settings.integration}"
    return (
        (v2, accounts.OPERATIONS),
        (v2, fmd.OPERATIONS),
        (v2, products.OPERATIONS),
        (whatsapp, messaging.OPERATIONS),
        (v2, emergencies.OPERATIONS),
        (v1, conversations.OPERATIONS),
        (v2, utilities.OPERATIONS),
        (whatsapp, messaging.INBOX),
        (f"{v2}/webhook/{settings.messaging_channel}", messaging.WEBHOOK),
        (v2, conversations.WEBHOOK),
        ("", messaging.GATEWAY),
        (f"/{settings.csrf_scope}", accounts.CSRF_COOKIE),
        (settings.test, accounts.TEST_REGISTRATION),
        (v1, accounts.LOCAL),
        (v1, utilities.WELCOME),
        (v1, administration.RECORDS),
        (v2, administration.OPERATIONS),
        (v1, utilities.PUSH_TEST),
        ("", utilities.PICTURES),
        ("", utilities.HEALTH),
    )


def join_operations(app: FastAPI, settings: Settings) -> None:
    for prefix, group in served_operations(settings):
        for operations in group:
            operations.join(app, prefix)


def catalogue(settings: Settings) -> list[OperationRow]:
    """Area by area, each in the order of `served_operations`."""
    rows = [row for prefix, group in served_operations(settings) for each in group for row in each.rows(prefix)]
    areas = list(dict.fromkeys(row.area for row in rows))
    return sorted(rows, key=lambda row: areas.index(row.area))
