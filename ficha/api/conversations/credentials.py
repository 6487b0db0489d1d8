"""With which token a call goes to the platform: the caller's own, ours for a member of staff, or none."""

import hashlib
import re
from typing import NamedTuple

from starlette.requests import Request

from ficha.accounts.tokens import Unauthenticated, caller_with
from ficha.core.errors import FichaError, NotFound, Source
from ficha.http.callers import bearer_of
from ficha.http.dependencies import Forbidden
from ficha.parts import Parts

# Both spellings are one name to the platform, and to the servers on the way.
HEADERS = ("api_access_token", "api-access-token")
PLATFORM_TOKEN = re.compile(r"[A-Za-z0-9_-]{1,255}")


class BadPlatformToken(FichaError):
    """Also for a token of ours in the platform's header: it must not reach the platform."""

    status = 401
    code = "token_de_conversaciones"
    message = "api_access_token lleva el token de la plataforma. Los de Ficha van en Authorization: Bearer."
    source = Source("header", "api_access_token")


class TwoPlatformTokens(FichaError):
    status = 400
    code = "dos_tokens_de_plataforma"
    message = "api_access_token y Api-Access-Token son la misma cabecera: envíe una sola."
    source = Source("header", "api_access_token")


class PlatformCredential(NamedTuple):
    """`is_ours`: our own token, used for a member of staff, who gets our errors. `scope` keeps the Idempotency-Keys of
    one caller apart from another's."""

    token: str | None
    is_ours: bool
    scope: str


def platform_token(request: Request) -> str | None:
    """What the caller brought. Raises BadPlatformToken, TwoPlatformTokens."""
    given = [request.headers[name] for name in HEADERS if name in request.headers]
    if len(given) > 1:
        raise TwoPlatformTokens
    if given and not PLATFORM_TOKEN.fullmatch(given[0]):
        raise BadPlatformToken
    return given[0] if given else None


def credential_of(request: Request, parts: Parts, account_id: str | None) -> PlatformCredential:
    """Asks the database, in a thread. A token of the platform counts before a token of ours, which never leaves. None
    at all is passed on as it is: the public operations need none, and to the others the platform says so itself.
    `account_id` is None for the public ones. Raises Unauthenticated, Forbidden, SecondFactorDemanded, TooManyRequests,
    NotFound for another account than ours."""
    token = platform_token(request)
    if token is not None:
        return PlatformCredential(token, False, f"platform:{hashlib.sha256(token.encode()).hexdigest()}")
    presented = bearer_of(request)
    if account_id is None or "authorization" not in request.headers:
        return PlatformCredential(None, False, "public")
    now, settings = parts.clock.now(), parts.settings
    with parts.database.reading() as tx:
        demanded = settings.staff_second_factor
        caller = None if presented is None else caller_with(tx, presented, now, staff_second_factor=demanded)
    if caller is None:
        raise Unauthenticated
    parts.last_used.note(caller.token_id, now)
    request.app.state.limiter.hit_token(request, caller.token_id)
    caller.must_act_as_staff(Forbidden)
    if account_id != str(settings.chatwoot_account_id):
        raise NotFound
    return PlatformCredential(settings.chatwoot_token.get_secret_value(), True, f"account:{caller.account_id}")
