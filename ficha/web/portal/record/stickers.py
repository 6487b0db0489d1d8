"""The stickers of a record: their names, states and last scans; one added, marked lost, retired or replaced; the mail
that one waits for, sent again; a new tag, with its QR to download, and what is printed at home while it is at hand: a
sticker or, read without a network, its QR. Nothing of the record is on it unless she asks for it, and is told what that
means.

One may also be marked lost from a phone that is not logged in (lost.py)."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Account
from ficha.accounts.jobs import SEND_CLAIM
from ficha.accounts.tokens import Caller
from ficha.administration.subscriptions import allowance
from ficha.asgi.threads import Pool
from ficha.cards.printing import FileType
from ficha.cards.qr import HYBRID_LEVEL, QrKind, link_of, offline_link, sticker_symbol, symbol_of
from ficha.cards.sheet_process import drawn_sheet
from ficha.cards.stickers import OFFLINE_FORMATS, Paper, Sticker, StickerFormat, offline_letters
from ficha.core.transaction import Transaction
from ficha.fmd.access import OpenFmd, open_fmd
from ficha.fmd.dates_and_amounts import day_text, moment_text
from ficha.fmd.offline.keys import ensure_signing_key
from ficha.fmd.record_codes import (
    MOST_LETTERS,
    CodeEnded,
    CodeNotConfirmed,
    CodeUnknown,
    NoRoomForSticker,
    add_code,
    add_further_code,
    end_code,
    leave_a_code,
    name_sticker,
    own_product,
    renew_tag,
    sticker_name,
)
from ficha.http.dependencies import Address, CurrentCaller, Db, Limiter, Now, Parts, Reading
from ficha.http.file_answers import file_response
from ficha.http.fmd_dependencies import CurrentFmd, ReadFmd, ReadingFmd
from ficha.http.limits import RateLimit, TooManyRequests
from ficha.jobs.queue import put
from ficha.products.codes import IssuedCode, TagEnd
from ficha.products.product import LIVE, Product, ProductState, new_tag, tag_matches
from ficha.products.statements import live_codes
from ficha.web.kit.forms import FieldRefused, PostedForm
from ficha.web.kit.language import LANGUAGE_STEP, language_of
from ficha.web.kit.rendering import show, show_form
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.link_pages import KEEP_SECRET
from ficha.web.portal.sticker_cookie import MOST_LETTERS as MOST_TYPED
from ficha.web.portal.sticker_cookie import add_sticker, forget_sticker, typed_sticker
from ficha.web.portal.time_zones import zone_for

PHRASES = page_texts("portal", "stickers")


routes = signed_in_routes("/app")

STICKERS = "portal/record/stickers.html"
DONE = ("agregada", "espera", "enviado", "despues")
ENDS = {"lost": ProductState.LOST, "retire": ProductState.RETIRED}


@dataclass(frozen=True)
class ShownSticker:
    product: Product
    name: str
    since: str
    last_scan: str


@routes.page("/{code}/etiquetas")
def stickers_page(
    request: Request, reading: Reading, parts: Parts, caller: CurrentCaller, opened: ReadFmd, now: Now, code: str
) -> Response:
    fmd = opened.fmd
    fmd.must_manage()
    parts.read_log.drain_now()
    reading.give_back()  # To see the scans that were drained just now.
    return _stickers_of(request, reading, caller, fmd, now, code)


def _stickers_of(
    request: Request,
    tx: Transaction,
    caller: Caller,
    fmd: OpenFmd,
    now: Now,
    code: str,
    typed: str = "",
    wrong: FieldRefused | None = None,
) -> Response:
    zone, language = zone_for(request, tx, fmd, caller.account_id), language_of(request)
    stickers = tx.orm.scalars(
        select(Product).where(Product.record_id == fmd.id).order_by(Product.ended_at, Product.claimed_at)
    ).all()
    shown = [
        ShownSticker(
            product,
            sticker_name(product, fmd.key),
            "" if product.claimed_at is None else day_text(product.claimed_at, zone, language),
            "" if product.last_scan_at is None else moment_text(product.last_scan_at, now, zone, language),
        )
        for product in stickers
    ]
    live = [one for one in shown if one.product.state in LIVE]
    done = request.query_params.get("hecho", "")
    return show_form(
        request,
        STICKERS,
        PHRASES,
        wrong,
        code=code,
        live=live,
        ended=[one for one in shown if one.product.state not in LIVE],
        waiting=" ".join(one.product.code for one in live if not one.product.is_confirmed),
        correo=tx.orm.get_one(Account, caller.account_id).correo,
        is_empty=fmd.record.version == 0,
        most=MOST_LETTERS,
        typed=typed,
        done=done if done in DONE else "",
    )


@routes.page("/{code}/etiquetas/renovar")
def renew_page(request: Request, reading: Reading, opened: ReadFmd, code: str) -> Response:
    """Says what a new QR costs before it costs it. `?cual=` is the sticker."""
    opened.fmd.must_manage()
    which = request.query_params.get("cual", code).upper()
    stickers = {sticker.code: sticker for sticker in live_codes(reading, [opened.fmd.id])}
    if which not in stickers or not stickers[which].is_confirmed:
        return go_to(request, f"/app/{code}/etiquetas")
    return show(request, "portal/record/renew_tag.html", PHRASES, code=code, which=which)


@routes.post("/{code}/etiquetas")
def change_sticker(
    request: Request,
    db: Db,
    parts: Parts,
    caller: CurrentCaller,
    fmd: CurrentFmd,
    limiter: Limiter,
    address: Address,
    now: Now,
    form: PostedForm,
    code: str,
) -> Response:
    """By the functions of the API, which also say whose stickers they are."""
    fmd.must_manage()
    do, _, which = form.get("do", "").partition(":")
    if do == LANGUAGE_STEP:
        return _stickers_of(request, db, caller, fmd, now, code, form.get("code", "")[:MOST_TYPED])
    done, sticker = "", typed_sticker(request, parts, form.get("code", ""), now)
    try:
        issued = _to_print(db, caller, fmd, do, which, now)
        if do in ENDS:
            end_code(db, caller, which, ENDS[do], now)
        elif do == "name":
            name_sticker(db, fmd, which, form.get("name", ""))
        elif do == "add":
            added = add_sticker(request, db, limiter, address, caller, sticker, fmd.id, now)
            done = "agregada" if added.is_confirmed else "espera"
        elif do == "resend":
            limiter.hit(request, RateLimit.CODE, f"claim:{caller.account_id}")
            put(db, SEND_CLAIM, {"account_id": caller.account_id})
            done = "enviado"
    except (CodeUnknown, CodeEnded, CodeNotConfirmed):
        db.rollback()
        return go_to(request, f"/app/{code}/etiquetas")
    except TooManyRequests:
        return go_to(request, f"/app/{code}/etiquetas?hecho=despues")
    except (FieldRefused, NoRoomForSticker) as refusal:
        db.rollback()
        wrong = refusal if isinstance(refusal, FieldRefused) else FieldRefused("code", "no_room", refusal.status)
        return _stickers_of(request, db, caller, fmd, now, code, form.get("code", "")[:MOST_TYPED], wrong)
    db.orm.flush()
    left = leave_a_code(db, fmd.id, fmd.actor, now)
    if any(sticker.code == code.upper() for sticker in live_codes(db, [fmd.id])):
        left = code  # Else the one by which this page was opened is gone.
    if issued is None:
        response = go_to(request, f"/app/{left}/etiquetas" + (f"?hecho={done}" if done else ""))
        forget_sticker(request, response, sticker)
        return response
    base_url = parts.settings.public_url
    symbol = sticker_symbol(db, parts.keyring, fmd, base_url, issued.code, now, kind=QrKind.LINK, tag=issued.tag)
    return show(
        request,
        "portal/record/tag.html",
        PHRASES,
        headers=KEEP_SECRET,
        code=left,
        do=do,
        old=which.upper(),
        which=issued.code,
        tag=issued.tag,
        address=link_of(base_url, issued.code, issued.tag),
        symbol=FileType.PNG.data_uri(symbol.png()),
        formats=list(StickerFormat),
        offline_formats=OFFLINE_FORMATS,
    )


def _to_print(tx: Transaction, caller: Caller, fmd: OpenFmd, do: str, which: str, now: datetime) -> IssuedCode | None:
    """What is to be printed now, for its tag is told this once: the same code with a new tag, another in its place, or
    one more. None if nothing of the kind was asked for."""
    if do == "tag":
        tag = new_tag()
        renewed, _ = renew_tag(tx, caller, which, tag, now)
        return IssuedCode(renewed.code, tag)
    if do == "replace":
        ended, _ = end_code(tx, caller, which, ProductState.RETIRED, now, why=TagEnd.REPLACED)
        issued = add_code(tx, fmd.id, fmd.actor, now)
        name_sticker(tx, fmd, issued.code, sticker_name(ended, fmd.key))
        return issued
    if do == "another":
        return add_further_code(tx, fmd, now, most=allowance(tx, caller.account_id, now).stickers)
    return None


@routes.page("/{code}/etiquetas/hoja")
def sheet_page(request: Request, opened: ReadFmd, code: str) -> Response:
    """Whoever comes back here has no tag any more: it was shown once."""
    opened.fmd.must_manage()
    return go_to(request, f"/app/{code}/etiquetas")


@routes.post("/{code}/etiquetas/hoja", pool=Pool.LONG)
def sheet(
    request: Request,
    reading: Reading,
    parts: Parts,
    caller: CurrentCaller,
    now: Now,
    address: Address,
    form: PostedForm,
    code: str,
) -> Response:
    """The sticker as a page to print, or the picture of its QR alone. Its QR holds the emergency lines only if the box
    that says what that means was ticked. Raises TooSmallForOffline."""
    which, tag = form.get("which", "")[:20].upper(), form.get("tag", "")[:64]
    asked, has_lines = form.get("format", ""), form.get("offline") == "1"
    kind = StickerFormat(asked) if asked in set(StickerFormat) else StickerFormat.WALLET
    room = offline_letters(kind) if has_lines else 0
    try:
        product, _ = own_product(reading, caller, which, now)
    except CodeUnknown:
        return go_to(request, f"/app/{code}/etiquetas")
    if not tag_matches(product.tag_hash, tag):
        return go_to(request, f"/app/{code}/etiquetas")
    link = link_of(parts.settings.public_url, which, tag)
    if has_lines:
        if ensure_signing_key(parts.database, parts.keyring, now):
            reading.give_back()  # To see the key that was made just now.
        fmd = open_fmd(reading, parts.keyring, caller, which, now, origin=address, locks=False)
        link = offline_link(reading, parts.keyring, fmd, link, which, now, max_letters=room)
        ReadingFmd(fmd, parts.read_log).note("sticker.offline", [which], now)
    reading.give_back()  # Nothing is held while it is drawn.
    if has_lines and form.get("do") == "qr":
        return file_response(FileType.PNG, symbol_of(link, HYBRID_LEVEL).png(), f"QR-{which}-sin-red", **KEEP_SECRET)
    drawn = drawn_sheet([Sticker(which, link, True)], kind, Paper.A4, parts.settings.public_url, language_of(request))
    return file_response(FileType.PDF, drawn, f"etiqueta-{which}", **KEEP_SECRET)
