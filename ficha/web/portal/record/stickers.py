"""The stickers of a record: their names, states and last scans; one marked lost, retired or replaced; a new tag, with
its QR to download. What is printed at home: sticker_sheet.py."""

from dataclasses import dataclass

from sqlalchemy import select
from starlette.requests import Request
from starlette.responses import Response

from ficha.cards.printing import FileType
from ficha.cards.qr import QrKind, link_of, sticker_symbol
from ficha.cards.stickers import OFFLINE_FORMATS, StickerFormat
from ficha.fmd.local_time import day_text, moment_text
from ficha.fmd.record_codes import (
    CodeEnded,
    CodeNotConfirmed,
    CodeUnknown,
    add_code,
    end_code,
    leave_a_code,
    renew_tag,
)
from ficha.fmd.stickers import MOST_LETTERS, name_sticker, sticker_name
from ficha.http.dependencies import CurrentCaller, Db, Now, Parts, Reading
from ficha.http.fmd_dependencies import CurrentFmd, ReadFmd
from ficha.products.product import LIVE, Product, ProductState, new_tag
from ficha.products.statements import live_codes
from ficha.web.kit.forms import PostedForm
from ficha.web.kit.language import language_of
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.log.log_sentences import zone_for
from ficha.web.portal.record.sticker_sheet import KEEP_SECRET

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
    zone, language = zone_for(reading, fmd, caller.account_id), language_of(request)
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
