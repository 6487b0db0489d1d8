"""The API reference, made from the OpenAPI document we serve."""

import json
import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from ficha.accounts.accounts import Idioma
from ficha.asgi.faults import FAULT_SENTENCES, OTHER_FAULT, REPEATED_PARAMETER, UNKNOWN_PARAMETER
from ficha.asgi.routes import Routes
from ficha.core.errors import TITLES, FichaError
from ficha.core.settings import Settings
from ficha.exchange.health_links.file_addresses import EXAMPLE_MARK, file_mark
from ficha.exchange.health_links.files import FileKind
from ficha.fmd.translations import Translated
from ficha.http.dependencies import Parts as AskedParts
from ficha.http.errors import OWN_FAULT_TYPES
from ficha.http.etags import gzip_accepted
from ficha.http.openapi import dated_document
from ficha.parts import Parts
from ficha.photos.photos import DEMO_NAME, EXAMPLE_LINK, link_to
from ficha.web.docs.openapi_document import kept
from ficha.web.docs.reference import Area, Here, areas_of
from ficha.web.kit.language import asked_language, language_of
from ficha.web.kit.rendering import show
from ficha.web.kit.small_pages.compression import compress
from ficha.web.kit.texts import page_texts

routes = Routes(include_in_schema=False)

# Further settings that are limits, each with the unit of its number.
SIZES = {
    "json_bytes": "bytes",
    "upload_bytes": "bytes",
    "webhook_bytes": "bytes",
    "body_seconds": "s",
    "picture_pixels": "px",
    "account_records": "",
}
# The settings of what a platform takes, by the security scheme of the document.
PLATFORM_SECRETS = {
    "platform": "whatsapp_token",
    "signature": "whatsapp_app_secret",
    "chatwoot": "chatwoot_token",
    "desk_signature": "chatwoot_webhook_secret",
}
# A link in the reference: whoever reads the page has a day to try it.
PHOTO_MINUTES = 24 * 60
PHRASES = page_texts("docs", "reference")


@dataclass(frozen=True)
class ShownLimit:
    label: Translated
    variable: str
    value: str


@dataclass(frozen=True)
class Refusal:
    """An error code with its status, and its sentence as it is sent, in Spanish."""

    status: int
    code: str
    sentence: str


class PageKey(NamedTuple):
    language: Idioma
    asked: Idioma | None
    compressed: bool


@dataclass(frozen=True)
class Reference:
    areas: list[Area]
    callers: list[str]
    limits: list[ShownLimit]
    refusals: list[Refusal]
    field_refusals: list[Refusal]


@dataclass(frozen=True)
class WrittenPages:
    """The reference, and the pages that show it, each written when it is asked for."""

    reference: Reference
    pages: dict[PageKey, HTMLResponse]


@routes.page("/docs")
def docs_page(request: Request, parts: AskedParts) -> Response:
    """Rendered and compressed once for each language, with and without a choice in its links: it takes long, and
    neither the operations nor the settings change while the service runs. What is in the examples does."""
    now = parts.clock.now()
    written = kept(request.app.state, "docs", now, lambda: WrittenPages(_reference(request, parts, now), {}))
    compressed = gzip_accepted(request.headers.get("accept-encoding", ""))
    key = PageKey(language_of(request), asked_language(request), compressed)
    if key not in written.pages:
        written.pages[key] = _page(request, parts, written.reference, compressed=compressed)
    return written.pages[key]


def _page(request: Request, parts: Parts, reference: Reference, *, compressed: bool) -> HTMLResponse:
    language, settings = language_of(request), parts.settings
    page = show(
        request,
        "docs/page.html",
        PHRASES,
        calls_us=True,
        described=lambda english: described(english, language),
        reference=reference,
        settings=settings,
        titles=TITLES,
    )
    page.headers["Vary"] = "Accept-Language, Accept-Encoding"
    if compressed:
        compress(page)
    return page


def _reference(request: Request, parts: Parts, now: datetime) -> Reference:
    areas = areas_of(json.loads(dated_document(request.app.openapi(), now)), here(parts))
    callers = {operation.callers: None for area in areas for operation in area.operations}
    return Reference(areas, list(callers), limits_of(parts.settings), refusals(), field_refusals())


def here(parts: Parts) -> Here:
    """With the tokens and secrets of the sandbox, which are no secrets: of any other not one is shown. The photo and
    the shared file are the demo's."""
    settings = parts.settings
    if settings.in_production:
        return Here(settings.public_url, {}, {})
    known = {scheme: getattr(settings, name) for scheme, name in PLATFORM_SECRETS.items()}
    secrets = {
        scheme: value.get_secret_value()
        for scheme, value in known.items()
        if value == Settings.model_fields[PLATFORM_SECRETS[scheme]].default
    }
    if not settings.payments_secret.get_secret_value():
        secrets["payment_signature"] = settings.payment_key  # The sandbox's.
    photo = link_to(parts.secrets, DEMO_NAME, parts.clock.now(), PHOTO_MINUTES)
    mark = file_mark(parts.secrets, 1, FileKind.SUMMARY, parts.clock.now())
    return Here(settings.public_url, secrets, {EXAMPLE_LINK: photo, EXAMPLE_MARK: mark})


def limits_of(settings: Settings) -> list[ShownLimit]:
    """Every limit that a caller can meet: how often, how large, how many, how long."""
    names = [name for name in type(settings).model_fields if name.startswith("limit_") or name in SIZES]
    return [ShownLimit(_label(settings, name), f"FICHA_{name.upper()}", _shown(name, settings)) for name in names]


def _shown(name: str, settings: Settings) -> str:
    value = getattr(settings, name)
    if isinstance(value, str):
        return value
    number = f"{value:_g}" if isinstance(value, float) else f"{value:_}"
    return f"{number} {SIZES[name]}".replace("_", " ").rstrip()


def _label(settings: Settings, name: str) -> Translated:
    """The phrase of a setting, or its description in English: a new setting needs no phrase."""
    description = type(settings).model_fields[name].description or ""
    return PHRASES.get(name) or Translated(description, description, description)


def refusals() -> list[Refusal]:
    """All error classes of the service, wherever they are defined."""
    found = {(kind.status, kind.code): Refusal(kind.status, kind.code, kind.message) for kind in _kinds(FichaError)}
    return [found[key] for key in sorted(found)]


def field_refusals() -> list[Refusal]:
    """The error codes for one field of a request, always with status 422."""
    found = dict.fromkeys(OWN_FAULT_TYPES, "")
    for code, sentence in (*FAULT_SENTENCES.values(), UNKNOWN_PARAMETER, REPEATED_PARAMETER, OTHER_FAULT):
        found.setdefault(code, _Blank().format(sentence))
    return [Refusal(422, code, found[code]) for code in sorted(found)]


class _Blank(string.Formatter):
    """Puts `…` where a number of the schema would be."""

    def get_value(self, key: int | str, args: object, kwargs: object) -> str:
        return "…"


def _kinds(parent: type[FichaError]) -> Iterator[type[FichaError]]:
    for kind in parent.__subclasses__():
        if kind.__module__.startswith("ficha."):
            yield kind
        yield from _kinds(kind)


class Description(NamedTuple):
    text: str
    language: Idioma


def described(english: str, language: Idioma) -> Description:
    """A description of the OpenAPI document in the reader's language: `descriptions.json` has each in Spanish and
    Portuguese, by its English words; a test asks for all. One that is not there stays English, and the page says so."""
    english = " ".join(english.split())
    known = _translations().get(english)
    if known is None:
        return Description(english, Idioma.EN)
    return Description(known.in_language(language), language)


@cache
def _translations() -> Mapping[str, Translated]:
    said = json.loads(files("ficha.web.docs").joinpath("descriptions.json").read_text("utf-8"))
    return {english: Translated(es, english, pt) for english, (es, pt) in said.items()}
