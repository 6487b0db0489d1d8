"""What small pages may hold: one inline style, at most one inline script, each named by its hash in the policy."""

import base64
import hashlib
from functools import cache
from pathlib import Path

from markupsafe import Markup

FOLDER = Path(__file__).parents[2] / "templates" / "kit" / "small_pages"

POLICY = (
    "default-src 'none'; style-src {style}; script-src {script}; img-src 'self' data:; connect-src 'self'; "
    "worker-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


@cache
def style() -> Markup:
    """The whole stylesheet. It is inline because these pages must not wait for a second request."""
    return Markup((FOLDER / "style.css").read_text("utf-8").strip())  # noqa: S704  Ours.


@cache
def script_hash(script: str) -> str:
    """The hash in the form that a policy takes: `'sha256-…'`."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


@cache
def policy(script: str = "") -> str:
    """The Content-Security-Policy of a page that carries `script`."""
    return POLICY.format(style=script_hash(str(style())), script=script_hash(script) if script else "'none'")


@cache
def inline(script: str) -> Markup:
    """The script as markup. Raises ValueError for a script that would close its own element."""
    if "</script" in script.lower() or "<!--" in script:
        raise ValueError("a script must not close its own element")
    return Markup(script)  # noqa: S704  Ours; the policy runs it only by its hash.
