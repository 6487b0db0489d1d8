"""The two doors, typed and scanned, and what can be done behind them: alert the family, break the glass.

These forms carry no CSRF token on purpose: no cookie gives them any power, the sticker in the address does.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated

from fastapi import Path
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ficha.accounts.accounts import Idioma
from ficha.emergencies.alert_permission import permission_by_code, permission_by_tag
from ficha.emergencies.alert_progress import current_emergency
from ficha.emergencies.opening import open_emergency
from ficha.emergencies.positions import Position
from ficha.emergencies.timeouts import Timeouts
from ficha.events.hub import StreamsFull
from ficha.fmd.access import FmdNotFound, scan
from ficha.fmd.break_glass import LASTS, break_glass
from ficha.fmd.responder.emergency_numbers import emergency_numbers
from ficha.http.deps import Address, Limiter, Now
from ficha.http.deps import Parts as AskedParts
from ficha.http.page import Page
from ficha.http.routes import Routes
from ficha.http.streams.open_streams import Streams
from ficha.notices.notices import ReaderKind, queue_notice
from ficha.parts import Parts
from ficha.products.decoys import Guessing, address_group, watch_typed_code
from ficha.web.kit.forms import Fault, Typed
from ficha.web.kit.language import language_of
from ficha.web.sticker.door_phrases import PHRASES
from ficha.web.sticker.html import render_typed
from ficha.web.sticker.live_stream import Bystander, LiveStream, Sticker
from ficha.web.sticker.opened_record import GLASS_COOKIE, opened, scanned
from ficha.web.sticker.page_facts import Alert, GlassForm, TypedFacts
from ficha.web.sticker.responder_page import ended_page, headers_of, page_of
from ficha.web.sticker.script import SCRIPT, WORKER
from ficha.web.sticker.typed_code import Named, named

routes = Routes(route_class=Page, include_in_schema=False)

Code = Annotated[str, Path(max_length=12)]
Tag = Annotated[str, Path(max_length=64)]

LONGEST_NAME, LONGEST_REASON = 120, 500


def _html(request: Request, body: bytes, status: int = 200, *, script: str = SCRIPT) -> Response:
    content, headers = headers_of(body, request.headers.get("accept-encoding", ""), script=script)
    return Response(content, status, headers)


@routes.page("/e/{code}")
@routes.page("/E/{code}")
def typed_page(
    request: Request, parts: AskedParts, limiter: Limiter, address: Address, now: Now, code: Code
) -> Response:
    """A code that never existed looks like one with no record behind it."""
    _count(request, limiter, address)
    with parts.database.writing() as session:
        found = named(session, parts, code, now)
        guessing = watch_typed_code(session, parts.secrets, code, now, origin=address, is_live=found is not None)
        alert = None if found is None else current_emergency(session, found.record_id)
    _count_alarm(request, guessing)
    if found is not None:
        parts.reads.note(found.record_id, "typed", "record.named", ["personal"], now, via="typed", origin=address)
    return _typed(request, code, found, Alert() if alert is not None else None)


@routes.post("/e/{code}/avisar")
@routes.post("/E/{code}/avisar")
def relay(
    request: Request, parts: AskedParts, limiter: Limiter, address: Address, now: Now, code: Code, form: Typed
) -> Response:
    """The family is alerted, and whoever asked for it sees nothing by it, not even whether there is one."""
    _count(request, limiter, address)
    found = None
    with parts.database.writing() as session:
        found = named(session, parts, code, now)
        guessing = watch_typed_code(session, parts.secrets, code, now, origin=address, is_live=found is not None)
        if found is not None:
            alarm = permission_by_code(session, parts.keyring, code, address)
            open_emergency(session, alarm, now, patience=Timeouts.of(parts.settings), position=position_in(form, now))
    _count_alarm(request, guessing)
    return _typed(request, code, found, Alert())


@routes.page("/e/{code}/{tag}")
@routes.page("/E/{code}/{tag}")
def scanned_page(request: Request, parts: AskedParts, address: Address, now: Now, code: Code, tag: Tag) -> Response:
    """What the fast lane hands on: an alert is under way, the glass is broken or about to be, or nothing is found."""
    language = language_of(request)
    form = (
        GlassForm(action=f"/e/{code.upper()}/{tag.upper()}/mas", is_open=True)
        if "mas" in request.query_params
        else None
    )
    return _show(request, parts, address, now, code, tag, language, form)


@routes.post("/e/{code}/{tag}/avisar")
@routes.post("/E/{code}/{tag}/avisar")
def alert(
    request: Request, parts: AskedParts, address: Address, now: Now, code: Code, tag: Tag, form: Typed
) -> Response:
    language = language_of(request)
    try:
        with parts.database.writing() as session:
            fmd = scanned(session, parts, code, tag, request.cookies.get(GLASS_COOKIE), now)
            open_emergency(
                session,
                permission_by_tag(fmd, address),
                now,
                patience=Timeouts.of(parts.settings),
                position=position_in(form, now),
            )
    except FmdNotFound:
        return _html(request, ended_page(language, code[:6].upper()), 404)
    return _back(code, tag, form)


@routes.post("/e/{code}/{tag}/mas")
@routes.post("/E/{code}/{tag}/mas")
def break_the_glass(
    request: Request, parts: AskedParts, address: Address, now: Now, code: Code, tag: Tag, form: Typed
) -> Response:
    who, why = " ".join(form.get("quien", "").split()), form.get("motivo", "").strip()
    language = _asked(form, request)
    faults = tuple(
        Fault(field, getattr(PHRASES[phrase], language.value))
        for field, phrase, value, longest in (
            ("quien", "who_missing", who, LONGEST_NAME),
            ("motivo", "reason_missing", why, LONGEST_REASON),
        )
        if not value or len(value) > longest
    )
    if faults:
        kept = GlassForm(
            action=f"/e/{code.upper()}/{tag.upper()}/mas",
            who=who[:LONGEST_NAME],
            why=why[:LONGEST_REASON],
            faults=faults,
        )
        return _show(request, parts, address, now, code, tag, language, kept, status=422)
    try:
        with parts.database.writing() as session:
            fmd = scan(session, parts.keyring, code, tag)
            secret = break_glass(session, fmd, who, why, now, origin=address)
            queue_notice(
                session,
                fmd.record.id,
                ReaderKind.GLASS,
                now,
                reader=who,
                origin=address,
                repeat_within=timedelta(minutes=parts.settings.read_notice_minutes),
            )
    except FmdNotFound:
        return _html(request, ended_page(language, code[:6].upper()), 404)
    response = _back(code, tag, form)
    for door in ("e", "E"):  # Whoever scans the sticker again comes by the other one.
        response.set_cookie(
            GLASS_COOKIE,
            secret,
            max_age=int(LASTS.total_seconds()),
            path=f"/{door}/{code.upper()}/{tag.upper()}",
            httponly=True,
            secure=parts.settings.is_https,
            samesite="lax",
        )
    return response


@routes.get("/e/{code}/{tag}/sw.js")
@routes.get("/E/{code}/{tag}/sw.js")
def worker(parts: AskedParts, request: Request, code: Code, tag: Tag) -> Response:
    """The same for everybody: it asks nothing, and says nothing about whether there is such a sticker."""
    scope = request.url.path.removesuffix("/sw.js")
    return Response(
        WORKER,
        media_type="text/javascript",
        headers={
            "Service-Worker-Allowed": scope,
            "Cache-Control": "no-cache",
            # It fetches the page anew; the policy every answer has would not let it.
            "Content-Security-Policy": "default-src 'none'; connect-src 'self'",
        },
    )


@routes.get("/e/{code}/{tag}/vivo")
@routes.get("/E/{code}/{tag}/vivo")
async def live(request: Request, parts: AskedParts, address: Address, code: Code, tag: Tag) -> Response:
    streams: Streams = request.app.state.streams
    if streams.hub.is_stopping:
        raise StreamsFull
    sticker = Sticker(parts, code, tag, language_of(request))
    record_id = await streams.hub.read(sticker.record_id)
    return LiveStream(streams, Bystander(record_id, address), sticker.lines)


def position_in(form: Mapping[str, str], now: datetime) -> Position | None:
    """What the browser measured, when it did. Anything else is no position, and no reason to refuse an alert."""
    try:
        lat, lng = float(form["lat"]), float(form["lon"])
        accuracy = float(form["precision"]) if form.get("precision") else None
    except (KeyError, ValueError):
        return None
    if not (-90 <= lat <= 90 and -180 <= lng <= 180) or (accuracy is not None and not 0 <= accuracy < 1e6):
        return None
    return Position(lat, lng, accuracy, now)


def _show(
    request: Request,
    parts: Parts,
    address: str,
    now: datetime,
    code: str,
    tag: str,
    language: Idioma,
    form: GlassForm | None,
    status: int = 200,
) -> Response:
    try:
        with parts.database.reading() as session:
            fmd = scanned(session, parts, code, tag, request.cookies.get(GLASS_COOKIE), now)
            found = opened(session, fmd, tag, language, now, form=form)
    except FmdNotFound:
        return _html(request, ended_page(language, code[:6].upper()), 404)
    # Written down before it is shown.
    parts.reads.note(found.record_id, str(fmd.actor), "record.read", found.what, now, via="tag", origin=address)
    saved = {entry.model: entry.updated_at for entry in found.entries}
    return _html(request, page_of(found, language, now, saved), status)


def _typed(request: Request, code: str, found: Named | None, alert: Alert | None) -> Response:
    facts = TypedFacts(
        language=language_of(request),
        code=code.upper(),
        emergency=emergency_numbers(found.country if found else ""),
        first_name=found.first_name if found else "",
        languages=found.languages(language_of(request)) if found else "",
        alert_action=f"/e/{code.upper()}/avisar",
        alert=alert,
        script=SCRIPT,
    )
    return _html(request, render_typed(facts))


def _count(request: Request, limiter: Limiter, address: str) -> None:
    limiter.hit(request, "typed", address_group(address))
    limiter.hit(request, "typed_all", "all")


def _count_alarm(request: Request, guessing: Guessing | None) -> None:
    if guessing is not None:
        request.app.state.metrics.guessing(guessing.value)


def _asked(form: Mapping[str, str], request: Request) -> Idioma:
    said = form.get("l", "")
    return Idioma(said) if said in set(Idioma) else language_of(request)


def _back(code: str, tag: str, form: Mapping[str, str]) -> RedirectResponse:
    language = f"?l={form['l']}" if form.get("l") in set(Idioma) else ""
    return RedirectResponse(f"/e/{code.upper()}/{tag.upper()}{language}", 303, {"Referrer-Policy": "no-referrer"})
