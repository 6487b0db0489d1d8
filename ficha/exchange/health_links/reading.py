"""Reads a SMART Health Link, ours or anybody's, from its text: where its files are, and what opens them."""

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from ficha.core.errors import FichaError
from ficha.exchange.health_links.payload import SCHEME, VERSION
from ficha.exchange.jose import NotJose, from_base64url, json_object

LINK = re.compile(rf"\s*(?:https?://[^\s#]{{1,500}}#)?{SCHEME}", re.IGNORECASE)
# An address has 128 letters by the specification and a label 80; what is not known of it may be longer.
MOST_LETTERS = 10_000
MOST_URL_LETTERS = 2_000
KEY_BYTES = 32


class HealthLinkUnreadable(FichaError):
    status = 422
    code = "enlace_ilegible"
    message = "Eso no es un enlace SMART Health, o no está completo. Cópielo entero o escanee otra vez su QR."


class HealthLinkTooNew(FichaError):
    status = 422
    code = "enlace_de_otra_version"
    message = "Ese enlace es de una versión que aquí todavía no se lee. Pida el documento como archivo."


class HealthLinkExpired(FichaError):
    status = 422
    code = "enlace_de_salud_vencido"
    message = "Ese enlace venció. Pida otro a quien se lo dio."


@dataclass(frozen=True)
class LinkToRead:
    """Address and key are what opens it: neither is kept, nor written to a log."""

    url: str = field(repr=False)
    key: bytes = field(repr=False)
    has_passcode: bool
    is_direct: bool

    @property
    def host(self) -> str:
        return urlsplit(self.url).netloc


def is_health_link(text: str) -> bool:
    """Whether it claims to be one: on its own, or behind the address of a viewer."""
    return LINK.match(text) is not None


def read_health_link(text: str, now: datetime) -> LinkToRead:
    """What it has besides is ignored, as the specification asks, flags too. Raises HealthLinkUnreadable,
    HealthLinkTooNew or HealthLinkExpired."""
    found = LINK.match(text)
    if found is None or len(text) > MOST_LETTERS:
        raise HealthLinkUnreadable
    encoded = "".join(text[found.end() :].split())  # A mail may have broken it into lines.
    try:
        payload = json_object(from_base64url(encoded.rstrip("=")))
        key = from_base64url(str(payload.get("key")))
    except NotJose:
        raise HealthLinkUnreadable from None
    version = payload.get("v", VERSION)
    if not isinstance(version, int) or version > VERSION:
        raise HealthLinkTooNew
    url, flag = payload.get("url"), payload.get("flag") or ""
    if not isinstance(url, str) or not isinstance(flag, str) or not _is_address(url) or len(key) != KEY_BYTES:
        raise HealthLinkUnreadable
    if ("P" in flag) and ("U" in flag):
        raise HealthLinkUnreadable
    if _is_over(payload.get("exp"), now):
        raise HealthLinkExpired
    return LinkToRead(url, key, "P" in flag, "U" in flag)


def _is_address(url: str) -> bool:
    """Of a server, and of nobody's account at it."""
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and "@" not in parts.netloc and len(url) <= MOST_URL_LETTERS and url.isascii()
    except ValueError:
        return False


def _is_over(ends: Any, now: datetime) -> bool:
    """Its server decides; a link whose own date is over spares asking. What is no number says nothing."""
    return isinstance(ends, int | float) and not isinstance(ends, bool) and ends <= now.timestamp()
