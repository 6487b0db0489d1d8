"""Stylesheets, scripts and the icon. Their names contain a hash of the content, so browsers may keep them forever."""

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from starlette.responses import Response

from ficha.asgi.routes import Routes
from ficha.core.errors import NotFound
from ficha.http.etags import Caching, PublicCaching

FOLDER = Path(__file__).parents[1] / "static"
KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
FOR_GOOD = "public, max-age=31536000, immutable"
FOR_A_DAY = "public, max-age=86400"

# Search engines may list the front page only.
ROBOTS = "User-agent: *\nAllow: /$\nDisallow: /\n"

routes = Routes(include_in_schema=False)


@dataclass(frozen=True)
class Asset:
    url: str
    content: bytes
    kind: str

    def response(self, caching: PublicCaching, how_long: str) -> Response:
        return caching.file(self.content, self.kind, how_long)


@cache
def assets() -> dict[str, Asset]:
    """By file name: `ficha.css` → its address, content and type."""
    return {file.name: _asset(file) for file in sorted(FOLDER.iterdir()) if file.suffix in KINDS}


@cache
def _by_url() -> dict[str, Asset]:
    return {asset.url: asset for asset in assets().values()}


def _asset(file: Path) -> Asset:
    content = file.read_bytes()
    mark = hashlib.sha256(content).hexdigest()[:12]
    return Asset(f"/static/{file.stem}.{mark}{file.suffix}", content, KINDS[file.suffix])


@routes.page("/static/{name}")
def static(name: str, caching: Caching) -> Response:
    asset = _by_url().get(f"/static/{name}")
    if asset is None:
        raise NotFound
    return asset.response(caching, FOR_GOOD)


@routes.page("/favicon.ico")
def favicon(caching: Caching) -> Response:
    return assets()["icon.svg"].response(caching, FOR_A_DAY)


@routes.page("/robots.txt")
def robots(caching: Caching) -> Response:
    return caching.file(ROBOTS.encode(), "text/plain; charset=utf-8", FOR_A_DAY)


@routes.page("/push-worker.js")
def push_worker(caching: Caching) -> Response:
    """It shows notifications. Its address stays the same: browsers look there for a new version."""
    return assets()["push-worker.js"].response(caching, "no-cache")
