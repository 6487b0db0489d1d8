"""The stickers of a record: their names, states and last scans; one marked lost, retired or replaced; a new tag, with
its QR to download and a sheet to print at home."""

from dataclasses import dataclass

from sqlalchemy import select
from starlette.requests import Request
from starlette.responses import Response

from ficha.cards.qr import QrKind, data_uri, link_of, sticker_symbol
from ficha.cards.sheet_process import drawn_sheet
from ficha.cards.stickers import Paper, Sticker, StickerFormat
from ficha.fmd.local_time import day_text, moment_text
from ficha.fmd.record_codes import (
    CodeEnded,
    CodeNotConfirmed,
    CodeUnknown,
    add_code,
    end_code,
    leave_a_code,
    own_product,
    renew_tag,
)
from ficha.fmd.sticker_names import MOST_LETTERS, name_sticker, sticker_name
from ficha.http.dependencies import CurrentCaller, Db, Now, Parts, Reading
from ficha.http.fmd_dependencies import CurrentFmd, ReadFmd
from ficha.http.threads import Pool
from ficha.products.product import LIVE, Product, ProductState, live_codes, new_tag, tag_matches
from ficha.web.kit.forms import PostedForm
from ficha.web.kit.language import language_of
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.portal.log.log_sentences import zone_for
from ficha.web.portal.record.sticker_phrases import PHRASES

routes = signed_in_routes("/app")

ENDS = {"lost": ProductState.LOST, "retire": ProductState.RETIRED}
# It holds the secret of a sticker: it goes to nobody, not even to ourselves as a referrer.
KEEP_SECRET = {"Referrer-Policy": "no-referrer"}
PDF = "application/pdf"
ON_SHEET = {
    StickerFormat.WALLET: 1,
    StickerFormat.HELMET: 2,
    StickerFormat.BIKE: 2,
    StickerFormat.BAND: 2,
    StickerFormat.ROUND: 4,
}


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
    stickers = reading.scalars(
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
    db.flush()
    left = leave_a_code(db, fmd.id, fmd.actor, now)
    if any(sticker.code == code.upper() for sticker in live_codes(db, [fmd.id])):
        left = code  # Else the one by which this page was opened is gone.
    if not tag:
        return go_to(request, f"/app/{left}/etiquetas")
    base_url = parts.settings.public_url
    symbols = [
        sticker_symbol(db, parts.keyring, fmd, base_url, which, now, kind=kind, tag=tag)
        for kind in (QrKind.LINK, QrKind.HYBRID)
    ]
    return show(
        request,
        "portal/record/tag.html",
        PHRASES,
        headers=KEEP_SECRET,
        code=left,
        which=which.upper(),
        tag=tag,
        address=link_of(base_url, which, tag),
        symbols=[data_uri(symbol.png(), "image/png") for symbol in symbols],
        formats=list(StickerFormat),
    )


@routes.page("/{code}/etiquetas/hoja")
def sheet_page(request: Request, opened: ReadFmd, code: str) -> Response:
    """Whoever comes back here has no tag any more: it was shown once."""
    opened.fmd.must_manage()
    return go_to(request, f"/app/{code}/etiquetas")


@routes.post("/{code}/etiquetas/hoja", pool=Pool.PRINTING)
def sheet(
    request: Request, reading: Reading, parts: Parts, caller: CurrentCaller, now: Now, form: PostedForm, code: str
) -> Response:
    """The sticker as a page to print, while its tag is at hand. Nothing of the record is on it."""
    which, tag = form.get("which", "")[:20].upper(), form.get("tag", "")[:64]
    asked = form.get("format", "")
    kind = StickerFormat(asked) if asked in set(StickerFormat) else StickerFormat.WALLET
    try:
        product, _ = own_product(reading, caller, which, now)
    except CodeUnknown:
        return go_to(request, f"/app/{code}/etiquetas")
    if not tag_matches(product.tag_hash, tag):
        return go_to(request, f"/app/{code}/etiquetas")
    reading.commit()  # Nothing is held while it is drawn.
    base_url = parts.settings.public_url
    sticker = Sticker(which, link_of(base_url, which, tag), True)
    drawn = drawn_sheet([sticker] * ON_SHEET[kind], kind, Paper.A4, base_url, language_of(request))
    name = {"Content-Disposition": f'attachment; filename="etiqueta-{which}.pdf"'}
    return Response(drawn, media_type=PDF, headers=KEEP_SECRET | name)
