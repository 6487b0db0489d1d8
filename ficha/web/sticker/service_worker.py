"""The service worker of the responder page: it keeps a copy for when the network fails."""

import json

from starlette.requests import Request
from starlette.responses import Response

from ficha.asgi.routes import Routes
from ficha.web.kit.small_pages.content_policy import policy
from ficha.web.kit.texts import page_texts
from ficha.web.sticker.script import SCRIPT, STATIC
from ficha.web.sticker.sticker_path import Code, Tag

routes = Routes(include_in_schema=False)

KEPT_COPY = page_texts("sticker", "service_worker")["kept_copy"]


def _worker() -> str:
    """The script with its constants: it shows a copy under the policy that the page itself has."""
    known = {"POLICY": policy(SCRIPT), "KEPT": KEPT_COPY.as_json()}
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
