"""Calls to the platform's Graph API, and what its answers mean."""

import hashlib
import hmac
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from ficha import __version__
from ficha.channels.errors import OutcomeUnknown, Refused, RetryLater
from ficha.channels.whatsapp.errors import platform_error, wait_of

if TYPE_CHECKING:
    from ficha.channels.whatsapp.parallel_posts import ParallelPosts, PostResult
    from ficha.channels.whatsapp.transport import FileForm, HttpAnswer, Stream, WhatsAppTransport

USER_AGENT = f"Ficha/{__version__}"
JSON = {"Content-Type": "application/json"}


class Graph:
    """The address, version and token of the platform, with one pool of connections. Safe to use from many threads."""

    def __init__(
        self, base_url: str, version: str, token: str, seconds: float, *, proof_secret: str | None = None
    ) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("FICHA_WHATSAPP_BASE_URL must look like https://graph.facebook.com")
        self.base_url = base_url.rstrip("/")
        self.version = version
        self._token = token
        self._seconds = seconds
        # With this proof in every call, a stolen token is useless without the app's secret.
        self._proof = app_secret_proof(proof_secret, token) if proof_secret else None
        self._transport: WhatsAppTransport | None = None
        self._parallel_posts: ParallelPosts | None = None
        self._lock = Lock()

    def get(self, path: str, params: Mapping[str, str] | None = None, token: str | None = None) -> dict[str, Any]:
        return self.call("GET", path, params=params, token=token)

    def post(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        return self.call("POST", path, body=json.dumps(body, allow_nan=False).encode(), headers=JSON)

    def call(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        body: "bytes | IO[bytes] | FileForm | None" = None,
        headers: Mapping[str, str] | None = None,
        token: str | None = None,
    ) -> dict[str, Any]:
        """The answer's JSON object. Raises WhatsAppError, NotSent, OutcomeUnknown or Refused."""
        url = f"{self.base_url}/{self._with_query(path, params, token)}"
        return read_answer(self.transport.call(method, url, self.headers(token) | dict(headers or {}), body))

    def post_all(
        self, path: str, bodies: Sequence[Mapping[str, Any]]
    ) -> Iterator[Mapping[int, dict[str, Any] | RetryLater | Refused]]:
        """Posts all these at once. The answers, or what `call` would raise, by their places, as they come."""
        target = f"{urlsplit(self.base_url).path}/{self._with_query(path, None, None)}"
        written = [json.dumps(body, allow_nan=False).encode() for body in bodies]
        for results in self.parallel_posts.post(target, self.headers() | JSON, written):
            yield {place: _answer_or_error(result) for place, result in results.items()}

    def _with_query(self, path: str, params: Mapping[str, str] | None, token: str | None) -> str:
        query = dict(params or {}) | ({"appsecret_proof": self._proof} if self._proof and token is None else {})
        whole = f"{self.version}/{path}"
        return whole + ("&" if "?" in path else "?") + urlencode(query) if query else whole

    def call_raw(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> "HttpAnswer":
        """A call with the caller's own version and token. Returns any answer of the platform, errors too."""
        return self.transport.call(method, f"{self.base_url}/{path}", {"User-Agent": USER_AGENT} | dict(headers), body)

    @contextmanager
    def stream(self, url: str) -> Iterator["Stream"]:
        """Sends our token to this address: the caller must have checked it."""
        with self.transport.stream(url, self.headers()) as stream:
            yield stream

    def headers(self, token: str | None = None) -> dict[str, str]:
        return {"Authorization": f"Bearer {token or self._token}", "User-Agent": USER_AGENT}

    @property
    def oauth(self) -> dict[str, str]:
        """The header that resumable uploads want instead of `Bearer`."""
        return {"Authorization": f"OAuth {self._token}"}

    @property
    def transport(self) -> "WhatsAppTransport":
        with self._lock:
            if self._transport is None:
                # Importing httpx takes a tenth of a second, and many processes never call the platform.
                from ficha.channels.whatsapp.transport import WhatsAppTransport  # noqa: PLC0415

                self._transport = WhatsAppTransport(self._seconds)
            return self._transport

    @property
    def parallel_posts(self) -> "ParallelPosts":
        with self._lock:
            if self._parallel_posts is None:
                from ficha.channels.whatsapp.parallel_posts import ParallelPosts  # noqa: PLC0415  It imports httpx too.

                self._parallel_posts = ParallelPosts(self.base_url, self._seconds)
            return self._parallel_posts

    def close(self) -> None:
        with self._lock:
            opened = (self._transport, self._parallel_posts)
            self._transport = self._parallel_posts = None
        for each in opened:
            if each is not None:
                each.close()


def _answer_or_error(result: "PostResult") -> dict[str, Any] | RetryLater | Refused:
    if isinstance(result, (RetryLater, Refused)):
        return result
    try:
        return read_answer(result)
    except (RetryLater, Refused) as error:
        return error


def read_answer(answer: "HttpAnswer") -> dict[str, Any]:
    """The JSON object of an answer. Raises WhatsAppError for an error of the platform, OutcomeUnknown where the answer
    does not say what happened. The content type is ignored, because the platform names JSON in several ways."""
    try:
        value = json.loads(answer.body)
    except (ValueError, RecursionError):
        value = None
    content = value if isinstance(value, dict) else {}
    error = content.get("error")
    # Only the platform's own errors have a number. Without one it may be a proxy's, which does not know what happened.
    if isinstance(error, dict) and type(error.get("code")) is int:
        raise platform_error(answer.status, error, answer.headers)
    if 200 <= answer.status < 300:
        if not isinstance(value, dict):
            raise OutcomeUnknown(f"whatsapp: HTTP {answer.status} without a readable answer")
        return content
    if answer.status >= 500:
        raise OutcomeUnknown(f"whatsapp: HTTP {answer.status} from something in between", wait_of(answer.headers))
    raise platform_error(answer.status, {}, answer.headers)


def required_text(answer: Mapping[str, Any], name: str) -> str:
    """A text that must be in an answer. Raises OutcomeUnknown if it is missing."""
    value = answer.get(name)
    if not isinstance(value, str) or not value:
        raise OutcomeUnknown(f"whatsapp: an answer without {name}")
    return value


def check_success(answer: Mapping[str, Any]) -> None:
    if answer.get("success") is not True:
        raise OutcomeUnknown("whatsapp: an answer without success")


def app_secret_proof(secret: str, token: str) -> str:
    return hmac.new(secret.encode(), token.encode(), hashlib.sha256).hexdigest()
