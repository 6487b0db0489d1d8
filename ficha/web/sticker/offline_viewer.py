"""The page that reads a sticker's QR without a network, its service worker, and the public keys it checks with."""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from ficha.asgi.routes import Routes
from ficha.core.db import is_unavailable
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
from ficha.parts import Parts as ServiceParts
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


class OfflineFiles:
    """What the viewer needs of the database. While that does not answer it is what was read last: what a QR holds is
    then all that a stranger can read."""

    def __init__(self, parts: ServiceParts) -> None:
        self._parts = parts
        self._withdrawn: frozenset[str] | None = None
        self._keys: bytes | None = None

    def words(self) -> Words:
        try:
            with self._parts.database.reading() as tx:
                self._withdrawn = withdrawn_rules(tx).advice
        except Exception as error:
            if self._withdrawn is None or not is_unavailable(error):
                raise
        return words_without(self._withdrawn)

    def keys(self, now: datetime) -> bytes:
        """Creates the first key if there is none: a phone must have it before the first sticker is printed."""
        database, keyring = self._parts.database, self._parts.keyring
        try:
            ensure_signing_key(database, keyring, now)
            with database.reading() as tx:
                self._keys = json.dumps(public_key_set(signing_keys(tx, keyring))).encode()
        except Exception as error:
            if self._keys is None or not is_unavailable(error):
                raise
        return self._keys


def offline_files(request: Request) -> OfflineFiles:
    files: OfflineFiles = request.app.state.offline_files
    return files


@routes.page(PAGE)
def viewer(request: Request, parts: Parts) -> Response:
    country, words = parts.settings.emergency_country, offline_files(request).words()
    return show(request, TEMPLATE, PHRASES, calls_us=True, words=words.url, keys=KEYS, country=country)


@routes.page(PAGE + "/words.{mark}.json")
def words_file(request: Request, caching: Caching, mark: str) -> Response:
    words = offline_files(request).words()
    if words.url != f"{PAGE}/words.{mark}.json":
        raise NotFound
    return caching.file(words.content, "application/json", FOR_GOOD)


@routes.page(PAGE + "/worker.js")
def worker(request: Request) -> Response:
    script = worker_script(offline_files(request).words().url)
    return Response(script, media_type="text/javascript", headers=WORKER)


@routes.page(KEYS)
def keys(request: Request, now: Now, caching: Caching) -> Response:
    return caching.file(offline_files(request).keys(now), "application/json", FOR_AN_HOUR)


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
