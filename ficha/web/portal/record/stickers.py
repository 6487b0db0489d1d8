"""The stickers of a record: their names, states and last scans; one marked lost, retired or replaced; a new tag, with
its QR to download, and what is printed at home while the tag is at hand: a page of stickers or, read without a network,
their QR. Nothing of the record is on them unless she asks for it, and is told what that means.

One may also be marked lost from a phone that is not logged in: by a link to the account's mailbox, good once
(link_pages.py).
"""

from dataclasses import dataclass

from sqlalchemy import select
from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.one_time_codes import LinkExpired, Purpose, account_of_link, spend_link
from ficha.accounts.tokens import Caller
from ficha.asgi.threads import Pool
from ficha.cards.printing import FileType
from ficha.cards.qr import HYBRID_LEVEL, QrKind, link_of, offline_link, sticker_symbol, symbol_of
from ficha.cards.sheet_process import drawn_sheet
from ficha.cards.stickers import OFFLINE_FORMATS, Paper, Sticker, StickerFormat, offline_letters
from ficha.core.text_types import correo_key
from ficha.core.transaction import Transaction
from ficha.fmd.access import open_fmd
from ficha.fmd.dates_and_amounts import day_text, moment_text
from ficha.fmd.grants import managed_records
from ficha.fmd.offline.keys import ensure_signing_key
from ficha.fmd.record_codes import (
    MOST_LETTERS,
    CodeEnded,
    CodeNotConfirmed,
    CodeUnknown,
    add_code,
    ask_for_lost_link,
    end_code,
    leave_a_code,
    mark_lost,
    name_sticker,
    own_product,
    renew_tag,
    sticker_name,
)
from ficha.http.dependencies import Address, CurrentCaller, Db, Limiter, Now, Parts, Reading, limit_by_address
from ficha.http.fmd_dependencies import CurrentFmd, ReadFmd, ReadingFmd
from ficha.http.limits import RateLimit, TooManyRequests
from ficha.products.product import LIVE, Product, ProductState, new_tag, tag_matches
from ficha.products.statements import live_codes
from ficha.web.kit.forms import FieldRefused, PostedForm
from ficha.web.kit.language import language_of
from ficha.web.kit.rendering import show, show_form
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.link_pages import KEEP_SECRET, link_routes
from ficha.web.portal.time_zones import zone_for

LOST = page_texts("portal", "lost")
PHRASES = page_texts("portal", "stickers")


routes = signed_in_routes("/app")

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
    reading.commit()  # To see the scans that were drained just now.
    zone, language = zone_for(request, reading, fmd, caller.account_id), language_of(request)
    stickers = reading.orm.scalars(
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
    ended = [one for one in shown if one.product.state not in LIVE]
    return show(request, "portal/record/stickers.html", PHRASES, code=code, live=live, ended=ended, most=MOST_LETTERS)


@routes.post("/{code}/etiquetas")
def change_sticker(
    request: Request,
    db: Db,
    parts: Parts,
    caller: CurrentCaller,
    fmd: CurrentFmd,
    now: Now,
    form: PostedForm,
    code: str,
) -> Response:
    """By the functions of the API, which also say whose stickers they are."""
    fmd.must_manage()
    do, _, which = form.get("do", "").partition(":")
    tag = ""
    try:
        if do in ENDS:
            end_code(db, caller, which, ENDS[do], now)
        elif do == "name":
            name_sticker(db, fmd, which, form.get("name", ""))
        elif do == "tag":
            tag = new_tag()
            renew_tag(db, caller, which, tag, now)
        elif do == "replace":
            ended, _ = end_code(db, caller, which, ProductState.LOST, now)
            issued = add_code(db, fmd.id, fmd.actor, now)
            name_sticker(db, fmd, issued.code, sticker_name(ended, fmd.key))
            which, tag = issued.code, issued.tag
    except (CodeUnknown, CodeEnded, CodeNotConfirmed):
        db.rollback()
        return go_to(request, f"/app/{code}/etiquetas")
    db.orm.flush()
    left = leave_a_code(db, fmd.id, fmd.actor, now)
    if any(sticker.code == code.upper() for sticker in live_codes(db, [fmd.id])):
        left = code  # Else the one by which this page was opened is gone.
    if not tag:
        return go_to(request, f"/app/{left}/etiquetas")
    base_url = parts.settings.public_url
    symbol = sticker_symbol(db, parts.keyring, fmd, base_url, which, now, kind=QrKind.LINK, tag=tag)
    return show(
        request,
        "portal/record/tag.html",
        PHRASES,
        headers=KEEP_SECRET,
        code=left,
        which=which.upper(),
        tag=tag,
        address=link_of(base_url, which, tag),
        symbol=FileType.PNG.data_uri(symbol.png()),
        formats=list(StickerFormat),
        offline_formats=OFFLINE_FORMATS,
    )


ON_SHEET = {
    StickerFormat.WALLET: 1,
    StickerFormat.HELMET: 2,
    StickerFormat.BIKE: 2,
    StickerFormat.BAND: 2,
    StickerFormat.ROUND: 4,
}


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
            reading.commit()  # To see the key that was made just now.
        fmd = open_fmd(reading, parts.keyring, caller, which, now, origin=address, locks=False)
        link = offline_link(reading, parts.keyring, fmd, link, which, now, max_letters=room)
        ReadingFmd(fmd, parts.read_log).note("sticker.offline", [which], now)
    reading.commit()  # Nothing is held while it is drawn.
    if has_lines and form.get("do") == "qr":
        return _file(FileType.PNG, symbol_of(link, HYBRID_LEVEL).png(), f"QR-{which}-sin-red")
    stickers = [Sticker(which, link, True)] * ON_SHEET[kind]
    drawn = drawn_sheet(stickers, kind, Paper.A4, parts.settings.public_url, language_of(request))
    return _file(FileType.PDF, drawn, f"etiqueta-{which}")


def _file(file_type: FileType, content: bytes, name: str) -> Response:
    return Response(content, media_type=file_type, headers=KEEP_SECRET | file_type.download(name))


lost_pages = link_routes("portal/record/lost_dead.html", LOST, LinkExpired)

ASK, MARK = "portal/record/lost_ask.html", "portal/record/lost_mark.html"
LIMITS = [limit_by_address(RateLimit.LINK)]
TICK = "etiqueta."
LONGEST_GIVEN = 254


@lost_pages.page("/perdida")
def lost_page(request: Request) -> Response:
    return show_form(request, ASK, LOST)


@lost_pages.post("/perdida")
def ask_for_link(request: Request, parts: Parts, limiter: Limiter, address: Address, form: PostedForm) -> Response:
    """The same page for every correo and code, known or not."""
    given = form.get("cual", "").strip()[:LONGEST_GIVEN]
    if not given:
        return show_form(request, ASK, LOST, FieldRefused("cual", "which_missing"))
    try:
        limiter.hit_address(request, RateLimit.LOGIN, address)
        limiter.hit(request, RateLimit.CODE, f"correo:{correo_key(given)}")
    except TooManyRequests as refusal:
        return show_form(request, ASK, LOST, FieldRefused.too_many("cual", refusal))
    with parts.database.writing() as tx:
        ask_for_lost_link(tx, given)
    return show(request, "portal/record/lost_sent.html", LOST, minutes=parts.settings.recovery_minutes)


@lost_pages.page("/perdida/{token}", dependencies=LIMITS)
def mark_page(request: Request, parts: Parts, now: Now, token: str) -> Response:
    with parts.database.reading() as tx:
        account = account_of_link(tx, parts.secrets, Purpose.PERDIDA, token, now)
        stickers = _stickers(tx, parts, account.id, now)
    return show_form(request, MARK, LOST, token=token, stickers=stickers)


@lost_pages.post("/perdida/{token}", dependencies=LIMITS)
def mark(request: Request, parts: Parts, now: Now, token: str, form: PostedForm) -> Response:
    ticked = [name.removeprefix(TICK)[:20] for name in form if name.startswith(TICK)]
    with parts.database.writing() as tx:
        account = account_of_link(tx, parts.secrets, Purpose.PERDIDA, token, now)
        if not ticked:
            wrong, stickers = FieldRefused("stickers", "none_ticked"), _stickers(tx, parts, account.id, now)
            return show_form(request, MARK, LOST, wrong, token=token, stickers=stickers)
        spend_link(tx, parts.secrets, Purpose.PERDIDA, token, now)
        gone = mark_lost(tx, Caller(account.id, 0, "", frozenset()), ticked, now)
    return show(request, "portal/record/lost_done.html", LOST, codes=" ".join(gone))


def _stickers(tx: Transaction, parts: Parts, account_id: int, now: Now) -> list[tuple[str, str]]:
    """The live codes of all records that the account looks after, each with its name."""
    records = {record.id: record for record in managed_records(tx, account_id, now)}
    found = []
    for product in live_codes(tx, list(records)):
        name = sticker_name(product, records[product.record_id].open_key(parts.keyring))
        found.append((product.code, f"{product.code} · {name}" if name else product.code))
    return found
