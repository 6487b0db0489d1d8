"""Access tokens: whether one is valid, what it permits, and how new ones are issued."""

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from ficha.sandbox.whatsapp.config import WhatsAppConfig
from ficha.sandbox.whatsapp.errors import GraphError, invalid_parameter

MESSAGING = "whatsapp_business_messaging"
MANAGEMENT = "whatsapp_business_management"
BOTH = (MANAGEMENT, MESSAGING)
LONG_LIVED_SECONDS = 5_183_944
USER_ID = "122100000000000001"


@dataclass
class AccessToken:
    value: str
    scopes: tuple[str, ...] = BOTH
    type: str = "SYSTEM_USER"
    issued_at: datetime | None = None
    expires_at: datetime | None = None
    revoked_subcode: int | None = None

    def error_at(self, now: datetime) -> GraphError | None:
        if self.revoked_subcode == 467:
            return GraphError(
                190,
                message="Error validating access token: The session is invalid because the user logged out.",
                subcode=467,
            )
        if self.revoked_subcode is not None:
            return GraphError(
                190,
                message=(
                    "Error validating access token: The session has been invalidated because the user changed their"
                    " password or Facebook has changed the session for security reasons."
                ),
                subcode=self.revoked_subcode,
            )
        if self.expires_at is not None and self.expires_at <= now:
            when, current = (f"{at:%A, %d-%b-%y %H:%M:%S} PST" for at in (self.expires_at, now))
            return GraphError(
                190,
                message=(
                    f"Error validating access token: Session has expired on {when}. The current time is {current}."
                ),
                subcode=463,
            )
        return None


@dataclass
class AccessTokens:
    """The configured token, the app's own, and four invalid ones, each of which fails in its own way."""

    config: WhatsAppConfig
    now: datetime
    known: dict[str, AccessToken] = field(default_factory=dict)
    codes: set[str] = field(default_factory=lambda: {"sandbox-code"})
    used_codes: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        day_ago = self.now - timedelta(days=1)
        for token in (
            AccessToken(self.config.token),
            AccessToken(self.app_token, (), "APP"),
            AccessToken("expired-token", expires_at=day_ago),
            AccessToken("revoked-token", revoked_subcode=460),
            AccessToken("logged-out-token", revoked_subcode=467),
            AccessToken("no-permission-token", ()),
        ):
            token.issued_at = token.issued_at or day_ago
            self.known[token.value] = token

    @property
    def app_token(self) -> str:
        return f"{self.config.app_id}|{self.config.app_secret}"

    def check(self, value: str | None, now: datetime) -> AccessToken:
        """The token with that value; raises the GraphError that says what is wrong with it."""
        if value is None:
            raise GraphError(104)
        token = self.known.get(value)
        if token is None:
            raise GraphError(190)
        if error := token.error_at(now):
            raise error
        return token

    def check_proof(self, value: str, proof: str | None) -> None:
        expected = hmac.new(self.config.app_secret.encode(), value.encode(), hashlib.sha256).hexdigest()
        if proof is not None and not hmac.compare_digest(proof, expected):
            raise GraphError(100, message="Invalid appsecret_proof provided in the API argument")

    def describe(self, value: str, now: datetime) -> dict[str, Any]:
        """The answer of debug_token, for invalid tokens too."""
        token = self.known.get(value)
        error = GraphError(190) if token is None else token.error_at(now)
        found: dict[str, Any] = {"app_id": self.config.app_id, "is_valid": error is None}
        if token is not None:
            found |= {
                "type": token.type,
                "application": "Ficha",
                "data_access_expires_at": 0,
                "expires_at": 0 if token.expires_at is None else int(token.expires_at.timestamp()),
                "issued_at": int((token.issued_at or now).timestamp()),
                "scopes": list(token.scopes),
                "granular_scopes": [
                    {"scope": scope, "target_ids": [self.config.business_id]} for scope in token.scopes
                ],
                "user_id": USER_ID,
            }
        if error is not None:
            shown = {"code": error.code, "message": error.message}
            found["error"] = shown | ({"subcode": error.subcode} if error.subcode else {})
            found["scopes"] = []
        return found

    def exchange(self, asked: dict[str, str], now: datetime) -> dict[str, Any]:
        """The answer of oauth/access_token; raises GraphError."""
        for name in ("client_id", "client_secret"):
            if not asked.get(name):
                raise GraphError(101, message=f"Missing {name} parameter.")
        if asked["client_id"] != self.config.app_id:
            raise GraphError(101)
        if asked["client_secret"] != self.config.app_secret:
            raise GraphError(1, message="Error validating client secret.")
        match asked.get("grant_type"):
            case "client_credentials":
                return {"access_token": self.app_token, "token_type": "bearer"}
            case "fb_exchange_token":
                self.check(asked.get("fb_exchange_token"), now)
                return self._issue(now, LONG_LIVED_SECONDS)
            case None | "authorization_code":
                self._use_code(asked.get("code"))
                return self._issue(now, LONG_LIVED_SECONDS)
            case other:
                raise invalid_parameter(f"Param grant_type is not valid: {other}")

    def _use_code(self, code: str | None) -> None:
        if code in self.used_codes:
            raise GraphError(100, message="This authorization code has been used.", subcode=36009)
        if code is None or code not in self.codes:
            raise GraphError(100, message="Invalid verification code format.", subcode=36007)
        self.used_codes.add(code)

    def _issue(self, now: datetime, seconds: int) -> dict[str, Any]:
        value = f"EAA{secrets.token_hex(24)}"
        self.known[value] = AccessToken(value, BOTH, "USER", now, now + timedelta(seconds=seconds))
        return {"access_token": value, "token_type": "bearer", "expires_in": seconds}
