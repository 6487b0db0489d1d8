"""The scripts of a sticker's pages. One is inline: the position for an alert, live progress, a copy for when the
network fails. The other is the service worker that keeps that copy. Every page works without them."""

import json
import re
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from ficha.asgi.routes import Routes
from ficha.web.kit.small_pages.content_policy import policy
from ficha.web.kit.texts import page_texts
from ficha.web.sticker.page_facts import Code, Tag

STATIC = Path(__file__).parents[1] / "static"


def _inlined(name: str) -> str:
    """Without comments and indentation, which would cost every reader bytes on the first round trip."""
    lines = (line.strip() for line in (STATIC / name).read_text("utf-8").splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def _numbers_of_zones() -> dict[str, str]:
    """`911Caracas Asuncion,123Bogota` in the script: the emergency number of each city that names a time zone."""
    found = re.search(r'const zones = "([^"]*)"', SCRIPT)
    assert found
    return {city: row[:3] for row in found.group(1).split(",") for city in row[3:].split()}


SCRIPT = _inlined("responder.js")
NUMBERS_OF_ZONES = _numbers_of_zones()
# Of the page that stands in for the others while we cannot answer.
UNAVAILABLE_SCRIPT = f"const numbers = {json.dumps(NUMBERS_OF_ZONES)};\n{_inlined('unavailable.js')}"


routes = Routes(include_in_schema=False)

KEPT_COPY = page_texts("sticker", "service_worker")["kept_copy"]


def _worker() -> str:
    """The script with its constants: it shows a copy under the policy that the page itself has."""
    known = {"POLICY": policy(SCRIPT), "KEPT": KEPT_COPY._asdict()}
    constants = ", ".join(f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in known.items())
    return f"const {constants};\n{(STATIC / 'responder-worker.js').read_text('utf-8').strip()}"


WORKER = _worker()


@routes.get("/e/{code}/{tag}/sw.js")
@routes.get("/E/{code}/{tag}/sw.js")
def service_worker(request: Request, code: Code, tag: Tag) -> Response:
    """The same for every address: it does not tell whether there is such a sticker."""
    scope = request.url.path.removesuffix("/sw.js")
    return Response(
        WORKER,
        media_type="text/javascript",
        headers={
            "Service-Worker-Allowed": scope,
            "Cache-Control": "no-cache",
            # It fetches the page anew; the policy every answer has would not let it.
            "Content-Security-Policy": "default-src 'none'; connect-src 'self'",
        },
    )
