"""The addresses of a sticker: `/e/<code>/<tag>`, typed in small letters; a QR holds `/E/…`, all capitals."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import Path
from starlette.responses import RedirectResponse

from ficha.accounts.accounts import Idioma

Code = Annotated[str, Path(max_length=12)]
Tag = Annotated[str, Path(max_length=64)]


def sticker_path(code: str, tag: str) -> str:
    return f"/e/{code.upper()}/{tag.upper()}"


def redirect_to_page(code: str, tag: str, form: Mapping[str, str]) -> RedirectResponse:
    """To the page of the sticker, in the language that the form was sent in."""
    language = f"?l={form['l']}" if form.get("l") in set(Idioma) else ""
    return RedirectResponse(sticker_path(code, tag) + language, 303, {"Referrer-Policy": "no-referrer"})
