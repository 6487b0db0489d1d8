"""Every operation that is served: which area's operations stand under which prefix, and the catalogue made of them."""

from collections.abc import Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import NamedTuple

from ficha.api.operations import OperationRow, Operations
from ficha.asgi.routes import RouteGroup, ServedRoute
from ficha.core.settings import Settings


class Group(NamedTuple):
    """Operations under one prefix: the `operations` of these files, or what stands after a colon. With `starts`, what
    their paths begin with below it, they are loaded when one of them is first asked for: a tenth of a start, and of an
    idle server's memory."""

    prefix: str
    files: Sequence[str]
    starts: Sequence[str] = ()

    def operations(self) -> Iterator[Operations]:
        for file in self.files:
            module, _, name = file.partition(":")
            found: Operations | tuple[Operations, ...] = getattr(
                import_module(f"ficha.api.{module}"), name or "operations"
            )
            yield from found if isinstance(found, tuple) else (found,)


ACCOUNTS = ("accounts.auth", "accounts.tokens", "accounts.verification", "accounts.user_pic")
# The first that matches answers: names like /fmd/schemas and /emergency-contacts come before /fmd/{code}/{model}.
FMD = (
    "fmd.schemas_and_terms",
    "fmd.records",
    "fmd.history",
    "fmd.export",
    "fmd.summaries",
    "fmd.health_cards",
    "fmd.grants",
    "fmd.health_links",
    "fmd.imports",
    "fmd.record_changes",
    "fmd.read_operations",
)
PRODUCTS = ("products.products", "products.stickers:qr_operations", "products.codes", "products.batches")
PRINTED = ("products.stickers", "products.carnet")
CONVERSATIONS = (
    "conversations.conversations:public_operations",
    "conversations.conversations",
    "conversations.attachments",
)
MESSAGING = ("messaging.messages", "messaging.files", "messaging.uploads", "messaging.platform_account")


def groups_of(settings: Settings) -> Iterator[Group]:
    """In the order in which paths are matched and OpenAPI lists them. Where a path begins with a variable, its group
    is loaded for whatever comes so far: the gateway is the last."""
    v1, v2 = settings.v1, settings.v2
    whatsapp = f"{v2}/{settings.integration}"
    yield Group(v2, ACCOUNTS, ["/auth", "/email", "/user_pic"])
    yield Group(v2, FMD, ["/fmd"])
    products = ("/products", "/generators", "/codes", "/batches", "/dev", "/carnet")
    yield Group(v2, PRODUCTS + PRINTED, products)
    yield Group(whatsapp, (*MESSAGING, "messaging.webhook:notification_operations"), [""])
    yield Group(v2, ("emergencies.emergencies", "emergencies.staff_work", "emergencies.events"))
    yield Group(v1, CONVERSATIONS, ["/inboxes", "/accounts"])
    yield Group(v2, ("utilities.maps", "utilities.push"))
    yield Group(whatsapp, ("messaging.webhook:inbox_operations",), [""])
    webhook = f"{v2}/webhook/{settings.messaging_channel}"
    yield Group(webhook, ("messaging.webhook:webhook_operations",), [""])
    yield Group(v2, ("conversations.webhook", "administration.subscriptions:payment_operations"), ["/webhook"])
    yield Group(f"/{settings.csrf_scope}", ("accounts.auth:csrf_operations",), [""])
    yield Group(settings.test, ("accounts.registration_for_tests",), [""])
    yield Group(v1, ("accounts.local",), ["/local"])
    yield Group(v1, ("utilities.health:welcome_operations",))
    yield Group(v1, ("administration:V1_OPERATIONS",), ["/"])
    administered = ["/institutions", "/projects", "/statistics", "/subscription", "/webhooks"]
    yield Group(v2, ("administration:OPERATIONS",), administered)
    yield Group(v1, ("utilities.push:test_operations",))
    yield Group("", ("fmd.summaries:fhir_operations",), ["/fhir"])
    yield Group("", ("fmd.health_cards:well_known_operations",), ["/.well-known"])
    yield Group("", ("fmd.health_link_files",), ["/shl"])
    yield Group("", ("utilities.background_removal",))
    yield Group("", ("utilities.health",))
    yield Group("", ("messaging.gateway",), ["/v"])


def served_operations(settings: Settings) -> Sequence[tuple[str, Sequence[Operations]]]:
    """Prefix and operations, all of them loaded."""
    return [(group.prefix, list(group.operations())) for group in groups_of(settings)]


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
