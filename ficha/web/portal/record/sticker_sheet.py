"""What an owner prints at home of a sticker whose tag is at hand: a page of them or, read without a network, their QR.

Nothing of the record is on them unless she asks for it, and is told what that means.
"""

from starlette.requests import Request
from starlette.responses import Response

from ficha.asgi.threads import Pool
from ficha.cards.printing import FileType
from ficha.cards.qr import HYBRID_LEVEL, link_of, offline_link, symbol_of
from ficha.cards.sheet_process import drawn_sheet
from ficha.cards.stickers import Paper, Sticker, StickerFormat, offline_letters
from ficha.fmd.access import open_fmd
from ficha.fmd.offline.keys import ensure_signing_key
from ficha.fmd.record_codes import CodeUnknown, own_product
from ficha.http.dependencies import Address, CurrentCaller, Now, Parts, Reading
from ficha.http.fmd_dependencies import ReadFmd, ReadingFmd
from ficha.products.product import tag_matches
from ficha.web.kit.forms import PostedForm
from ficha.web.kit.language import language_of
from ficha.web.kit.signed_in import go_to, signed_in_routes

routes = signed_in_routes("/app")

# It holds the secret of a sticker: it goes to nobody, not even to ourselves as a referrer.
KEEP_SECRET = {"Referrer-Policy": "no-referrer"}
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
