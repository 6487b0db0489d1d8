"""The responder page of an opened record, for both lanes: values in, bytes out."""

from collections.abc import Mapping
from datetime import datetime
from math import ceil
from typing import Any

from ficha.accounts.accounts import Idioma
from ficha.core.phones import zone_of_country
from ficha.emergencies.contacts import has_reachable_contact, shares_position
from ficha.fmd.consent import CONSENT
from ficha.fmd.responder.build_view import responder_view
from ficha.fmd.responder.view import DAMAGED, ResponderView
from ficha.web.kit.small_pages.compression import JoinedPage
from ficha.web.sticker.page_facts import TEXTS, BreakGlassForm, Deployment, PositionForm, RelayForm, ResponderFacts
from ficha.web.sticker.responder_html import responder_html
from ficha.web.sticker.scanned_record import OpenedRecord
from ficha.web.sticker.script import SCRIPT

# While an alert is under way the page reloads, for phones without scripts.
REFRESH_SECONDS = 5


def render_opened(
    opened: OpenedRecord, language: Idioma, now: datetime, deployment: Deployment, phone_country: str = ""
) -> JoinedPage:
    """`phone_country` is where the reader's phone says that it is from."""
    documents, tag = opened.documents(), language.value
    view = responder_view(
        documents,
        opened.door,
        now,
        tag,
        written_in=opened.written_in or "",
        where=phone_country,
        deployed_in=deployment.country,
        saved=opened.saved_at,
        withdrawn=opened.withdrawn,
    )
    form, path = opened.form, opened.path
    if form is None and opened.glass_until is None:
        form = BreakGlassForm(action=f"{path}/mas", page=f"{path}?mas=1&l={tag}")
    has_contacts = _has_contacts(documents)
    page = ResponderFacts(
        language=language,
        code=opened.code,
        read_at=now,
        zone=zone_of_country(phone_country) or zone_of_country(deployment.country) or deployment.zone,
        alert_action=f"{path}/avisar",
        fields={"l": tag},
        glass=form,
        glass_until=opened.glass_until,
        alert=opened.alert,
        has_contacts=has_contacts and not opened.is_everybody_closed,
        has_on_call=deployment.has_on_call,
        position_form=_position_form(opened, language) if _shares_position(documents) else None,
        relay=_relay(opened, language) if opened.alert is not None and has_contacts else None,
        refresh=REFRESH_SECONDS if opened.alert is not None and not opened.alert.is_over else 0,
        reload=f"{path}?aviso=1&l={tag}",
        script=SCRIPT,
        notices=_notices(opened, language),
    )
    return render_responder(view, page)


def _notices(opened: OpenedRecord, language: Idioma) -> tuple[str, ...]:
    age = () if opened.age is None else (_age_notice(opened.age, language),)
    return (*age, opened.notice) if opened.notice else age


def _age_notice(seconds: float, language: Idioma) -> str:
    """How old what is shown may be."""
    minutes, rest = divmod(ceil(seconds), 60)
    age = f"{minutes} min {rest} s" if minutes else f"{rest} s"
    return str(TEXTS[language].from_replica.format(age=age))


def _relay(opened: OpenedRecord, language: Idioma) -> RelayForm:
    return opened.writing or RelayForm(f"{opened.path}/mensaje", f"{opened.path}?escribir=1&l={language.value}")


def _position_form(opened: OpenedRecord, language: Idioma) -> PositionForm:
    return opened.locating or PositionForm(f"{opened.path}/ubicacion", f"{opened.path}?lugar=1&l={language.value}")


def _has_contacts(documents: Mapping[str, Any]) -> bool:
    """Whether an alert can reach anybody of the family, also whom the owner hides from strangers. One that cannot be
    read may be there."""
    document = documents.get("emergencia")
    return document is DAMAGED or has_reachable_contact(document)


def _shares_position(documents: Mapping[str, Any]) -> bool:
    return documents.get(CONSENT) is DAMAGED or shares_position(documents)


def render_responder(view: ResponderView, page: ResponderFacts) -> JoinedPage:
    """The page does not reload while somebody is typing into one of its forms."""
    is_typing = page.glass is not None and (page.glass.is_open or bool(page.glass.faults))
    is_typing = is_typing or (page.relay is not None and page.relay.is_open)
    is_typing = is_typing or (page.position_form is not None and page.position_form.is_open)
    refresh = 0 if is_typing else page.refresh
    return responder_html(view, page, refresh)
