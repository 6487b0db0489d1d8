"""The responder page of an opened record, for both lanes: values in, bytes out."""

from datetime import datetime

from ficha.accounts.accounts import Idioma
from ficha.fmd.responder.build_view import responder_view
from ficha.fmd.responder.view import ResponderView
from ficha.web.kit.small_pages.page import render_small_page
from ficha.web.sticker.opened_record import OpenedRecord
from ficha.web.sticker.page_facts import BreakGlassForm, ResponderPage
from ficha.web.sticker.page_phrases import TEXTS
from ficha.web.sticker.record_markup import RecordMarkup
from ficha.web.sticker.script import SCRIPT

# While an alert is under way the page reloads, for phones without scripts.
REFRESH_SECONDS = 5


def render_opened(opened: OpenedRecord, language: Idioma, now: datetime) -> bytes:
    view = responder_view(
        opened.documents(),
        opened.door,
        now,
        language.value,
        written_in=opened.written_in,
        saved=opened.saved_at,
    )
    form = opened.form
    if form is None and opened.glass_until is None:
        form = BreakGlassForm(action=f"{opened.path}/mas", page=f"{opened.path}?mas=1&l={language.value}")
    page = ResponderPage(
        language=language,
        code=opened.code,
        read_at=now,
        alert_action=f"{opened.path}/avisar",
        fields={"l": language.value},
        glass=form,
        glass_until=opened.glass_until,
        alert=opened.alert,
        refresh=REFRESH_SECONDS if opened.alert is not None else 0,
        script=SCRIPT,
    )
    return render_responder(view, page)


def render_responder(view: ResponderView, page: ResponderPage) -> bytes:
    """The page does not reload while somebody is typing into the break-glass form."""
    is_typing = page.glass is not None and (page.glass.is_open or bool(page.glass.faults))
    refresh = 0 if is_typing else page.refresh
    body = RecordMarkup(view, TEXTS[page.language])
    return render_small_page("sticker/responder.html", TEXTS, page, view=view, body=body, refresh=refresh)
