"""Stickers to be printed: a preview for staff, and the owner's own, with the words of her stop signs if she wants; and
the QR of one alone."""

from enum import StrEnum
from typing import Annotated

from fastapi import Query
from pydantic import Field
from starlette.responses import Response

from ficha.accounts.accounts import Idioma
from ficha.api.bodies import Body, ProductTag
from ficha.api.examples import file_answer, resource_example
from ficha.api.operations import Operations
from ficha.asgi.threads import Pool
from ficha.cards.batch_files import stickers_of
from ficha.cards.printing import FileType
from ficha.cards.qr import QrKind, TagWrong, link_of, offline_link, sticker_symbol
from ficha.cards.sheet_process import drawn_pictures, drawn_sheet
from ficha.cards.stickers import Paper, Sticker, StickerFormat, offline_letters, sticker_words
from ficha.core.deferred_model import DeferredModel
from ficha.core.errors import GOOD_TITLES, FichaError, Source
from ficha.core.log import log
from ficha.fmd.access import open_fmd
from ficha.fmd.base import Door
from ficha.fmd.consent import visible_documents
from ficha.fmd.offline.keys import ensure_signing_key
from ficha.fmd.rules.record_for_rules import RecordForRules
from ficha.fmd.rules.signs import found_signs
from ficha.fmd.rules.withdrawn_rules import withdrawn_rules
from ficha.fmd.stored_documents import stored_documents
from ficha.http.dependencies import AboutRecordOf, Address, CurrentCaller, Now, Parts, Reading, Reply, Staff
from ficha.http.envelope import Answer, Resource
from ficha.http.file_answers import WantsPdf, file_response
from ficha.http.fmd_dependencies import Code, ReadingFmd
from ficha.products.product import Product, tag_matches

operations = Operations("products")
qr_operations = Operations("products", prefix="/generators")

NO_TAG = "La marca de esta etiqueta no está guardada: su QR abre la página del código escrito."
LINK = "HTTPS://FICHA.EXAMPLE/E/K7M2QX"

FormatAsked = Annotated[StickerFormat, Query(description="round, band, bike, helmet or wallet.")]
PaperAsked = Annotated[Paper, Query(description="a4 or letter.")]


class QrFormat(StrEnum):
    SVG = "svg"
    PNG = "png"


# The answer is the file itself, in one of two types.
QR_FILE = {
    "description": GOOD_TITLES[200],
    "content": {
        FileType.SVG: {
            "schema": {"type": "string"},
            "example": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 45 45">…</svg>',
        },
        FileType.PNG: {"schema": {"type": "string", "format": "binary"}},
    },
}


class TooManyStickers(FichaError):
    status = 422
    code = "demasiadas_etiquetas"
    message = "Pida menos etiquetas a la vez."
    source = Source("parameter", "codes")


class StickerAttributes(DeferredModel):
    url: str = Field(description="What its QR holds.")
    has_tag: bool = Field(description="False where the tag is not at hand: the QR leads to the typed code's page.")
    notice: str | None
    svg: str = Field(description="The sticker as a data URI.")
    png: str = Field(description="The sticker as a data URI.")


SVG, PNG = "data:image/svg+xml;base64,PHN2Zy…", "data:image/png;base64,iVBORw0K…"
STICKER = resource_example("sticker", "K7M2QX", StickerAttributes, url=LINK, notice=NO_TAG, svg=SVG, png=PNG)


class Preview(DeferredModel):
    stickers: list[Resource[StickerAttributes]]
    unknown: list[str] = Field(description="Codes that do not exist or were ended.")


class StickerOrder(Body):
    product_tag: ProductTag | None = Field(
        None, description="From the sticker's QR or a new tag; without it the QR leads to the typed code's page."
    )
    format: StickerFormat = Field(StickerFormat.ROUND, description="round, band, bike, helmet or wallet.", strict=False)
    paper: Paper = Field(Paper.A4, description="a4 or letter.", strict=False)
    count: int = Field(1, ge=1, le=50, description="How many of it.")
    words: bool = Field(
        False, description="Whether two or three words of the stop signs are printed, for everybody to read."
    )
    offline: bool = Field(
        False,
        description="Whether its QR holds the emergency lines too, on helmet and wallet. Whoever sees it reads them, "
        "without a network, and what is printed cannot be taken back.",
    )
    idioma: Idioma = Field(Idioma.ES, description="Language of what is printed.", strict=False)


@operations.get(
    "/dev/inventory/stickers/preview",
    "Sticker preview",
    callers="staff",
    seed=True,
    errors=(422, 503),
    responses=file_answer(FileType.PDF, json={"stickers": [STICKER], "unknown": ["ZZZZZZ"]}),
    response_model=Answer[Preview],
    pool=Pool.LONG,
)
def preview(
    reading: Reading,
    parts: Parts,
    staff: Staff,
    reply: Reply,
    wants_pdf: WantsPdf,
    codes: Annotated[str, Query(max_length=2000, description="Codes, with commas.", examples=["K7M2QX"])],
    format: FormatAsked = StickerFormat.ROUND,
    paper: PaperAsked = Paper.A4,
) -> Answer[Preview] | Response:
    """Stickers as they will be printed; with `Accept: application/pdf` the sheet. Nothing of a record is on them."""
    asked = [code for code in (part.strip() for part in codes.split(",")) if code]
    if len(asked) > parts.settings.sticker_codes:
        raise TooManyStickers
    base_url = parts.settings.public_url
    found, unknown = stickers_of(reading, parts.keyring, base_url, asked)
    reading.give_back()  # Nothing is held while they are drawn.
    log().info("stickers.previewed", account=staff.account_id, tags=sum(one.has_tag for one in found))
    if wants_pdf:
        return file_response(FileType.PDF, drawn_sheet(found, format, paper, base_url), "etiquetas")
    drawn = drawn_pictures(found, format, base_url)
    shown = [_sticker_out(one, *drawings) for one, drawings in zip(found, drawn, strict=True)]
    return reply(Preview(stickers=shown, unknown=[code[:20] for code in unknown]))


@operations.post(
    "/products/{code}/sticker",
    "Print sticker",
    progress="Developing",
    callers="bearer",
    errors=(403, 404, 503),
    responses=file_answer(FileType.PDF),
    response_class=Response,
    pool=Pool.LONG,
)
def print_sticker(
    reading: Reading,
    parts: Parts,
    caller: CurrentCaller,
    now: Now,
    address: Address,
    about_record_of: AboutRecordOf,
    code: Code,
    body: StickerOrder | None = None,
) -> Response:
    """A sheet of one of the record's own stickers, for owner and guardian. Words of the stop signs are on it only if
    they are asked for, and so are the emergency lines in its QR; both only what a responder may see."""
    order = body or StickerOrder()
    room = offline_letters(order.format) if order.offline else 0
    if room and ensure_signing_key(parts.database, parts.keyring, now):
        reading.give_back()  # To see the key that was made just now.
    fmd = open_fmd(reading, parts.keyring, caller, code, now, origin=address, locks=False)
    fmd.must_manage()
    about_record_of(fmd.record.account_id)
    code, tag = code.upper(), order.product_tag
    if tag is not None and not tag_matches(reading.orm.get_one(Product, code).tag_hash, tag):
        raise TagWrong
    words: tuple[str, ...] = ()
    if order.words:
        documents = {name: entry.document for name, entry in stored_documents(reading, fmd.id, fmd.key).items()}
        found = found_signs(RecordForRules(visible_documents(documents, Door.R), now.date()), withdrawn_rules(reading))
        words = sticker_words(found, order.idioma)
    base_url = parts.settings.public_url
    link = link_of(base_url, code, tag)
    if room:
        link = offline_link(reading, parts.keyring, fmd, link, code, now, max_letters=room)
    action = "sticker.offline" if room else "sticker.words" if words else "sticker.printed"
    ReadingFmd(fmd, parts.read_log).note(action, [code], now)
    reading.give_back()  # Nothing is held while it is drawn.
    sticker = Sticker(code, link, tag is not None, words)
    sheet = drawn_sheet([sticker] * order.count, order.format, order.paper, base_url, order.idioma)
    return file_response(FileType.PDF, sheet, f"etiqueta-{code}")


@qr_operations.get(
    "/qr",
    "Generators: QR",
    callers="bearer",
    seed=True,
    errors=(404, 422, 503),
    responses={200: QR_FILE},
    response_class=Response,
)
def qr(
    reading: Reading,
    parts: Parts,
    caller: CurrentCaller,
    now: Now,
    address: Address,
    code: Annotated[str, Query(max_length=20, description="Any live code of the record.", examples=["K7M2QX"])],
    format: Annotated[QrFormat, Query(description="svg or png.")] = QrFormat.SVG,
    kind: Annotated[
        QrKind,
        Query(description="link: the address alone. hybrid: the emergency lines too, to be read without network."),
    ] = QrKind.LINK,
    tag: Annotated[
        str | None,
        Query(max_length=40, description="The tag in the sticker's QR: only its hash is kept, so we cannot add it."),
    ] = None,
) -> Response:
    """The QR of a sticker. Without `tag` it leads to the door of the typed code, which shows nothing clinical."""
    fmd = open_fmd(reading, parts.keyring, caller, code, now, origin=address, locks=False)
    if kind is QrKind.HYBRID and ensure_signing_key(parts.database, parts.keyring, now):
        reading.give_back()  # To see the key that was made just now.
    symbol = sticker_symbol(reading, parts.keyring, fmd, parts.settings.public_url, code, now, kind=kind, tag=tag)
    ReadingFmd(fmd, parts.read_log).note(f"qr.{kind}", [code.upper()], now)
    if format is QrFormat.PNG:
        return file_response(FileType.PNG, symbol.png())
    return file_response(FileType.SVG, symbol.svg())


def _sticker_out(one: Sticker, svg: bytes, png: bytes) -> "Resource[StickerAttributes]":
    attributes = StickerAttributes(
        url=one.link,
        has_tag=one.has_tag,
        notice=None if one.has_tag else NO_TAG,
        svg=FileType.SVG.data_uri(svg),
        png=FileType.PNG.data_uri(png),
    )
    return Resource(type="sticker", id=one.code, attributes=attributes)
