"""/centros/{slug}/faltas: how many records of the institution's people protect and what most lack, as counts. Who lacks
a contact or a sticker is told to the medical role, of those who let it be seen, when it asks: that is a look at each.
"""

from dataclasses import replace
from typing import Annotated, Literal

from fastapi import Query
from starlette.responses import Response

from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Address, Now, Parts
from ficha.institutions.people_list import OPEN, ListedMember, listed_members, note_lacks
from ficha.statistics.protection import is_marked, lacks_of_open
from ficha.web.institution.people import person_cell
from ficha.web.institution.sections import WorkSection
from ficha.web.institution.worker_access import INSTITUTIONS, ReadingVisit
from ficha.web.kit.lists import PAGE_SIZE
from ficha.web.kit.protection_words import protection_words
from ficha.web.kit.sections import Columns, list_page
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("institution", "lacks")

section = WorkSection("lacks", PHRASES)
routes = section.routes


@routes.page(INSTITUTIONS + "/{slug}/faltas")
def lacks_page(
    visit: ReadingVisit,
    parts: Parts,
    now: Now,
    address: Address,
    quienes: Annotated[Literal["", "1"], Query()] = "",
    cursor: Cursor = None,
) -> Response:
    """With `quienes`, also who, of those who let it be seen at this moment and lack it still."""
    t, here = section.translate(visit), f"{visit.home}/faltas"
    table = None
    if quienes and visit.opens_records:
        found = listed_members(
            visit.tx,
            parts.keyring,
            visit.institution,
            now,
            after=row_before(cursor, 0),
            limit=PAGE_SIZE + 1,
            standings=OPEN,
            which=[is_marked()],
        )
        shown = found[:PAGE_SIZE]
        lacks = lacks_of_open(visit.tx, parts.secrets, parts.settings, shown)
        note_lacks(parts.read_log, shown, visit.caller.account_id, now, address)
        columns: Columns[ListedMember] = {
            "name": lambda _t, member: person_cell(visit, member),
            "class": lambda _t, member: member.class_text or None,
            "lacks_of": lambda t, member: ", ".join(t(f"lack_{name}") for name in lacks[member.id]),
        }
        page = list_page(t, here, columns, found, "lacks_none", cursor, kept={"quienes": quienes})
        still = [row for member, row in zip(shown, page.rows, strict=True) if lacks[member.id]]
        table = replace(page, rows=still)
    return section.show(
        visit,
        "institution/lacks.html",
        title=t("lacks"),
        protection=protection_words(visit.tx, visit.request, visit.institution.id),
        table=table,
        can_ask=visit.opens_records and table is None,
        asks=f"{here}?quienes=1",
    )
