"""/centros/{slug}/etiquetas: the stickers of its people as a sheet to print, in the order of the list."""

from collections.abc import Sequence
from datetime import datetime

from starlette.responses import Response

from ficha.asgi.threads import Pool
from ficha.cards.batch_files import stickers_of
from ficha.cards.printing import FileType
from ficha.cards.sheet_process import drawn_sheet
from ficha.cards.stickers import Paper, StickerFormat
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Address, Now, Parts
from ficha.http.file_answers import file_response
from ficha.institutions.people_list import FoundMembers, ListedMember, listed_members, note_printed
from ficha.parts import Parts as AllParts
from ficha.web.institution.sections import WorkSection
from ficha.web.institution.worker_access import INSTITUTIONS, ReadingVisit, WorkVisit
from ficha.web.kit.forms import FieldFault, PostedForm
from ficha.web.kit.language import language_of
from ficha.web.kit.lists import PAGE_SIZE, FilterChoice, Search, code
from ficha.web.kit.model_forms import ModelField
from ficha.web.kit.sections import Columns, list_page
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("institution", "stickers")

section = WorkSection("stickers", PHRASES)
routes = section.routes

PATH = INSTITUTIONS + "/{slug}/etiquetas"
FIELDS = (ModelField("formato", "choice"), ModelField("papel", "choice"))


@routes.page(PATH)
def stickers_page(visit: ReadingVisit, parts: Parts, now: Now, q: Search = "", cursor: Cursor = None) -> Response:
    return _page(visit, _found(visit, parts, now, q, cursor), q, cursor)


@routes.post(PATH, pool=Pool.LONG)
def sheet(visit: ReadingVisit, parts: Parts, now: Now, address: Address, form: PostedForm) -> Response:
    """Of those whom the page listed. Their QR opens the door of the typed code: the institution has no tags."""
    asked_format, asked_paper = form.get("formato", ""), form.get("papel", "")
    format_ = StickerFormat(asked_format) if asked_format in set(StickerFormat) else StickerFormat.ROUND
    paper = Paper(asked_paper) if asked_paper in set(Paper) else Paper.A4
    search, cursor = form.get("q", "")[:120], form.get("cursor") or None
    found = _found(visit, parts, now, search, cursor)
    codes = [member.bp_code for member in found[:PAGE_SIZE]]
    drawn = stickers_of(visit.tx, parts.keyring, parts.settings.public_url, codes)
    if not drawn.stickers:
        fault = FieldFault("q", section.translate(visit)("stickers_nobody"))
        return _page(visit, found, search, cursor, [fault])
    printed = {one.code for one in drawn.stickers}
    note_printed(
        parts.read_log, [one for one in found if one.bp_code in printed], visit.caller.account_id, now, address
    )
    visit.tx.give_back()  # Nothing is held while it is drawn.
    content = drawn_sheet(drawn.stickers, format_, paper, parts.settings.public_url, language_of(visit.request))
    name, secret = f"etiquetas-{visit.institution.slug}", {"Cache-Control": "private, no-store"}
    return file_response(FileType.PDF, content, name, **secret)


def _found(visit: WorkVisit, parts: AllParts, now: datetime, search: str, cursor: str | None) -> FoundMembers:
    return listed_members(
        visit.tx,
        parts.keyring,
        visit.institution,
        now,
        after=row_before(cursor, 0),
        limit=PAGE_SIZE + 1,
        search=search,
    )


def _page(
    visit: WorkVisit,
    found: FoundMembers,
    search: str,
    cursor: str | None,
    faults: Sequence[FieldFault] = (),
) -> Response:
    t, here = section.translate(visit), f"{visit.home}/etiquetas"
    columns: Columns[ListedMember] = {
        "sticker": lambda _t, one: code(one.bp_code),
        "name": lambda _t, one: one.nombre,
        "class": lambda _t, one: one.class_text or None,
    }
    choices = {
        "formato": [FilterChoice(one, t(f"format_{one}")) for one in StickerFormat],
        "papel": [FilterChoice(one, t(f"paper_{one}")) for one in Paper],
    }
    return section.show(
        visit,
        "institution/stickers.html",
        faults=faults,
        title=t("stickers"),
        table=list_page(
            t,
            here,
            columns,
            found,
            "stickers_none",
            cursor,
            search_label="people_search",
            search=search,
            stopped_at=found.stopped_at,
        ),
        fields=section.fields(visit, FIELDS, {}, choices),
        count=len(found[:PAGE_SIZE]),
        search=search,
        cursor=cursor or "",
        action=here,
    )
