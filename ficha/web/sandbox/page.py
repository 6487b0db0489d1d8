"""The page itself, the word that says whether it is still fresh, and what its forms post."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import urlencode

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from ficha.core.errors import NotFound
from ficha.http.browser import Browser, CsrfMismatch
from ficha.http.dependencies import Parts as AskedParts
from ficha.http.page_route import PageRoute
from ficha.http.routes import Routes
from ficha.parts import Parts
from ficha.web.kit.forms import BadForm, Fault, PostedForm
from ficha.web.kit.language import PARAMETER, asked_language, language_of, translator
from ficha.web.kit.rendering import show
from ficha.web.sandbox.actions import ACTIONS, CODES, FIRST_FIELD, Wrong
from ficha.web.sandbox.control import Declined, NoSandbox
from ficha.web.sandbox.panels import Source, jobs_panel, mail_panel
from ficha.web.sandbox.phone_phrases import PHRASES as PHONES
from ficha.web.sandbox.phones import anchor_of, phones_news, phones_panel
from ficha.web.sandbox.phrases import PHRASES

SOURCES = (Source(phones_panel, phones_news), Source(mail_panel), Source(jobs_panel))
WORDS = {**PHRASES, **PHONES}
# The form for somebody new belongs to no phone.
NEW = "nuevo"


@dataclass(frozen=True)
class Draft:
    """A form that has to be corrected: which one, on whose phone, and what was typed."""

    action: str
    place: str
    typed: Mapping[str, str]
    faults: Sequence[Fault]


NO_DRAFT = Draft("", "", {}, ())


def in_development(parts: AskedParts) -> None:
    if parts.settings.in_production:
        raise NotFound


def from_our_page(request: Request, parts: AskedParts) -> None:
    """Another site must not write in a contact's name through somebody's browser. No cookie gives these forms their
    power, so it is the browser's own word that counts: every one of them says where a form was posted from."""
    is_same = request.headers.get("sec-fetch-site", "same-origin") == "same-origin"
    if not is_same or not Browser(request, parts).is_own_page:
        raise CsrfMismatch


routes = Routes(route_class=PageRoute, include_in_schema=False, dependencies=[Depends(in_development)])


@routes.page("/sandbox")
def sandbox_page(request: Request, parts: AskedParts) -> Response:
    return _page(request, parts, NO_DRAFT)


@routes.page("/sandbox/news")
def sandbox_news(parts: AskedParts, seen: str = "") -> Response:
    """One word that changes when there is something new: the page's script asks for it now and then."""
    words = seen.split(".")
    before = words if len(words) == len(SOURCES) else [""] * len(SOURCES)
    news = [source.news_since(parts, word) for source, word in zip(SOURCES, before, strict=True)]
    return JSONResponse({"news": _word(news)})


@routes.post("/sandbox", dependencies=[Depends(from_our_page)])
def act(request: Request, parts: AskedParts, form: PostedForm) -> Response:
    name = form.get("accion", "")
    action = ACTIONS.get(name)
    if action is None:
        raise BadForm
    place = NEW if name == NEW else anchor_of(form.get("persona", ""))
    say = translator(language_of(request), WORDS)
    try:
        place = anchor_of(action(parts.settings, form))
    except Wrong as wrong:
        fault = Fault(f"{place}-{wrong.field}", say(wrong.phrase))
        return _page(request, parts, Draft(name, place, form, [fault]))
    except Declined as refusal:
        # A message that is gone, for one: the page shows how things are now.
        if name in FIRST_FIELD:
            fault = Fault(f"{place}-{FIRST_FIELD[name]}", say("declined", why=refusal))
            return _page(request, parts, Draft(name, place, form, [fault]))
    except NoSandbox:
        place = "phones"  # Where the page says so, and what to do.
    asked = asked_language(request)
    query = f"?{urlencode({PARAMETER: asked.value})}" if asked else ""
    return RedirectResponse(f"/sandbox{query}#{place}", 303)


def _page(request: Request, parts: Parts, draft: Draft) -> Response:
    panels = [source.panel(parts) for source in SOURCES]
    return show(
        request,
        "sandbox/page.html",
        WORDS,
        status=422 if draft.faults else 200,
        calls_us=True,
        panels=panels,
        news=_word([panel.news for panel in panels]),
        draft=draft,
        codes=CODES,
    )


def _word(news: Sequence[str]) -> str:
    """Each panel's own, so that each can be asked what came since. Numbers stay as they are: the phones' is one."""
    return ".".join(each if each.isdigit() else sha256(each.encode()).hexdigest()[:8] for each in news)
