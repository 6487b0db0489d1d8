"""The forms that alert the family, on the page of a typed code and on the page of a scanned sticker, and the form with
which whoever is with the person writes to the family, or leaves a number to be called at. Only a scanned sticker has
that one: whoever typed a code learns nothing of the family.

They carry no CSRF token on purpose: no cookie gives them any power, the sticker in the address does.
"""

from collections.abc import Mapping
from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response

from ficha.asgi.routes import Routes
from ficha.asgi.threads import Pool
from ficha.core.ids import is_code
from ficha.core.phones import NotDialable, written_e164
from ficha.core.settings import Settings
from ficha.emergencies.emergency import Timeouts
from ficha.emergencies.opening import add_position, open_emergency, permission_by_code, permission_by_tag
from ficha.emergencies.positions import Position
from ficha.emergencies.relay import Written, write_to_family
from ficha.emergencies.relay_lines import RelayFull
from ficha.fmd.access import FmdNotFound
from ficha.http.dependencies import Address, Limiter, Now, Parts
from ficha.http.limits import RateLimit, TooManyRequests
from ficha.products.decoys import watch_typed_code
from ficha.web.kit.forms import PostedForm
from ficha.web.kit.language import language_in, language_of, region_of
from ficha.web.sticker.alert_proof import CHALLENGE, POSITION, SCRIPT, WORK, AlertProof, asked_proof
from ficha.web.sticker.page_facts import (
    TEXTS,
    AlertFacts,
    Code,
    PositionForm,
    RelayForm,
    Tag,
    redirect_to_page,
    sticker_path,
)
from ficha.web.sticker.scanned_page import scanned_response
from ficha.web.sticker.scanned_record import BREAK_GLASS_COOKIE, scan_record
from ficha.web.sticker.typed_code_page import (
    count_guessing,
    count_typed_code,
    find_code_owner,
    impossible_code_response,
    typed_alert,
    typed_code_response,
)
from ficha.web.sticker.unopened_page import unopened_response

LONGEST_LANDMARK, LONGEST_PHONE = 120, 40

routes = Routes(include_in_schema=False, pool=Pool.URGENT)


@routes.post("/e/{code}/avisar")
@routes.post("/E/{code}/avisar")
def alert_by_code(
    request: Request, parts: Parts, limiter: Limiter, address: Address, now: Now, code: Code, form: PostedForm
) -> Response:
    """Alerts the family. Whoever asks learns nothing by it, not even whether there is a family. Beyond the limits of
    typed codes it costs a proof, and tells no name."""
    if not is_code(code):
        return impossible_code_response(request, code)
    is_limited = count_typed_code(request, limiter, address) is not None
    if is_limited:
        proof = asked_proof(parts.secrets, parts.settings, code, dict(form), now)
        if proof.seconds_left:
            return _ask_for_proof(request, parts.settings, code, proof, form)
        try:
            limiter.hit(request, RateLimit.TYPED, f"proof:{proof.challenge}")
        except TooManyRequests:  # It was paid once and sent again and again: it was asked for already.
            return typed_code_response(request, code, None, AlertFacts())
    held = stalled = None
    with parts.database.writing() as tx:
        owner = find_code_owner(tx, parts, code, now)
        guessing = watch_typed_code(tx, parts.secrets, code, now, origin=address, is_live=owner is not None)
        if owner is not None:
            permission = permission_by_code(tx, parts.keyring, code, address)
            timeouts = Timeouts.of(parts.settings)
            position = position_in(form, now)
            opened = open_emergency(tx, permission, now, timeouts=timeouts, position=position)
            held, stalled = opened.held_until, opened.stalled_since
    count_guessing(request, guessing)
    shown = None if is_limited else owner
    return typed_code_response(request, code, shown, typed_alert(request, shown, held, stalled))


def _ask_for_proof(
    request: Request, settings: Settings, code: str, proof: AlertProof, form: Mapping[str, str]
) -> Response:
    fields = {CHALLENGE: proof.challenge, WORK: ""} | {name: form[name] for name in POSITION if form.get(name)}
    return typed_code_response(
        request,
        code,
        None,
        None,
        fields=fields,
        proof_bits=settings.alert_proof_bits,
        proof_seconds=proof.seconds_left,
        script=SCRIPT,
    )


@routes.post("/e/{code}/{tag}/avisar")
@routes.post("/E/{code}/{tag}/avisar")
def alert_by_tag(
    request: Request, parts: Parts, address: Address, now: Now, code: Code, tag: Tag, form: PostedForm
) -> Response:
    timeouts = Timeouts.of(parts.settings)
    try:
        with parts.database.writing() as tx:
            fmd = scan_record(tx, parts, code, tag, request.cookies.get(BREAK_GLASS_COOKIE), now)
            permission = permission_by_tag(fmd, address)
            open_emergency(tx, permission, now, timeouts=timeouts, position=position_in(form, now))
    except FmdNotFound as refusal:
        return unopened_response(request, parts, address, now, language_of(request), code, tag, refusal)
    return redirect_to_page(code, tag, form)


@routes.post("/e/{code}/{tag}/ubicacion")
@routes.post("/E/{code}/{tag}/ubicacion")
def add_position_by_tag(
    request: Request, parts: Parts, address: Address, now: Now, code: Code, tag: Tag, form: PostedForm
) -> Response:
    """A position that came after the alert, or a better one, or a landmark. Without an alert it changes nothing."""
    language, position, landmark = language_in(form, request), position_in(form, now), landmark_in(form)
    if position is None and not landmark:
        locating = PositionForm(
            f"{sticker_path(code, tag)}/ubicacion", fault=TEXTS[language].position_missing, is_open=True
        )
        return scanned_response(request, parts, address, now, code, tag, language, None, 422, locating=locating)
    try:
        with parts.database.writing() as tx:
            fmd = scan_record(tx, parts, code, tag, request.cookies.get(BREAK_GLASS_COOKIE), now)
            is_kept = add_position(tx, permission_by_tag(fmd, address), now, position, landmark)
    except FmdNotFound as refusal:
        return unopened_response(request, parts, address, now, language_of(request), code, tag, refusal)
    if not is_kept:
        notice = TEXTS[language].no_alert
        return scanned_response(request, parts, address, now, code, tag, language, None, 409, notice=notice)
    return redirect_to_page(code, tag, form)


def landmark_in(form: Mapping[str, str]) -> str:
    """One line, and nothing that could be taken for a link: it goes into messages."""
    words = " ".join(form.get("lugar", "").split())[:LONGEST_LANDMARK]
    return "" if "://" in words or "www." in words.lower() else words


def position_in(form: Mapping[str, str], now: datetime) -> Position | None:
    """The position that the browser measured. None for anything else: no reason to refuse an alert."""
    try:
        lat, lng = float(form["lat"]), float(form["lon"])
        accuracy = float(form["precision"]) if form.get("precision") else None
    except (KeyError, ValueError):
        return None
    if not (-90 <= lat <= 90 and -180 <= lng <= 180) or (accuracy is not None and not 0 <= accuracy < 1e6):
        return None
    return Position(lat, lng, accuracy, now)


@routes.post("/e/{code}/{tag}/mensaje")
@routes.post("/E/{code}/{tag}/mensaje")
def write_by_tag(
    request: Request,
    parts: Parts,
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
            is_kept = write_to_family(tx, permission, parts.secrets, written, parts.settings.relay_messages, now)
    except FmdNotFound as refusal:
        return unopened_response(request, parts, address, now, language, code, tag, refusal)
    except RelayFull as refusal:
        return again(t.relay_full, refusal.status)
    if not is_kept:
        return scanned_response(request, parts, address, now, code, tag, language, None, 409, notice=t.no_alert)
    return redirect_to_page(code, tag, form)


def phone_in(form: Mapping[str, str], region: str) -> str:
    """In E.164; empty where none was left. Raises NotDialable."""
    phone = form.get("telefono", "").strip()
    return written_e164(phone[:LONGEST_PHONE], region) if phone else ""
