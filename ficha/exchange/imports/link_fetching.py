"""What a Health Link of somebody else leads to: asked for once, within bounds, and decrypted. No transaction is open
meanwhile, and nothing of it is kept here."""

import asyncio
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

from pydantic_core import to_json

from ficha.channels.public_files import FileTooLarge, NotPublic, PublicAnswer, Redirected, ask_public
from ficha.exchange.health_links.encryption import KeyMismatch, decrypted_file
from ficha.exchange.health_links.files import CARD_TYPE
from ficha.exchange.health_links.reading import LinkToRead
from ficha.exchange.imports.bounded_json import MOST_BYTES, DocumentTooLarge
from ficha.exchange.imports.link_faults import (
    HealthLinkAddressRefused,
    HealthLinkAnswerInvalid,
    HealthLinkFileAltered,
    HealthLinkGone,
    HealthLinkHostAway,
    HealthLinkHostBusy,
    PasscodeNeeded,
    wrong_passcode,
)
from ficha.exchange.ips.definitions import FHIR_JSON
from ficha.exchange.jose import InflatesTooLarge, NotJose, json_object
from ficha.fmd.fhir_reading import WhyNot

# All bytes of one link as they come: base64url, and the JSON around it.
MOST_FETCHED = 2 * MOST_BYTES
MOST_FILES = 20
# What is longer has an address of its own, and is fetched only if we read its kind.
LONGEST_EMBEDDED = 1_000_000
READ_TYPES = frozenset({FHIR_JSON, CARD_TYPE})
WITHDRAWN = frozenset({"entered-in-error", "no-longer-valid", "retracted"})


class LinkCaller(NamedTuple):
    """How we ask: the name that the link's maker is told, the language that we prefer, how long all of it may take, and
    which hosts are called."""

    recipient: str
    language: str
    seconds: float
    allows_http: bool = False
    allows_private: bool = False


class LinkedFile(NamedTuple):
    kind: str
    content: bytes


class LinkContent(NamedTuple):
    """`left_out`: the kinds of its other files, and why."""

    files: list[LinkedFile]
    left_out: list[tuple[str, WhyNot]]


def fetch_link(link: LinkToRead, passcode: str, caller: LinkCaller) -> LinkContent:
    """Raises PasscodeNeeded before anybody is asked, or what is wrong."""
    if link.has_passcode and not passcode:
        raise PasscodeNeeded
    import httpx  # noqa: PLC0415  A tenth of a second of the start, and eight megabytes.

    fetching = _LinkFetching(link, caller)

    async def fetched() -> LinkContent:
        # Of the whole: a host that sends a byte now and then keeps nobody longer.
        async with asyncio.timeout(caller.seconds):
            return await (fetching.direct_file() if link.is_direct else fetching.listed_files(passcode))

    # Nothing of the causes goes along: they name the address, which opens the link.
    try:
        return asyncio.run(fetched())
    except NotPublic:
        raise HealthLinkAddressRefused from None
    except (FileTooLarge, InflatesTooLarge):
        raise DocumentTooLarge from None
    except KeyMismatch:
        raise HealthLinkFileAltered from None
    except (httpx.HTTPError, OSError):
        raise HealthLinkHostAway from None
    except (Redirected, NotJose, httpx.InvalidURL, ValueError):
        raise HealthLinkAnswerInvalid from None


class _LinkFetching:
    """One link, with the bytes that may still come."""

    def __init__(self, link: LinkToRead, caller: LinkCaller) -> None:
        self._link, self._caller = link, caller
        self._fetched = self._decrypted = 0
        self._files: list[LinkedFile] = []
        self._left_out: list[tuple[str, WhyNot]] = []

    async def direct_file(self) -> LinkContent:
        joint = "&" if "?" in self._link.url else "?"
        url = f"{self._link.url}{joint}{urlencode({'recipient': self._caller.recipient})}"
        self._take("", _found(await self._ask(url)).decode("ascii"))
        return LinkContent(self._files, self._left_out)

    async def listed_files(self, passcode: str) -> LinkContent:
        asked: dict[str, Any] = {"recipient": self._caller.recipient, "embeddedLengthMax": LONGEST_EMBEDDED}
        if passcode:
            asked["passcode"] = passcode
        answer = await self._ask(self._link.url, to_json(asked))
        if answer.status == 401:
            raise wrong_passcode(_tries_left(answer.body)) if passcode else PasscodeNeeded
        for file in _listed(_found(answer)):
            await self._take_listed(file)
        return LinkContent(self._files, self._left_out)

    async def _take_listed(self, file: Mapping[str, Any]) -> None:
        kind = _media_type(file.get("contentType"))
        embedded, location = file.get("embedded"), file.get("location")
        if file.get("status") in WITHDRAWN:
            self._left_out.append((kind, WhyNot.WITHDRAWN))
        elif kind not in READ_TYPES:
            self._left_out.append((kind, WhyNot.OTHER_KIND))
        elif isinstance(embedded, str):
            self._take(kind, embedded)
        elif isinstance(location, str):
            self._take(kind, _found(await self._ask(location)).decode("ascii"))
        else:
            raise HealthLinkAnswerInvalid

    def _take(self, kind: str, compact: str) -> None:
        file = decrypted_file(self._link.key, compact, MOST_BYTES - self._decrypted)
        self._decrypted += len(file.content)
        told = kind or _media_type(file.content_type) or FHIR_JSON
        if told in READ_TYPES:
            self._files.append(LinkedFile(told, file.content))
        else:
            self._left_out.append((told, WhyNot.OTHER_KIND))

    async def _ask(self, url: str, sent: bytes | None = None) -> PublicAnswer:
        headers = {"Accept": "application/json, application/jose", "Accept-Language": self._caller.language}
        if sent is not None:
            headers["Content-Type"] = "application/json"
        answer = await ask_public(
            url,
            headers,
            most_bytes=MOST_FETCHED - self._fetched,
            sent=sent,
            allows_http=self._caller.allows_http,
            allows_private=self._caller.allows_private,
        )
        self._fetched += len(answer.body)
        return answer


def _found(answer: PublicAnswer) -> bytes:
    if answer.status == 200:
        return answer.body
    if answer.status in (404, 410):
        raise HealthLinkGone
    if answer.status == 429:
        raise HealthLinkHostBusy(answer.retry_after)
    if answer.status >= 500:
        raise HealthLinkHostAway
    raise HealthLinkAnswerInvalid


def _listed(manifest: bytes) -> list[Mapping[str, Any]]:
    found = json_object(manifest).get("files")
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise HealthLinkAnswerInvalid
    if len(found) > MOST_FILES:
        raise DocumentTooLarge
    return found


def _tries_left(body: bytes) -> int | None:
    """As it tells them; None if it does not."""
    try:
        left = json_object(body).get("remainingAttempts")
    except NotJose:
        return None
    return left if isinstance(left, int) and not isinstance(left, bool) and left < 1_000_000 else None


def _media_type(said: Any) -> str:
    """Without its parameters, and short: it is shown."""
    named = said.partition(";")[0].strip().lower()[:60] if isinstance(said, str) else ""
    return named if named.isprintable() else ""
