"""The stickers of a record: their state, marking one lost, retiring one, and a new tag to print at home."""

from sqlalchemy import select
from starlette.requests import Request
from starlette.responses import Response

from ficha.cards.qr import LINK_LEVEL, data_uri, link_of, symbol_of
from ficha.fmd.record_codes import CodeEnded, CodeNotConfirmed, CodeUnknown, end_code, renew_tag
from ficha.http.dependencies import CurrentCaller, Db, Now, Parts, Reading
from ficha.http.fmd_dependencies import CurrentFmd, ReadFmd
from ficha.products.product import LIVE, Product, ProductState, live_codes, new_tag
from ficha.web.kit.forms import PostedForm
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.portal.sticker_phrases import PHRASES

routes = signed_in_routes("/app")

ENDS = {"lost": ProductState.LOST, "retire": ProductState.RETIRED}
# It holds the secret of a sticker: it goes to nobody, not even to ourselves as a referrer.
KEEP_SECRET = {"Referrer-Policy": "no-referrer"}


@routes.page("/{code}/etiquetas")
def stickers_page(request: Request, reading: Reading, opened: ReadFmd, code: str) -> Response:
    opened.fmd.must_manage()
    stickers = reading.scalars(
        select(Product).where(Product.record_id == opened.fmd.id).order_by(Product.ended_at, Product.claimed_at)
    ).all()
    live = [sticker for sticker in stickers if sticker.state in LIVE]
    ended = [sticker for sticker in stickers if sticker.state not in LIVE]
    return show(request, "portal/record/stickers.html", PHRASES, code=code, live=live, ended=ended)


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
    path = f"/app/{code}/etiquetas"
    try:
        if do in ENDS:
            end_code(db, caller, which, ENDS[do], now)
        elif do == "tag":
            tag = new_tag()
            renew_tag(db, caller, which, tag, now)
            link = link_of(parts.settings.public_url, which, tag)
            qr = data_uri(symbol_of(link, LINK_LEVEL).svg().encode(), "image/svg+xml")
            return show(
                request,
                "portal/record/tag.html",
                PHRASES,
                headers=KEEP_SECRET,
                code=code,
                which=which,
                address=link,
                qr=qr,
            )
    except (CodeUnknown, CodeEnded, CodeNotConfirmed):
        db.rollback()
        return go_to(request, path)
    left = live_codes(db, [fmd.id])
    if not any(sticker.code == code.upper() for sticker in left):  # The one by which this page was opened is gone.
        path = f"/app/{left[0].code}/etiquetas" if left else "/app"
    return go_to(request, path)
