"""A call to the Graph API, and the checks of its token and of the objects it names."""

from dataclasses import dataclass
from typing import Any

from ficha.sandbox.http_messages import HttpRequest
from ficha.sandbox.loopback import NotLoopback, require_loopback
from ficha.sandbox.whatsapp.errors import GraphError, invalid_parameter, no_such_object
from ficha.sandbox.whatsapp.numbers import Number
from ficha.sandbox.whatsapp.platform import WhatsAppPlatform
from ficha.sandbox.whatsapp.tokens import MANAGEMENT, MESSAGING, AccessToken


@dataclass(frozen=True)
class Call:
    """A request to the Graph API. `path` stands without its version."""

    platform: WhatsAppPlatform
    request: HttpRequest
    version: float
    path: str

    @property
    def address(self) -> str:
        return f"{self.platform.url}/v{self.version}/{self.path}"

    @property
    def presented_token(self) -> str | None:
        """From the header (`Bearer` or `OAuth`) or the query; empty, and so invalid, for any other header."""
        header = self.request.headers.get("authorization")
        if header is None:
            return self.request.query.get("access_token")
        scheme, _, value = header.partition(" ")
        return value.strip() if scheme.lower() in ("bearer", "oauth") else ""

    def token(self, scope: str | None = None) -> AccessToken:
        """The token of the caller; raises GraphError if it is missing, invalid or without that scope."""
        value = self.presented_token
        token = self.platform.tokens.check(value, self.platform.now())
        self.platform.tokens.check_proof(token.value, self.request.query.get("appsecret_proof"))
        if scope is not None and scope not in token.scopes:
            raise GraphError(10 if scope == MESSAGING else 200)
        return token

    def check_management(self) -> None:
        """For operations that count against the account's hourly limit; raises GraphError beyond it."""
        self.token(MANAGEMENT)
        self.platform.limits.check_management(self.platform.behaviour, self.platform.now())


def own_number(call: Call, number_id: str, scope: str) -> Number:
    call.token(scope)
    number = call.platform.numbers.get(number_id)
    if number is None:
        raise no_such_object(number_id, call.request.method)
    return number


def own_account(call: Call, account_id: str) -> None:
    call.check_management()
    if account_id != call.platform.config.business_id:
        raise no_such_object(account_id, call.request.method)


async def checked_webhook(call: Call, asked: dict[str, Any]) -> str | None:
    """The address asked for, once it has answered the challenge; raises GraphError if it did not."""
    url = str(asked.get("override_callback_uri") or "")
    if not url:
        return None
    try:
        require_loopback(url)
    except NotLoopback:
        raise invalid_parameter(
            "Param override_callback_uri: the sandbox only calls addresses of this machine."
        ) from None
    if not await call.platform.webhooks.verify_receiver(url, str(asked.get("verify_token", ""))):
        raise GraphError(100, "The callback URL or verify token couldn't be validated.", subcode=2200)
    return url
