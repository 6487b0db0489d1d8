"""Calls to the platform's Graph API, and what its answers mean."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from threading import Lock
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from ficha import __version__
from ficha.channels.errors import BadContent, OutcomeUnknown, Refused, RetryLater
from ficha.channels.whatsapp.error_codes import platform_error, wait_of
from ficha.channels.whatsapp.http_messages import FileForm, HttpAnswer, Stream

if TYPE_CHECKING:
    from ficha.channels.whatsapp.transport import PostResult, WhatsAppTransport

USER_AGENT = f"Ficha/{__version__}"
JSON = {"Content-Type": "application/json"}
# The headers of a forwarded answer that a caller can use. The others are about our connection to the platform.
FORWARDED_HEADERS = (
    "content-type",
    "www-authenticate",
    "retry-after",
    "facebook-api-version",
    "x-fb-trace-id",
    "x-fb-request-id",
    "x-app-usage",
    "x-business-use-case-usage",
)


class Graph:
    """The address, version and token of the platform, with one pool of connections. Safe to use from many threads."""

    def __init__(self, base_url: str, version: str, token: str, seconds: float) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("FICHA_WHATSAPP_BASE_URL must look like https://graph.facebook.com")
        self.base_url = base_url.rstrip("/")
        self.version = version
        self._token = token
        self._seconds = seconds
        self._transport: WhatsAppTransport | None = None
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
        body: bytes | IO[bytes] | FileForm | None = None,
        headers: Mapping[str, str] | None = None,
        token: str | None = None,
    ) -> dict[str, Any]:
        """The answer's JSON object. Raises WhatsAppError, NotSent, OutcomeUnknown or Refused."""
        query = ("&" if "?" in path else "?") + urlencode(params) if params else ""
        url = f"{self.base_url}/{self.version}/{path}{query}"
        return read_answer(self.transport.call(method, url, self.headers(token) | dict(headers or {}), body))

    def post_all(
        self, path: str, bodies: Sequence[Mapping[str, Any]]
    ) -> Iterator[Mapping[int, dict[str, Any] | RetryLater | Refused]]:
        """Posts all these at once. The answers, or what `call` would raise, by their indexes, as they come."""
        target = f"{urlsplit(self.base_url).path}/{self.version}/{path}"
        written = [json.dumps(body, allow_nan=False).encode() for body in bodies]
        for results in self.transport.posts.post(target, self.headers() | JSON, written):
            yield {index: _answer_or_error(result) for index, result in results.items()}

    def forward(self, version: str, phone_number_id: str, token: str, body: bytes) -> HttpAnswer:
        """A caller's own request, with the caller's version and token. Returns any answer of the platform, errors too.
        Raises NotSent, OutcomeUnknown or Refused if there was none."""
        # Both come from the caller's path and become part of ours.
        if not re.fullmatch(r"v[0-9]{1,3}\.[0-9]{1,3}", version):
            raise BadContent("/version", "La versión se escribe como v23.0.")
        if not re.fullmatch(r"[0-9]{1,32}", phone_number_id):
            raise BadContent("/phone_number_id", "El identificador del número lleva solo cifras.")
        url = f"{self.base_url}/{version}/{phone_number_id}/messages"
        answer = self.transport.call("POST", url, _headers(f"Bearer {token}") | JSON, body)
        headers = {name: answer.headers[name] for name in FORWARDED_HEADERS if name in answer.headers}
        return replace(answer, headers=headers)

    def stream(self, url: str) -> AbstractContextManager[Stream]:
        """Sends our token to this address: the caller must have checked it."""
        return self.transport.stream(url, self.headers())

    def headers(self, token: str | None = None) -> dict[str, str]:
        return _headers(f"Bearer {token or self._token}")

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

                self._transport = WhatsAppTransport(self.base_url, self._seconds)
            return self._transport

    def close(self) -> None:
        with self._lock:
            opened, self._transport = self._transport, None
        if opened is not None:
            opened.close()


def _answer_or_error(result: "PostResult") -> dict[str, Any] | RetryLater | Refused:
    if isinstance(result, (RetryLater, Refused)):
        return result
    try:
        return read_answer(result)
    except (RetryLater, Refused) as error:
        return error


def _headers(authorization: str) -> dict[str, str]:
    return {"Authorization": authorization, "User-Agent": USER_AGENT}


def read_answer(answer: HttpAnswer) -> dict[str, Any]:
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
