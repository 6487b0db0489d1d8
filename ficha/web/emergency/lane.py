"""The responder page as the fast lane serves it."""

from datetime import datetime

from starlette.requests import Request
from starlette.types import Scope

from ficha.http.fastlane.responder import Scanned
from ficha.web.emergency.scanned import Opened, Sealed, headers_of, page_of
from ficha.web.language import language_of


def draw(scope: Scope, scanned: Scanned, now: datetime) -> tuple[bytes, dict[str, str]]:
    request = Request(scope)
    entries = [Sealed(*entry) for entry in scanned.entries]
    opened = Opened(scanned.code, scanned.tag, scanned.record_id, scanned.key, entries, scanned.written_in)
    saved = {entry.model: entry.updated_at for entry in entries}
    page = page_of(opened, language_of(request), now, saved)
    return headers_of(page, request.headers.get("accept-encoding", ""))
