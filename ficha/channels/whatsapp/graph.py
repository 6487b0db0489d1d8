"""The platform's address, version and token, and the reading of its answers."""

import hashlib
import hmac
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from ficha import __version__
from ficha.channels.errors import OutcomeUnknown
from ficha.channels.whatsapp.errors import platform_error, wait_of

if TYPE_CHECKING:
    from ficha.channels.whatsapp.transport import Form, HttpAnswer, Stream, Transport

USER_AGENT = f"Ficha/{__version__}"


class Graph:
    """One connection to the platform, shared by everything that talks to it and safe between threads."""

    def __init__(
        self, base_url: str, version: str, token: str, seconds: float, *, prove_with: str | None = None
    ) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("FICHA_WHATSAPP_BASE_URL must look like https://graph.facebook.com")
        self.base_url = base_url.rstrip("/")
        self.version = version
        self._token = token
        self._seconds = seconds
        # With it, a stolen token is worth nothing without the app's secret.
        self._proof = app_secret_proof(prove_with, token) if prove_with else None
        self._wire: Transport | None = None
        self._lock = Lock()

    def get(self, path: str, params: Mapping[str, str] | None = None, token: str | None = None) -> dict[str, Any]:
        return self.call("GET", path, params=params, token=token)

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        headers = {"Content-Type": "application/json"}
        return self.call("POST", path, body=json.dumps(body, allow_nan=False).encode(), headers=headers)

    def call(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        body: "bytes | Form | None" = None,
        headers: Mapping[str, str] | None = None,
        token: str | None = None,
    ) -> dict[str, Any]:
        """The answer's JSON object. Raises WhatsAppError, NotSent, OutcomeUnknown or Refused."""
        query = dict(params or {}) | ({"appsecret_proof": self._proof} if self._proof and token is None else {})
        url = f"{self.base_url}/{self.version}/{path}"
        if query:
            url += ("&" if "?" in path else "?") + urlencode(query)
        return read(self.wire.call(method, url, self.headers(token) | dict(headers or {}), body))

    def raw(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> "HttpAnswer":
        """A call under any version and anybody's token; whatever the platform answers is the result."""
        return self.wire.call(method, f"{self.base_url}/{path}", {"User-Agent": USER_AGENT} | dict(headers), body)

    @contextmanager
    def stream(self, url: str) -> Iterator["Stream"]:
        """Carries the token: whoever calls has looked at the address."""
        with self.wire.stream(url, self.headers()) as stream:
            yield stream

    def headers(self, token: str | None = None) -> dict[str, str]:
        return {"Authorization": f"Bearer {token or self._token}", "User-Agent": USER_AGENT}

    @property
    def oauth(self) -> dict[str, str]:
        """The byte call of a resumable upload wants the token under this name."""
        return {"Authorization": f"OAuth {self._token}"}

    @property
    def wire(self) -> "Transport":
        with self._lock:
            if self._wire is None:
                # httpx costs a tenth of a second and many processes never call the platform.
                from ficha.channels.whatsapp.transport import Transport  # noqa: PLC0415

                self._wire = Transport(self._seconds)
            return self._wire

    def close(self) -> None:
        with self._lock:
            wire, self._wire = self._wire, None
        if wire is not None:
            wire.close()


def read(answer: "HttpAnswer") -> dict[str, Any]:
    """The platform's JSON, or what its answer means. Content types are not asked: the platform names JSON variously."""
    try:
        value = json.loads(answer.body)
    except (ValueError, RecursionError):
        value = None
    content = value if isinstance(value, dict) else {}
    error = content.get("error")
    # Only the platform's errors have a number. Any other may be a proxy's, which knows nothing of our request's fate.
    if isinstance(error, dict) and type(error.get("code")) is int:
        raise platform_error(answer.status, error, answer.headers)
    if 200 <= answer.status < 300:
        if not isinstance(value, dict):
            raise OutcomeUnknown(f"whatsapp: HTTP {answer.status} without a readable answer")
        return content
    if answer.status >= 500:
        raise OutcomeUnknown(f"whatsapp: HTTP {answer.status} from something in between", wait_of(answer.headers))
    raise platform_error(answer.status, {}, answer.headers)


def text_of(answer: Mapping[str, Any], name: str) -> str:
    """What must be in an answer. Without it, nobody can say what was done."""
    value = answer.get(name)
    if not isinstance(value, str) or not value:
        raise OutcomeUnknown(f"whatsapp: an answer without {name}")
    return value


def succeeded(answer: Mapping[str, Any]) -> None:
    if answer.get("success") is not True:
        raise OutcomeUnknown("whatsapp: an answer without success")


def app_secret_proof(secret: str, token: str) -> str:
    return hmac.new(secret.encode(), token.encode(), hashlib.sha256).hexdigest()
