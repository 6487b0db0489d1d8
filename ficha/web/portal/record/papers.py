"""What is printed or shown of a record besides its stickers: the carnet, one page for the school or the hospital bag,
and a picture for the lock screen. Each has a code and a tag of its own, and is ended on its own."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Account, Idioma
from ficha.administration.subscriptions import allowance
from ficha.asgi.threads import Pool
from ficha.cards.carnet_pages import CarnetForm, initials
from ficha.cards.carnets import (
    CarnetLive,
    NoLiveCarnet,
    issue_carnet,
    newest_carnet,
    revoke_carnet,
    state_of,
)
from ficha.cards.papers import PaperToDraw, ScreenSize, drawn_screen, drawn_sheet_of
from ficha.cards.printing import FileType
from ficha.cards.qr import link_of
from ficha.cards.stickers import Paper
from ficha.core.transaction import Transaction
from ficha.exchange.health_cards.issued import CardState, issued_cards
from ficha.fmd.access import OpenFmd
from ficha.fmd.base import Door
from ficha.fmd.dates_and_amounts import day_text
from ficha.fmd.record_codes import NoRoomForSticker, add_further_code, name_sticker
from ficha.fmd.responder.build_view import responder_view
from ficha.fmd.responder.record_reader import opened_entries
from ficha.fmd.rules.withdrawn_rules import withdrawn_rules
from ficha.fmd.statements import sealed_entries
from ficha.http.carnet_files import CarnetPrint, carnet_file
from ficha.http.dependencies import CurrentCaller, Db, Limiter, Now, Parts, Reading
from ficha.http.file_answers import file_response
from ficha.http.fmd_dependencies import CurrentFmd, ReadFmd
from ficha.http.languages import OURS, told_in
from ficha.http.limits import RateLimit, TooManyRequests
from ficha.photos.photos import photo_of, records_with_photo
from ficha.web.kit.forms import FieldFault, PostedForm
from ficha.web.kit.language import LANGUAGE_NAMES, language_of, region_of, translator
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.link_pages import KEEP_SECRET
from ficha.web.portal.time_zones import zone_for

PHRASES = page_texts("portal", "papers")

routes = signed_in_routes("/app")

# What can be asked for, by what it is called in the log.
SHEET, SCREEN = "sheet", "screen"
# Where printers have Letter in them; everywhere else it is A4.
ON_LETTER = frozenset(["CA", "CL", "CO", "CR", "DO", "GT", "HN", "MX", "NI", "PA", "PH", "PR", "SV", "US", "VE"])


@dataclass(frozen=True)
class MadePaper:
    """To be looked at and saved: its QR is shown once."""

    kind: str
    code: str
    picture: str
    file: str
    file_name: str


@routes.page("/{code}/papeles")
def papers_page(
    request: Request, reading: Reading, caller: CurrentCaller, opened: ReadFmd, now: Now, code: str
) -> Response:
    opened.fmd.must_manage()
    return _page(request, reading, opened.fmd, caller.account_id, now, code)


def _page(
    request: Request,
    tx: Transaction,
    fmd: OpenFmd,
    account_id: int,
    now: Now,
    code: str,
    *,
    faults: tuple[FieldFault, ...] = (),
    **more: Any,
) -> Response:
    carnet, language = newest_carnet(tx, fmd.id), language_of(request)
    t = translator(language, PHRASES)
    return show(
        request,
        "portal/record/papers.html",
        PHRASES,
        code=code,
        faults=faults,
        has_photo=fmd.id in records_with_photo(tx, [fmd.id]),
        carnet=carnet,
        state=state_of(tx, carnet, now),
        has_health_card=any(card.state is CardState.ISSUED for card in issued_cards(tx, fmd, now)),
        until=day_text(carnet.expires_at, zone_for(request, tx, fmd, account_id), language) if carnet else "",
        names=list(LANGUAGE_NAMES.items()),
        forms=[(one, t(f"form_{one}")) for one in CarnetForm],
        papers=[(one, t(f"paper_{one}")) for one in Paper],
        paper=Paper.LETTER if region_of(request) in ON_LETTER else Paper.A4,
        screens=[(one, t(f"screen_{one}")) for one in ScreenSize],
        **more,
    )


@routes.page("/{code}/carnet", pool=Pool.LONG)
def carnet_page(
    request: Request, reading: Reading, parts: Parts, caller: CurrentCaller, opened: ReadFmd, now: Now, code: str
) -> Response:
    """The file that was chosen. Its QR holds the emergency lines, and its back the Health Card, only if the box that
    says what that means was ticked, each time."""
    asked = request.query_params
    file_type = FileType.PNG if asked.get("tipo") == "png" else FileType.PDF
    offline, health_card = asked.get("offline") == "1", asked.get("tarjeta") == "1"
    # The page says that a Health Card only fits on the large one.
    is_large = health_card or asked.get("forma") == CarnetForm.LARGE
    form = CarnetForm.LARGE if is_large else CarnetForm.WALLET
    chosen = CarnetPrint(form, _language(request, asked.get("idioma", "")), offline, health_card)
    try:
        drawn = carnet_file(reading, opened, parts, caller, now, code, file_type, chosen)
    except NoLiveCarnet:
        return go_to(request, f"/app/{code}/papeles")
    return file_response(file_type, drawn, "carnet", **KEEP_SECRET)


@routes.post("/{code}/papeles", pool=Pool.LONG)
def make_paper(
    request: Request,
    db: Db,
    parts: Parts,
    caller: CurrentCaller,
    limiter: Limiter,
    fmd: CurrentFmd,
    now: Now,
    form: PostedForm,
    code: str,
) -> Response:
    """A carnet can be drawn again; of a sheet or a lock screen the QR is drawn once, for its tag is told only now."""
    fmd.must_manage()
    do, t = form.get("do", ""), translator(language_of(request), PHRASES)
    try:
        if do == "carnet":
            documents = opened_entries(fmd.id, fmd.key, sealed_entries(db, fmd.id))
            days = parts.settings.carnet_days
            issued = issue_carnet(db, fmd, now, days=days, initials=initials(documents, now))
            name_sticker(db, fmd, issued.code, t("carnet"))
        elif do == "anular":
            revoke_carnet(db, fmd, now)
        elif do in (SHEET, SCREEN):
            limiter.hit(request, RateLimit.CLAIM, f"account:{caller.account_id}")
            paper = _paper(request, db, parts, caller.account_id, fmd, now, form, do)
            db.commit()  # Nothing is held while it is drawn.
            made = _drawn(paper, parts, now, form, do)
            return show(request, "portal/record/paper.html", PHRASES, headers=KEEP_SECRET, code=code, made=made)
    except (CarnetLive, NoLiveCarnet):
        db.rollback()
    except (NoRoomForSticker, TooManyRequests) as refusal:
        faults = (FieldFault(do, told_in(language_of(request), refusal.message)),)
        return _page(
            request,
            db,
            fmd,
            caller.account_id,
            now,
            code,
            faults=faults,
            status=refusal.status,
            headers=refusal.headers,
        )
    return go_to(request, f"/app/{code}/papeles")


def _paper(
    request: Request,
    db: Transaction,
    parts: Parts,
    account_id: int,
    fmd: OpenFmd,
    now: Now,
    form: dict[str, str],
    kind: str,
) -> PaperToDraw:
    """With its own new code, and what the chosen door shows of the record now. Raises NoRoomForSticker."""
    issued = add_further_code(db, fmd, now, most=allowance(db, account_id, now).stickers)
    idioma, zone = _language(request, form.get("idioma", "")), zone_for(request, db, fmd, account_id)
    door = Door.B if kind == SHEET and form.get("que") == Door.B else Door.R
    entries = sealed_entries(db, fmd.id)
    view = responder_view(
        opened_entries(fmd.id, fmd.key, entries),
        door,
        now,
        idioma,
        written_in=db.orm.scalar(select(Account.idioma).where(Account.id == fmd.record.account_id)) or "",
        deployed_in=parts.settings.emergency_country,
        saved={entry.model: entry.updated_at for entry in entries},
        withdrawn=withdrawn_rules(db),
        on_paper=True,
    )
    reader = language_of(request)
    name = translator(reader, PHRASES)(f"name_{kind}", day=day_text(now, zone, reader))
    name_sticker(db, fmd, issued.code, name)
    fmd.note(db, f"paper.{kind}", [issued.code, door], now)
    return PaperToDraw(
        code=issued.code,
        link=link_of(parts.settings.public_url, issued.code, issued.tag),
        view=view,
        idioma=idioma,
        day=day_text(now, zone, idioma),
        photo=photo_of(db, fmd.id, fmd.key) if kind == SHEET else None,
        tells=form.get("solo_qr") != "1",
    )


def _drawn(paper: PaperToDraw, parts: Parts, now: Now, form: dict[str, str], kind: str) -> MadePaper:
    base_url = parts.settings.public_url
    if kind == SHEET:
        size = Paper.A4 if form.get("papel") == Paper.A4 else Paper.LETTER
        sheet = drawn_sheet_of(paper, size, base_url, now)
        picture, pdf = FileType.PNG.data_uri(sheet.png), FileType.PDF.data_uri(sheet.pdf)
        return MadePaper(kind, paper.code, picture, pdf, f"hoja-{paper.code}.pdf")
    asked = form.get("pantalla", "")
    picture = FileType.PNG.data_uri(
        drawn_screen(paper, ScreenSize(asked) if asked in set(ScreenSize) else ScreenSize.LONG, base_url)
    )
    return MadePaper(kind, paper.code, picture, picture, f"pantalla-{paper.code}.png")


def _language(request: Request, asked: str) -> Idioma:
    return OURS.get(asked) or language_of(request)
