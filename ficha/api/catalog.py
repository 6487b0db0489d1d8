"""Every operation that is served: which area's operations stand under which prefix, and the catalogue made of them."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import NamedTuple

from fastapi import FastAPI

from ficha.api import emergencies, utilities
from ficha.api.operations import OperationRow, Operations
from ficha.core.settings import Settings
from ficha.http.routes import table_of


class Group(NamedTuple):
    """Operations under one prefix. With `starts`, what their paths begin with below it, they are loaded when one of
    them is first asked for: a tenth of a start, and of an idle server's memory."""

    prefix: str
    operations: Callable[[], Sequence[Operations]]
    starts: Sequence[str] = ()


def groups_of(settings: Settings) -> Iterator[Group]:
    """In the order in which paths are matched and OpenAPI lists them."""
    v1, v2 = settings.v1, settings.v2
    whatsapp = f"{v2}/{settings.integration}"
    yield Group(v2, partial(_later, "accounts"), ["/auth", "/email", "/user_pic"])
    yield Group(v2, partial(_later, "fmd"), ["/fmd"])
    products = ("/products", "/generators", "/codes", "/batches", "/dev", "/carnet")
    yield Group(v2, partial(_later, "products"), products)
    yield Group(whatsapp, partial(_later, "messaging"), [""])
    yield Group(v2, lambda: emergencies.OPERATIONS)
    yield Group(v1, partial(_later, "conversations"), ["/inboxes", "/accounts"])
    yield Group(v2, lambda: utilities.OPERATIONS)
    yield Group(whatsapp, partial(_later, "messaging", "INBOX"), [""])
    yield Group(f"{v2}/webhook/{settings.messaging_channel}", partial(_later, "messaging", "WEBHOOK"), [""])
    yield Group(v2, partial(_later, "conversations", "WEBHOOK"), ["/webhook"])
    yield Group("", partial(_later, "messaging", "GATEWAY"), ["/{version}"])
    yield Group(f"/{settings.csrf_scope}", partial(_later, "accounts", "CSRF_COOKIE"), [""])
    yield Group(settings.test, partial(_later, "accounts", "TEST_REGISTRATION"), [""])
    yield Group(v1, partial(_later, "accounts", "LOCAL"), ["/local"])
    yield Group(v1, lambda: utilities.WELCOME)
    records = ("/services", "/navigation-buttons", "/{institution}")
    yield Group(v1, partial(_later, "administration", "RECORDS"), records)
    yield Group(v2, partial(_later, "administration"), ["/institutions", "/projects", "/subscription"])
    yield Group(v1, lambda: utilities.PUSH_TEST)
    yield Group("", lambda: utilities.PICTURES)
    yield Group("", lambda: utilities.HEALTH)


def _later(area: str, name: str = "OPERATIONS") -> Sequence[Operations]:
    operations: Sequence[Operations] = getattr(import_module(f"ficha.api.{area}"), name)
    return operations


def served_operations(settings: Settings) -> Sequence[tuple[str, Sequence[Operations]]]:
    """Prefix and operations, all of them loaded."""
    return [(group.prefix, group.operations()) for group in groups_of(settings)]


def join_operations(app: FastAPI, settings: Settings) -> None:
    for group in groups_of(settings):
        if group.starts:
            starts = [group.prefix + start for start in group.starts]
            table_of(app).add_later(starts, partial(_join, app, group))
        else:
            _join(app, group)


def _join(app: FastAPI, group: Group) -> None:
    for operations in group.operations():
        operations.join(app, group.prefix)


def catalogue(settings: Settings) -> list[OperationRow]:
    """Area by area, each in the order of `served_operations`."""
    rows = [row for prefix, group in served_operations(settings) for each in group for row in each.rows(prefix)]
    areas = list(dict.fromkeys(row.area for row in rows))
    return sorted(rows, key=lambda row: areas.index(row.area))
