"""A page that loads itself again while somebody has it open (`live.js`). What it showed is sent along and comes back as
a seal, so that a page with nothing new is neither sent nor noted as another look. What is new is always noted."""

import hashlib
import hmac
from datetime import datetime, timedelta
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from ficha.core.secrets import Secrets

# What the open page shows, as it was told.
HEADER = "X-Ficha-Shown"
# After so long an open page is looked at anew.
LASTS = timedelta(hours=1)


class PageView(NamedTuple):
    """`seal` goes into the page; `continues` a look that was noted before, and `is_same` if there is nothing new."""

    seal: str
    continues: bool
    is_same: bool


def page_view(request: Request, secrets: Secrets, about: str, shown: object, now: datetime) -> PageView:
    """`about` says who looks at what: the seal of another reader or page counts for nothing. `shown` are all values of
    the page, without those that only say how long ago something was."""
    content = hashlib.sha256(repr(shown).encode()).hexdigest()[:16]
    before, looked, proof = (*request.headers.get(HEADER, "").split("."), "", "", "")[:3]
    is_ours = hmac.compare_digest(proof.encode(), _proof(secrets, about, before, looked).encode())
    continues = is_ours and int(looked) > (now - LASTS).timestamp()
    since = looked if continues else str(int(now.timestamp()))
    seal = ".".join((content, since, _proof(secrets, about, content, since)))
    return PageView(seal, continues, continues and before == content)


def nothing_new() -> Response:
    return Response(status_code=204)


def _proof(secrets: Secrets, about: str, content: str, looked: str) -> str:
    return secrets.keyed_hash("page.view", f"{about}:{content}:{looked}").hex()[:32]
