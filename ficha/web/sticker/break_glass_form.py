"""The form that breaks the glass: whoever gives a name and a reason sees more of the record for an hour.

It carries no CSRF token on purpose: no cookie gives it any power, the sticker in the address does.
"""

from datetime import timedelta

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Idioma
from ficha.asgi.routes import Routes
from ficha.asgi.threads import Pool
from ficha.emergencies.alert_progress import current_emergency
from ficha.emergencies.emergency import PermissionSource
from ficha.emergencies.opening import end_quiet
from ficha.emergencies.quiet_time import BROKEN_GLASS, ScanProof
from ficha.fmd.access import FmdNotFound
from ficha.fmd.break_glass import DURATION, break_glass
from ficha.fmd.scanning import scan
from ficha.http.dependencies import Address, Limiter, Now, Parts
from ficha.http.limits import RateLimit, TooManyRequests
from ficha.notices.notices import ReaderKind, queue_notice
from ficha.web.kit.forms import FieldFault, PostedForm
from ficha.web.kit.language import language_in
from ficha.web.kit.texts import page_texts
from ficha.web.sticker.page_facts import BreakGlassForm, Code, Tag, redirect_to_page, sticker_path
from ficha.web.sticker.scanned_page import scanned_response
from ficha.web.sticker.scanned_record import BREAK_GLASS_COOKIE
from ficha.web.sticker.unopened_page import unopened_response

PHRASES = page_texts("sticker", "break_glass")


routes = Routes(include_in_schema=False, pool=Pool.URGENT)

LONGEST_NAME, LONGEST_REASON = 120, 500


@routes.post("/e/{code}/{tag}/mas")
@routes.post("/E/{code}/{tag}/mas")
def break_the_glass(
    request: Request,
    parts: Parts,
    limiter: Limiter,
    address: Address,
    now: Now,
    code: Code,
    tag: Tag,
    form: PostedForm,
) -> Response:
    who, why = " ".join(form.get("quien", "").split()), form.get("motivo", "").strip()
    language = language_in(form, request)
    path = sticker_path(code, tag)
    if faults := _faults(who, why, language):
        refused = BreakGlassForm(action=f"{path}/mas", who=who[:LONGEST_NAME], why=why[:LONGEST_REASON], faults=faults)
        return scanned_response(request, parts, address, now, code, tag, language, refused, status=422)
    try:
        limiter.hit(request, RateLimit.GLASS, sticker_path(code, tag))
        limiter.hit_address(request, RateLimit.GLASS_ADDRESS, address)
    except TooManyRequests as refusal:
        # The page stays: whom to call, the stop signs, and the alert.
        fault = FieldFault("motivo", PHRASES["too_many"].in_language(language))
        form_again = BreakGlassForm(action=f"{path}/mas", who=who, why=why, faults=(fault,))
        page = scanned_response(request, parts, address, now, code, tag, language, form_again, status=refusal.status)
        page.headers.update(refusal.headers)
        return page
    try:
        with parts.database.writing() as tx:
            fmd = scan(tx, parts.keyring, code, tag)
            secret, glass = break_glass(tx, fmd, who, why, now, origin=address)
            emergency = current_emergency(tx, fmd.record.id)
            if emergency is not None:
                end_quiet(tx, emergency, ScanProof(PermissionSource.TAG, fmd.code, f"{BROKEN_GLASS}{glass.id}"))
            queue_notice(
                tx,
                fmd.record.id,
                ReaderKind.GLASS,
                now,
                reader=f"{ReaderKind.GLASS}:{glass.id}",
                origin=address,
                repeat_within=timedelta(minutes=parts.settings.read_notice_minutes),
            )
    except FmdNotFound as refusal:
        return unopened_response(request, parts, address, now, language, code, tag, refusal)
    response = redirect_to_page(code, tag, form)
    # A QR scanned again opens /E/…, a typed address /e/…, and a cookie's path is case-sensitive.
    for cookie_path in (path, f"/E{path.removeprefix('/e')}"):
        response.set_cookie(
            BREAK_GLASS_COOKIE,
            secret,
            max_age=int(DURATION.total_seconds()),
            path=cookie_path,
            httponly=True,
            secure=parts.settings.is_https,
            samesite="lax",
        )
    return response


def _faults(who: str, why: str, language: Idioma) -> tuple[FieldFault, ...]:
    return tuple(
        FieldFault(field, PHRASES[phrase].in_language(language))
        for field, phrase, value, longest in (
            ("quien", "who_missing", who, LONGEST_NAME),
            ("motivo", "reason_missing", why, LONGEST_REASON),
        )
        if not value or len(value) > longest
    )
