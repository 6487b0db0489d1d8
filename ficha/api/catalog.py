"""Every operation that is served: which area's operations stand under which prefix, and the catalogue made of them."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import NamedTuple

from ficha.api import emergencies, utilities
from ficha.api.operations import OperationRow, Operations
from ficha.asgi.routes import RouteGroup, ServedRoute
from ficha.core.settings import Settings


class Group(NamedTuple):
    """Operations under one prefix. With `starts`, what their paths begin with below it, they are loaded when one of
    them is first asked for: a tenth of a start, and of an idle server's memory."""

    prefix: str
    operations: Callable[[], Sequence[Operations]]
    starts: Sequence[str] = ()


def groups_of(settings: Settings) -> Iterator[Group]:
    """In the order in which paths are matched and OpenAPI lists them. Where a path begins with a variable, its group
    is loaded for whatever comes so far: the gateway is the last."""
    v1, v2 = settings.v1, settings.v2
    whatsapp = f"{v2}/{settings.integration}"
    yield Group(v2, partial(_later, "accounts"), ["/auth", "/email", "/user_pic"])
    yield Group(v2, partial(_later, "fmd.all_operations"), ["/fmd"])
    products = ("/products", "/generators", "/codes", "/batches", "/dev", "/carnet")
    yield Group(v2, partial(_later, "products"), products)
    yield Group(whatsapp, partial(_later, "messaging.all_operations"), [""])
    yield Group(v2, lambda: emergencies.OPERATIONS)
    yield Group(v1, partial(_later, "conversations"), ["/inboxes", "/accounts"])
    yield Group(v2, lambda: utilities.OPERATIONS)
    yield Group(whatsapp, partial(_later, "messaging.all_operations", "INBOX"), [""])
    webhook = f"{v2}/webhook/{settings.messaging_channel}"
    yield Group(webhook, partial(_later, "messaging.all_operations", "WEBHOOK"), [""])
    yield Group(v2, partial(_later, "conversations", "WEBHOOK"), ["/webhook"])
    yield Group(f"/{settings.csrf_scope}", partial(_later, "accounts", "CSRF_COOKIE"), [""])
    yield Group(settings.test, partial(_later, "accounts", "TEST_REGISTRATION"), [""])
    yield Group(v1, partial(_later, "accounts", "LOCAL"), ["/local"])
    yield Group(v1, lambda: utilities.WELCOME)
    yield Group(v1, partial(_later, "administration", "RECORDS"), ["/"])
    yield Group(v2, partial(_later, "administration"), ["/institutions", "/projects", "/subscription"])
    yield Group(v1, lambda: utilities.PUSH_TEST)
    yield Group("", lambda: utilities.PICTURES)
    yield Group("", lambda: utilities.HEALTH)
    yield Group("", partial(_later, "messaging.all_operations", "GATEWAY"), ["/v"])


def _later(area: str, name: str = "OPERATIONS") -> Sequence[Operations]:
    operations: Sequence[Operations] = getattr(import_module(f"ficha.api.{area}"), name)
    return operations


def served_operations(settings: Settings) -> Sequence[tuple[str, Sequence[Operations]]]:
    """Prefix and operations, all of them loaded."""
    return [(group.prefix, group.operations()) for group in groups_of(settings)]


def operation_routes(settings: Settings) -> Iterator[RouteGroup]:
    for group in groups_of(settings):
        yield RouteGroup(partial(_routes_of, group), [group.prefix + start for start in group.starts])


def _routes_of(group: Group) -> Iterator[ServedRoute]:
    for operations in group.operations():
        yield from operations.under(group.prefix)


def catalogue(settings: Settings) -> list[OperationRow]:
    """Area by area, each in the order of `served_operations`."""
    rows = [row for prefix, group in served_operations(settings) for each in group for row in each.rows(prefix)]
    areas = list(dict.fromkeys(row.area for row in rows))
    return sorted(rows, key=lambda row: areas.index(row.area))
