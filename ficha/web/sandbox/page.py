"""The routes of the sandbox page: the page, its version, and its forms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import urlencode, urlsplit

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from ficha.asgi.routes import Routes
from ficha.core.errors import NotFound
from ficha.http.browser import Browser, CsrfMismatch
from ficha.http.dependencies import Parts as AskedParts
from ficha.parts import Parts
from ficha.web.kit.forms import BadForm, FieldFault, PostedForm
from ficha.web.kit.language import PARAMETER, asked_language, language_of, translator
from ficha.web.kit.rendering import show
from ficha.web.kit.texts import page_texts
from ficha.web.sandbox.actions import ACTIONS, FAILURE_CODES, FIRST_FIELD, WrongField
from ficha.web.sandbox.control_client import SandboxRefused, SandboxUnreachable
from ficha.web.sandbox.helpdesk import HELPDESK_ACTIONS, anchor_of_conversation, helpdesk_panel, helpdesk_version
from ficha.web.sandbox.panels import PanelSource, jobs_panel, mail_panel
from ficha.web.sandbox.phones import anchor_of, phones_panel, phones_version

PHRASES = page_texts("sandbox", "sandbox")

PANELS = (
    PanelSource(phones_panel, phones_version),
    PanelSource(helpdesk_panel, helpdesk_version),
    PanelSource(mail_panel),
    PanelSource(jobs_panel),
)
LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")
# The form for a new person belongs to no phone.
NEW_PERSON = "nuevo"


@dataclass(frozen=True)
class RejectedForm:
    """A form that must be corrected: its action, its anchor on the page, what was typed, and what is wrong."""

    action: str
    anchor: str
    typed: Mapping[str, str]
    faults: Sequence[FieldFault]


NO_REJECTED_FORM = RejectedForm("", "", {}, ())


def require_development(request: Request, parts: AskedParts) -> None:
    """Raises NotFound, also under another host's name: a page of a stranger can give a name of its own our address, and
    read what is here through somebody's browser."""
    own = {urlsplit(parts.settings.public_url).hostname, *LOCAL_HOSTS}
    if parts.settings.in_production or request.url.hostname not in own:
        raise NotFound


def require_own_page(request: Request, parts: AskedParts) -> None:
    """Raises CsrfMismatch for a form that another site posts through somebody's browser. These forms need no cookie, so
    what counts are the headers by which browsers say where a form comes from."""
    is_same = request.headers.get("sec-fetch-site", "same-origin") == "same-origin"
    if not is_same or not Browser(request, parts).is_own_page:
        raise CsrfMismatch


routes = Routes(include_in_schema=False, dependencies=[Depends(require_development)])


@routes.page("/sandbox")
def sandbox_page(request: Request, parts: AskedParts) -> Response:
    return _page(request, parts, NO_REJECTED_FORM)


@routes.page("/sandbox/news")
def sandbox_news(parts: AskedParts, seen: str = "") -> Response:
    """The page's version, which its script asks for every few seconds. `seen` is the version that the page shows."""
    versions = seen.split(".")
    before = versions if len(versions) == len(PANELS) else [""] * len(PANELS)
    now = [source.version_since(parts, version) for source, version in zip(PANELS, before, strict=True)]
    return JSONResponse({"news": _page_version(now)})


@routes.post("/sandbox", dependencies=[Depends(require_own_page)])
def submit_action(request: Request, parts: AskedParts, form: PostedForm) -> Response:
    name = form.get("accion", "")
    by_agent, action = HELPDESK_ACTIONS.get(name), ACTIONS.get(name)
    if action is None and by_agent is None:
        raise BadForm
    anchor = NEW_PERSON if name == NEW_PERSON else anchor_of(form.get("persona", ""))
    if by_agent is not None:
        anchor = anchor_of_conversation(form.get("conversacion", ""))
    translate = translator(language_of(request), PHRASES)
    try:
        if by_agent is not None:
            anchor = by_agent(parts.settings, form)
        elif action is not None:
            anchor = anchor_of(action(parts.settings, form))
    except WrongField as wrong:
        fault = FieldFault(f"{anchor}-{wrong.field}", translate(wrong.phrase))
        return _page(request, parts, RejectedForm(name, anchor, form, [fault]))
    except SandboxRefused as refused:
        # Otherwise the page alone is shown again: the form may be about a message that is gone.
        if name in FIRST_FIELD:
            fault = FieldFault(f"{anchor}-{FIRST_FIELD[name]}", translate("refused", why=refused))
            return _page(request, parts, RejectedForm(name, anchor, form, [fault]))
    except SandboxUnreachable:
        anchor = "phones" if by_agent is None else "desk"  # Where the page says so, and what to do.
    asked = asked_language(request)
    query = f"?{urlencode({PARAMETER: asked.value})}" if asked else ""
    return RedirectResponse(f"/sandbox{query}#{anchor}", 303)


def _page(request: Request, parts: Parts, rejected: RejectedForm) -> Response:
    panels = [source.panel(parts) for source in PANELS]
    return show(
        request,
        "sandbox/page.html",
        PHRASES,
        status=422 if rejected.faults else 200,
        calls_us=True,
        panels=panels,
        news=_page_version([panel.version for panel in panels]),
        rejected=rejected,
        codes=FAILURE_CODES,
    )


def _page_version(versions: Sequence[str]) -> str:
    """The versions of all panels. Those that are numbers stay readable, so that their panel can be asked what changed
    since; the others are shortened."""
    return ".".join(each if each.isdigit() else sha256(each.encode()).hexdigest()[:8] for each in versions)
