"""Who asks and from where. Who may see what is in the row: the domain's functions read it there."""

from collections.abc import Iterable, Sequence

from starlette.requests import HTTPConnection
from starlette.types import Scope

from ficha.accounts.tokens import PresentedCredential, Unauthenticated
from ficha.fastlane.statements import Statements, Values
from ficha.fastlane.store import Row, Store
from ficha.http.address import TrustedProxies, address_of


async def rows_for_caller(
    credentials: Iterable[PresentedCredential], store: Store, statements: Statements, values: Values
) -> tuple[PresentedCredential, Sequence[Row]]:
    """The first credential that is good and the rows that its statement found; raises Unauthenticated if none is.

    Only who shows a session that ended beside a bearer token costs a second statement.
    """
    for credential in credentials:
        rows = await store.rows(statements[credential.query], (credential.key, *values))
        if rows and credential.matches(rows[0][0]):
            return credential, rows
    raise Unauthenticated


def origin_of(scope: Scope, trusted: TrustedProxies) -> str:
    """The caller's address, for the log. Most servers trust no proxy, and then it is simply the peer's."""
    if trusted:
        return address_of(HTTPConnection(scope), trusted)
    client: tuple[str, int] | None = scope.get("client")
    return client[0] if client else ""
