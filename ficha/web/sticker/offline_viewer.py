"""The page that reads a sticker's QR without a network, its service worker, and the public keys it checks with."""

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from ficha.asgi.routes import Routes
from ficha.core.errors import NotFound
from ficha.fmd.dates_and_amounts import MONTHS
from ficha.fmd.offline import packing
from ficha.fmd.offline.keys import ensure_signing_key, public_key_set, signing_keys
from ficha.fmd.offline.wording import references
from ficha.fmd.responder.emergency_numbers import BY_COUNTRY, countries_of_prefixes
from ficha.fmd.rules.advice import Advice, all_advice
from ficha.fmd.rules.withdrawn_rules import withdrawn_rules
from ficha.fmd.translations import Translated
from ficha.http.dependencies import Now, Parts
from ficha.http.etags import Caching
from ficha.web.kit.assets import FOR_GOOD, assets
from ficha.web.kit.rendering import show
from ficha.web.kit.texts import page_texts
from ficha.web.sticker.script import NUMBERS_OF_ZONES

PHRASES = {**page_texts("kit", "every_page"), **page_texts("kit", "emergency_call"), **page_texts("sticker", "offline")}

routes = Routes(include_in_schema=False)

PAGE = "/e/offline"
KEYS = "/.well-known/ficha-keys.json"
TEMPLATE = "sticker/offline.html"
FOR_AN_HOUR = "public, max-age=3600"
# Its scope includes the responder pages, which it replaces without a network: /e/… when typed, /E/… when scanned.
WORKER = {
    "Service-Worker-Allowed": "/",
    "Content-Security-Policy": "default-src 'none'; connect-src 'self'",
    "Cache-Control": "no-cache",
}


@dataclass(frozen=True)
class Words:
    """All texts of the viewer, and the dictionaries of the compression."""

    url: str
    content: bytes


@routes.page(PAGE)
def viewer(request: Request, parts: Parts) -> Response:
    country, words = parts.settings.emergency_country, _current_words(parts)
    return show(request, TEMPLATE, PHRASES, calls_us=True, words=words.url, keys=KEYS, country=country)


@routes.page(PAGE + "/words.{mark}.json")
def words_file(parts: Parts, caching: Caching, mark: str) -> Response:
    words = _current_words(parts)
    if words.url != f"{PAGE}/words.{mark}.json":
        raise NotFound
    return caching.file(words.content, "application/json", FOR_GOOD)


@routes.page(PAGE + "/worker.js")
def worker(parts: Parts) -> Response:
    return Response(worker_script(_current_words(parts).url), media_type="text/javascript", headers=WORKER)


@routes.page(KEYS)
def keys(parts: Parts, now: Now, caching: Caching) -> Response:
    """Creates the first key if there is none: a phone must have it before the first sticker is printed."""
    ensure_signing_key(parts.database, parts.keyring, now)
    with parts.database.reading() as tx:
        found = signing_keys(tx, parts.keyring)
    return caching.file(json.dumps(public_key_set(found)).encode(), "application/json", FOR_AN_HOUR)


def _current_words(parts: Parts) -> Words:
    with parts.database.reading() as tx:
        return words_without(withdrawn_rules(tx).advice)


@lru_cache(maxsize=2)
def words_without(withdrawn: frozenset[str]) -> Words:
    """Without the advice that was withdrawn, whose names stand in printed QR codes: the viewer leaves out what it does
    not know. Other words have another address, so phones fetch them when they next have a network."""
    content = json.dumps(
        {
            "phrases": PHRASES,
            "words": {name: found[1:] for name, found in references().items()},
            "months": MONTHS,
            "numbers": BY_COUNTRY,
            "zones": NUMBERS_OF_ZONES,
            "prefixes": countries_of_prefixes(),
            "advice": {
                one.id: _advice_words(one) for one in all_advice().values() if withdrawn.isdisjoint((one.id, one.line))
            },
            "dictionaries": {packing.FORMAT: packing.dictionary().decode()},
        },
        ensure_ascii=False,
        separators=(",", ":"),
    ).encode()
    return Words(f"{PAGE}/words.{hashlib.sha256(content).hexdigest()[:12]}.json", content)


def _advice_words(one: Advice) -> dict[str, Translated]:
    """The script shows `staff` where there is some, and `rescue` where a sticker says where something is kept."""
    words = {"title": one.title, "do": one.do, "dont": one.dont}
    if one.staff:
        words["staff"] = one.staff
    if one.rescue:
        words["rescue"] = one.rescue.words
    return words


@lru_cache(maxsize=2)
def worker_script(words_url: str) -> bytes:
    """The script with the list of files that it keeps. A change of any file changes it, so phones fetch all again."""
    body = assets()["offline-worker.js"].content
    names = ("ficha.css", "offline.css", "offline.js", "offline-keep.js", "icon.svg")
    files = [words_url, *(assets()[name].url for name in names)]
    folder = Path(__file__).parents[1] / "templates"
    sources = b"".join((folder / name).read_bytes() for name in ("kit/base.html", TEMPLATE))
    version = hashlib.sha256(b"\0".join([body, sources, *(file.encode() for file in files)])).hexdigest()[:12]
    kept = json.dumps({"version": version, "page": PAGE, "keys": KEYS, "files": files})
    return f"self.fichaOffline = {kept};\n".encode() + body
