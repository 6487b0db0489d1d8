"""The caller's own tokens: list, renew, revoke."""

from typing import Annotated

from fastapi import Path
from pydantic import Field

from ficha.accounts.accounts import Token
from ficha.accounts.tokens import MAX_ID, renew_token, revoke_token, tokens_of
from ficha.api.accounts.account_bodies import User, user_example, user_out
from ficha.api.examples import answer_example, listing_example, resource_example
from ficha.api.operations import Operations
from ficha.core.deferred_model import DeferredModel
from ficha.fmd.record_codes import codes_of_account
from ficha.http.dependencies import CurrentCaller, Db, Located, Now, Page, Parts, Quotes, Reading, Reply
from ficha.http.envelope import Answer, Listing, Moment, Resource, filled

operations = Operations("accounts", prefix="/auth", callers="bearer")


class TokenAttributes(DeferredModel):
    session_key: str
    created_at: Moment
    expiration_date: Moment
    last_used_at: Moment | None = Field(description="Written every half minute or so.")
    is_current: bool = Field(description="Whether it is the token of this request.")


TokenOut = Resource[TokenAttributes]
EXAMPLE = resource_example(
    "token",
    42,
    TokenAttributes,
    session_key="b7Kq2ZpX9sLd",
    expiration_date="2026-11-15T13:00:00+00:00",
    is_current=True,
)


class Revoked(DeferredModel):
    revoked: bool = True


@operations.get("/tokens", "Tokens", seed=True, errors=(422,), example=listing_example([EXAMPLE]))
def list_tokens(reading: Reading, caller: CurrentCaller, now: Now, page: Page) -> "Listing[TokenOut]":
    """Live tokens of the account, newest first."""
    found = tokens_of(reading, caller.account_id, now, after=page.start(MAX_ID), limit=page.limit)
    return page.answer(found, lambda token: _token_out(token, caller.token_id), lambda token: token.id)


@operations.post("/tokens", "Renew token", status=201, errors=(422,), example=user_example(201))
def renew(
    db: Db, caller: CurrentCaller, parts: Parts, now: Now, reply: Reply, quotes: Quotes, located: Located
) -> "Answer[User]":
    """A new token for the same session; the presented one is revoked."""
    located("/auth/tokens")
    quotes(caller.account_id)
    account, token = renew_token(db, caller, now, parts.settings.token_minutes)
    return reply(user_out(account, token, codes_of_account(db, account.id)))


@operations.delete(
    "/tokens/{id}",
    "Revoke token",
    errors=(404, 419, 422),
    example=answer_example({"revoked": True}),
    example_once=True,
)
def revoke(
    db: Db,
    caller: CurrentCaller,
    reply: Reply,
    token_id: Annotated[int, Path(alias="id", ge=1, le=MAX_ID, examples=[1])],
) -> "Answer[Revoked]":
    """Ends one session of the account, at once and everywhere."""
    revoke_token(db, caller.account_id, token_id)
    return reply(Revoked())


def _token_out(token: Token, current: int) -> TokenOut:
    shown = filled(TokenAttributes, token, expiration_date=token.expires_at, is_current=token.id == current)
    return Resource(type="token", id=token.id, attributes=shown)
