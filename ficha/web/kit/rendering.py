"""Renders a template as a page, in the reader's language and with a strict Content-Security-Policy."""

import re
from collections.abc import Mapping
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse

from ficha.accounts.accounts import Idioma
from ficha.fmd.dates_and_amounts import zoned_text
from ficha.http.browser import FORM_TOKEN, PageBrowser
from ficha.parts import Parts
from ficha.web.kit.assets import assets
from ficha.web.kit.forms import FieldFault, FieldRefused
from ficha.web.kit.language import LANGUAGE_NAMES, PARAMETER, Phrases, asked_language, language_of, translator
from ficha.web.kit.texts import page_texts

if TYPE_CHECKING:
    from jinja2 import Environment

EVERY_PAGE = page_texts("kit", "every_page")
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
CALLS_US = "; connect-src 'self'"
FRAMES_US = "; frame-src 'self'"

# Of a form that is drawn again with what was sent. What is stored nowhere cannot be shown again when somebody goes back
# to it: she would read that the page has expired. Logging out empties the browser's cache.
REDRAWN = {"Cache-Control": "private, no-cache"}

TICKS = re.compile(r"`([^`]+)`")
LINK = re.compile(r"https?://[^\s<>\"']+[^\s<>\"'.,;:!?)\]]")


def show(
    request: Request,
    template: str,
    phrases: Phrases,
    *,
    status: int = 200,
    calls_us: bool = False,
    frames_us: bool = False,
    listens: bool = False,
    headers: Mapping[str, str] | None = None,
    **values: object,
) -> HTMLResponse:
    """`calls_us` is for pages whose script asks our own server for something, `frames_us` for those that show another
    page of ours inside; one that `listens` keeps itself up to date by the stream of events (`live.js`), as all pages of
    the family do. Of the values that every template has, `csrf` stands inside each form of a page for which one
    logs in (signed_in.py)."""
    language, zone = language_of(request), service_zone(request)
    asked = asked_language(request)
    is_live = listens or _is_of_family(request)
    html = (
        environment()
        .get_template(template)
        .render(
            t=translator(language, phrases, EVERY_PAGE),
            language=language,
            language_names=LANGUAGE_NAMES,
            languages=list(Idioma),
            asked=asked,
            link=lambda path: _link(path, asked),
            is_answer=request.method == "POST",
            in_language=_in_languages(request).__getitem__,
            asset=lambda name: assets()[name].url,
            csrf=_csrf_field(request),
            when=lambda cell: zoned_text(datetime.fromisoformat(cell.iso), zone, language.value),
            is_live=is_live,
            **values,
        )
    )
    policy = POLICY + (CALLS_US if calls_us or is_live else "") + (FRAMES_US if frames_us else "")
    kept = {"Content-Security-Policy": policy, "Content-Language": language.value, "Vary": "Accept-Language"}
    return HTMLResponse(html, status, kept | dict(headers or {}))


def show_form(
    request: Request,
    template: str,
    phrases: Phrases,
    wrong: FieldRefused | None = None,
    *,
    headers: Mapping[str, str] | None = None,
    **values: Any,
) -> HTMLResponse:
    """A page with a form; with `wrong`, as it comes back to be corrected."""
    if wrong is None:
        return show(request, template, phrases, headers=headers, faults=[], **values)
    sentence = translator(language_of(request), phrases)(wrong.phrase, **wrong.values)
    return show(
        request,
        template,
        phrases,
        status=wrong.status,
        headers={**(headers or {}), **wrong.headers},
        faults=[FieldFault(wrong.field, sentence)],
        **values,
    )


@cache
def environment() -> "Environment":
    """The templates. Every value is escaped, and a missing value is an error."""
    # Programs never need them.
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415

    from ficha.web.kit.template_loader import TemplateLoader  # noqa: PLC0415

    found = Environment(
        loader=TemplateLoader(Path(__file__).parents[1] / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    found.filters |= {"ticks": with_code, "links": with_links}
    return found


def with_code(text: str) -> Markup:
    """`words` between backticks, as our descriptions write them, become code."""
    return Markup(TICKS.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704  Escaped just before.


def with_links(text: str) -> Markup:
    """A plain text as HTML, with its addresses as links."""
    parts: list[Markup] = []
    end = 0
    for found in LINK.finditer(text):
        parts.append(escape(text[end : found.start()]))
        parts.append(Markup('<a href="{0}" rel="noreferrer">{0}</a>').format(found.group()))
        end = found.end()
    return Markup("").join([*parts, escape(text[end:])])


def _link(path: str, asked: Idioma | None) -> str:
    """Adds the language that was asked for to a link of ours."""
    if asked is None:
        return path
    path, mark, fragment = path.partition("#")
    joint = "&" if "?" in path else "?"
    return f"{path}{joint}{urlencode({PARAMETER: asked.value})}{mark}{fragment}"


def _in_languages(request: Request) -> dict[Idioma, str]:
    """This page in each language: the rest of its address stays."""
    others = [(name, value) for name, value in request.query_params.multi_items() if name != PARAMETER]
    kept = f"?{urlencode(others)}&" if others else "?"
    return {language: f"{kept}{PARAMETER}={language.value}" for language in Idioma}


def _is_of_family(request: Request) -> bool:
    """Whether somebody is logged in on a page of the family: it shows at once what happens (`live.js`)."""
    browser = getattr(request.state, "browser", None)
    return isinstance(browser, PageBrowser) and browser.secret is not None and request.url.path.startswith("/app")


def _csrf_field(request: Request) -> Markup:
    """What each form that posts has inside, where a session gives it any power."""
    browser = getattr(request.state, "browser", None)
    if not isinstance(browser, PageBrowser):
        return Markup("")
    return Markup('<input type="hidden" name="{}" value="{}">').format(FORM_TOKEN, browser.form_token())


def shown_time(request: Request, at: datetime) -> str:
    return zoned_text(at, service_zone(request), language_of(request))


def service_zone(request: Request) -> str:
    """Of those who run the service."""
    parts: Parts = request.app.state.parts
    return parts.settings.time_zone
