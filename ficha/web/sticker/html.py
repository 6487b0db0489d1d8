"""From what is known to bytes of HTML. Templates escape every value; only our style and script stand as they are."""

from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING

from ficha.accounts.accounts import Idioma
from ficha.fmd.responder.dates_and_amounts import clock_said, moments_ago
from ficha.fmd.responder.view import ResponderView
from ficha.web.contact import phrases
from ficha.web.kit.content_policy import inline, style
from ficha.web.kit.language import PARAMETER
from ficha.web.kit.rendering import environment
from ficha.web.sticker import page_phrases
from ficha.web.sticker.page_facts import AckFacts, EndedFacts, Frame, PageFacts, TypedFacts
from ficha.web.sticker.record_markup import Body

if TYPE_CHECKING:
    from jinja2 import Template

PHRASES = {"responder": page_phrases.PHRASES, "ack": phrases.PHRASES}


def render(view: ResponderView, page: PageFacts) -> bytes:
    """The responder page. It does not reload itself under somebody who is typing."""
    is_typing = page.glass is not None and (page.glass.is_open or bool(page.glass.faults))
    refresh = 0 if is_typing else page.refresh
    body = Body(view, _said("responder", page.language))
    return _rendered("sticker/page", "responder", page, view=view, body=body, refresh=refresh)


def render_typed(facts: TypedFacts) -> bytes:
    """A typed code: nothing clinical. Once the alert was asked for, the same page says so."""
    return _rendered("sticker/typed", "responder", facts)


def render_ended(facts: EndedFacts) -> bytes:
    """A sticker that no longer opens anything."""
    return _rendered("sticker/ended", "responder", facts)


def render_ack(facts: AckFacts) -> bytes:
    """What a contact who was alerted sees, before and after answering."""
    ago = moments_ago(facts.since, facts.now, facts.language) if facts.since and facts.now else ""
    return _rendered("contact/answer", "ack", facts, ago=ago)


def _rendered(template: str, phrases: str, page: Frame, **values: object) -> bytes:
    html = _template(template).render(
        page=page,
        t=_said(phrases, page.language),
        style=style(),
        script=inline(page.script),
        switch=[(one.value, page.switch.get(one) or f"?{PARAMETER}={one.value}") for one in Idioma],
        clock=clock_said,
        **{"refresh": page.refresh, **values},
    )
    # A text that is no text any more must not cost the reader the page.
    return html.encode("utf-8", "replace")


@cache
def _template(name: str) -> "Template":
    return environment().get_template(f"{name}.html")


@cache
def _said(phrases: str, language: Idioma) -> SimpleNamespace:
    return SimpleNamespace(**{key: getattr(said, language.value) for key, said in PHRASES[phrases].items()})
