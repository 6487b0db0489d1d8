"""The form with which whoever is with the person writes to the family, or leaves a number to be called at.

Like its siblings in alert_form.py it carries no CSRF token: the sticker in the address is what gives it power. Only a
scanned sticker has it: whoever typed a code learns nothing of the family.
"""

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response

from ficha.asgi.routes import Routes
from ficha.asgi.threads import Pool
from ficha.core.phones import NotDialable, written_e164
from ficha.emergencies.opening import permission_by_tag
from ficha.emergencies.relay import Written, write_to_family
from ficha.emergencies.relay_lines import RelayFull
from ficha.fmd.access import FmdNotFound
from ficha.http.dependencies import Address, Limiter, Now
from ficha.http.dependencies import Parts as AskedParts
from ficha.http.limits import RateLimit, TooManyRequests
from ficha.web.kit.forms import PostedForm
from ficha.web.kit.language import language_in, region_of
from ficha.web.sticker.page_facts import RelayForm
from ficha.web.sticker.page_phrases import TEXTS
from ficha.web.sticker.scanned_page import scanned_response
from ficha.web.sticker.scanned_record import BREAK_GLASS_COOKIE, scan_record
from ficha.web.sticker.sticker_path import Code, Tag, redirect_to_page, sticker_path
from ficha.web.sticker.unopened_page import unopened_response

LONGEST_PHONE = 40

routes = Routes(include_in_schema=False, pool=Pool.URGENT)


@routes.post("/e/{code}/{tag}/mensaje")
@routes.post("/E/{code}/{tag}/mensaje")
def write_by_tag(
    request: Request,
    parts: AskedParts,
    limiter: Limiter,
    address: Address,
    now: Now,
    code: Code,
    tag: Tag,
    form: PostedForm,
) -> Response:
    """What was typed stays on the page where it cannot be sent."""
    language, t = language_in(form, request), TEXTS[language_in(form, request)]

    def again(fault: str, status: int) -> Response:
        typed = RelayForm(
            f"{sticker_path(code, tag)}/mensaje",
            words=form.get("mensaje", ""),
            phone=form.get("telefono", "")[:LONGEST_PHONE],
            fault=fault,
            is_open=True,
        )
        return scanned_response(request, parts, address, now, code, tag, language, None, status, writing=typed)

    try:
        limiter.hit_address(request, RateLimit.RELAY, address)
    except TooManyRequests as refusal:
        page = again(t.relay_too_many, refusal.status)
        page.headers.update(refusal.headers)
        return page
    try:
        region = region_of(request) or parts.settings.emergency_country
        written = Written(form.get("mensaje", ""), phone_in(form, region), form.get("vez", "")[:10])
    except NotDialable:
        return again(t.relay_no_phone, 422)
    try:
        with parts.database.writing() as tx:
            fmd = scan_record(tx, parts, code, tag, request.cookies.get(BREAK_GLASS_COOKIE), now)
            permission = permission_by_tag(fmd, address)
            write_to_family(tx, permission, parts.secrets, written, parts.settings.relay_messages, now)
    except FmdNotFound as refusal:
        return unopened_response(request, parts, address, now, language, code, refusal)
    except RelayFull as refusal:
        return again(t.relay_full, refusal.status)
    return redirect_to_page(code, tag, form)


def phone_in(form: Mapping[str, str], region: str) -> str:
    """In E.164; empty where none was left. Raises NotDialable."""
    phone = form.get("telefono", "").strip()
    return written_e164(phone[:LONGEST_PHONE], region) if phone else ""
