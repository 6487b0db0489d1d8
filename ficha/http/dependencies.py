"""What an operation can ask for by type: `Db`, `Reading`, `Now`, `CurrentCaller`, `Staff`…"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request, Response

from ficha.accounts.tokens import Caller, Unauthenticated
from ficha.asgi.bodies import ReadRequest
from ficha.asgi.plan import runs_first
from ficha.asgi.routes import ServedRoute, matched_route
from ficha.core.db import Database
from ficha.core.errors import FichaError
from ficha.core.transaction import Transaction
from ficha.http import envelope
from ficha.http.browser import Browser as RequestBrowser
from ficha.http.callers import ACCOUNT_SCOPE, find_caller
from ficha.http.client_address import address_of
from ficha.http.cursors import Cursor, PageSize, list_name, next_cursor, row_before
from ficha.http.limits import Limiter as RateLimiter
from ficha.http.limits import RateLimit
from ficha.parts import Parts as AllParts

T = TypeVar("T")
R = TypeVar("R")


class Forbidden(FichaError):
    status = 403
    code = "sin_permiso"
    message = "Su cuenta no tiene permiso para esto."


class RequestTransaction:
    """One request, one transaction: for writing or for reading, made when first asked for, committed or rolled back by
    what serves the operation. Nobody asks for both: two connections a request can starve each other."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._writer: Transaction | None = None
        self._reader: Transaction | None = None

    @property
    def writer(self) -> Transaction:
        if self._writer is None:
            self._writer = self._database.transaction()
        return self._writer

    @property
    def reader(self) -> Transaction:
        """Sees what is committed, and locks nothing."""
        if self._reader is None:
            self._reader = self._database.transaction(writes=False)
        return self._reader

    @property
    def is_writing(self) -> bool:
        """Whether what writes was asked for."""
        return self._writer is not None

    def commit(self) -> None:
        if self._writer is not None:
            self._writer.commit()

    def close(self) -> None:
        """Rolls back what was not committed."""
        for tx in (self._writer, self._reader):
            if tx is not None:
                tx.rollback()


class OperationRequest(ReadRequest):
    """`key_scope` says whose its Idempotency-Key is, if it counts; `quoted_account` whom the answer quotes, if the
    operation said so; `is_given_once` that it is about another's record; `is_prepared` that it was checked, and waits
    for another with its key."""

    key_scope: str | None = None
    quoted_account: int | None = None
    is_given_once: bool = False
    is_prepared: bool = False


def parts(request: Request) -> AllParts:
    found: AllParts = request.app.state.parts
    return found


def db(request: Request) -> Transaction:
    tx: Transaction = request.state.transaction.writer
    return tx


def reading(request: Request) -> Transaction:
    tx: Transaction = request.state.transaction.reader
    return tx


def now(request: Request) -> datetime:
    moment: datetime = request.app.state.parts.clock.now()
    return moment


def address(request: Request) -> str:
    return address_of(request, request.app.state.trusted_proxies)


def limiter(request: Request) -> RateLimiter:
    found: RateLimiter = request.app.state.limiter
    return found


def browser(request: Request) -> RequestBrowser:
    found: RequestBrowser = request.state.browser
    return found


def reply(request: Request, now: Annotated[datetime, Depends(now)]) -> envelope.Reply:
    """Its time is the one that the operation goes by: what ends in an hour ends an hour after it."""
    found: AllParts = request.app.state.parts
    route = matched_route(request.scope)
    return envelope.Reply(found.settings, now, route.served.status if isinstance(route, ServedRoute) else 200)


@dataclass(frozen=True)
class AskedPage:
    """One page of a list. `limit` is one more than is shown: that one says whether another page follows."""

    reply: envelope.Reply
    cursor: str | None
    size: int
    of: str

    @property
    def limit(self) -> int:
        return self.size + 1

    def start(self, otherwise: int) -> int:
        """The row where the page before ended, or `otherwise` for the first page. Raises BadCursor."""
        return row_before(self.cursor, otherwise, self.of)

    def answer(self, found: Sequence[T], shown: Callable[[T], R], row_id: Callable[[T], int]) -> envelope.Listing[R]:
        following = next_cursor(found, self.size, row_id, self.of)
        return self.reply.listing([shown(one) for one in found[: self.size]], self.size, following)

    def part(self, rows: Iterable[T], shown: Callable[[T], R], row_id: Callable[[T], int]) -> envelope.Listing[R]:
        """Of rows that are all at hand: in the order of their numbers."""
        start = self.start(0)
        following = sorted((row for row in rows if row_id(row) > start), key=row_id)
        return self.answer(following[: self.limit], shown, row_id)


def asked_page(
    request: Request, reply: Annotated[envelope.Reply, Depends(reply)], cursor: Cursor = None, size: PageSize = 50
) -> AskedPage:
    return AskedPage(reply, cursor, size, list_name(request.scope["path"], request.query_params.multi_items()))


def located(response: Response, parts: Annotated[AllParts, Depends(parts)]) -> Callable[[str], None]:
    """Says where the thing is that was made: its path below /v2."""

    def note(path: str) -> None:
        response.headers["Location"] = f"{parts.settings.v2}{path}"

    return note


def quotes(request: OperationRequest) -> Callable[[int | None], None]:
    """For an answer about somebody who need not be the caller: if it is kept, it goes when that account is erased."""

    def note(account_id: int | None) -> None:
        request.quoted_account = account_id

    return note


def about_record_of(request: Request) -> Callable[[int | None], None]:
    """For an answer about a record, or what belongs to one, whose owner need not be the caller. Then it is given once,
    and an Idempotency-Key does not bring it again: the right to it may have ended, and whoever reads is noted."""

    def note(owner_id: int | None) -> None:
        # Pages open records too, and take no keys.
        if isinstance(request, OperationRequest) and request.key_scope != f"{ACCOUNT_SCOPE}{owner_id}":
            request.is_given_once = True

    return note


@runs_first
def urgent_caller(request: Request) -> Caller:
    """For what alerts or answers an alert: the limit of the token does not count. Raises Unauthenticated."""
    found = find_caller(request, request.app.state.parts)
    if found is None:
        raise Unauthenticated
    return found


@runs_first
def caller(request: Request) -> Caller:
    """Raises Unauthenticated, or TooManyRequests for its token."""
    found = urgent_caller(request)
    request.app.state.limiter.hit_token(request, found.token_id)
    return found


@runs_first
def staff(found: Annotated[Caller, Depends(caller)]) -> Caller:
    """Raises Forbidden or SecondFactorDemanded."""
    found.must_act_as_staff(Forbidden)
    return found


@runs_first
def admin(found: Annotated[Caller, Depends(caller)]) -> Caller:
    """Raises Forbidden or SecondFactorDemanded."""
    found.must_act_as_admin(Forbidden)
    return found


@runs_first
def service_account(found: Annotated[Caller, Depends(caller)]) -> Caller:
    """An institution's, and nobody else's: an administrator acts for none."""
    if not found.acts_for_institution:
        raise Forbidden
    return found


@runs_first
def staff_or_institution(found: Annotated[Caller, Depends(caller)]) -> Caller:
    """A service account acts for its institution, everybody else as staff. Raises Forbidden or SecondFactorDemanded."""
    if not found.acts_for_institution:
        found.must_act_as_staff(Forbidden)
    return found


def limit_by_address(limit: RateLimit) -> Any:
    """A dependency that counts one request of this address against the limit."""

    @runs_first
    def count(request: Request, limiter: Limiter, address: Address) -> None:
        limiter.hit_address(request, limit, address)

    return Depends(count)


Parts = Annotated[AllParts, Depends(parts)]
Db = Annotated[Transaction, Depends(db)]
Reading = Annotated[Transaction, Depends(reading)]
Now = Annotated[datetime, Depends(now)]
Address = Annotated[str, Depends(address)]
Limiter = Annotated[RateLimiter, Depends(limiter)]
Browser = Annotated[RequestBrowser, Depends(browser)]
Reply = Annotated[envelope.Reply, Depends(reply)]
Page = Annotated[AskedPage, Depends(asked_page)]
Located = Annotated[Callable[[str], None], Depends(located)]
Quotes = Annotated[Callable[[int | None], None], Depends(quotes)]
AboutRecordOf = Annotated[Callable[[int | None], None], Depends(about_record_of)]
CurrentCaller = Annotated[Caller, Depends(caller)]
UrgentCaller = Annotated[Caller, Depends(urgent_caller)]
Staff = Annotated[Caller, Depends(staff)]
Admin = Annotated[Caller, Depends(admin)]
ServiceAccount = Annotated[Caller, Depends(service_account)]
StaffOrInstitution = Annotated[Caller, Depends(staff_or_institution)]
