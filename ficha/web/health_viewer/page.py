"""The viewer's page and its two files of words. The server sees neither the link nor its key: they stand after the `#`
of the address or are pasted, and only scripts of the page read them."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Idioma
from ficha.asgi.routes import Routes
from ficha.core.errors import NotFound
from ficha.exchange.health_links.payload import VIEWER_PATH as PAGE
from ficha.exchange.ips.sections import SECTIONS
from ficha.fmd.fhir_codes import LOINC, SYSTEMS
from ficha.fmd.terms import all_terms
from ficha.http.dependencies import Parts
from ficha.http.etags import Caching
from ficha.web.kit.assets import FOR_GOOD
from ficha.web.kit.rendering import POLICY, show
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("health_viewer", "viewer")
# Names of FHIR, in our words.
FIELDS = page_texts("health_viewer", "fhir_fields")
CODES = page_texts("health_viewer", "fhir_codes")
KINDS = page_texts("health_viewer", "fhir_kinds")
# What comes after the sections of a summary.
LAST_PARTS = ("contacts", "coverage", "others")

SCRIPTS = ("health-jose.js", "health-links.js", "health-cards.js", "health-facts.js", "health-viewer.js")
# Links are on any host, so this page's scripts alone may ask any (decision 45). The camera is for a QR.
HEADERS = {
    "Content-Security-Policy": f"{POLICY}; connect-src 'self' https:",
    "Permissions-Policy": "camera=(self), microphone=(), geolocation=()",
    "Referrer-Policy": "no-referrer",
}

routes = Routes(include_in_schema=False)


@dataclass(frozen=True)
class WordFile:
    """Kept by browsers for good: other words have another address."""

    url: str
    content: bytes


@routes.page(PAGE)
def viewer(request: Request, parts: Parts) -> Response:
    files = word_files()
    return show(
        request,
        "health_viewer/viewer.html",
        PHRASES,
        headers=HEADERS,
        scripts=SCRIPTS,
        issuers=parts.trusted_issuers.names,
        words=files["words"].url,
        terms=files["terms"].url,
    )


@routes.page(PAGE + "/{name}.{mark}.json")
def words(caching: Caching, name: str, mark: str) -> Response:
    file = word_files().get(name)
    if file is None or file.url != f"{PAGE}/{name}.{mark}.json":
        raise NotFound
    return caching.file(file.content, "application/json", FOR_GOOD)


@cache
def word_files() -> Mapping[str, WordFile]:
    """`words` is asked for with the page, `terms`, which is larger, once there is something to show: all of them, so
    that nobody learns which."""
    said = {
        "languages": list(Idioma),
        "phrases": {**PHRASES, **page_texts("kit", "every_page")},
        "sections": {section.code: section.title for section in SECTIONS},
        "order": [section.code for section in SECTIONS] + list(LAST_PARTS),
        "fields": FIELDS,
        "codes": CODES,
        "kinds": KINDS,
        "loinc": LOINC,
        "systems": {address: name for name, address in SYSTEMS.items()},
    }
    terms = {f"{term.sistema} {term.codigo}": term.words for term in reversed(all_terms())}
    return {"words": _word_file("words", said), "terms": _word_file("terms", terms)}


def _word_file(name: str, said: Mapping[str, Any]) -> WordFile:
    content = json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode()
    return WordFile(f"{PAGE}/{name}.{hashlib.sha256(content).hexdigest()[:12]}.json", content)
