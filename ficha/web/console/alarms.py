"""/admin/alarmas: what should worry somebody about the service, who guesses codes, and who opens records."""

from typing import Literal

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.tokens import MAX_ID
from ficha.http.alarms import find_alarms
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Now, Reading
from ficha.notices.notices import ReaderKind, named_openings
from ficha.products.decoys import raised_alarms
from ficha.web.console.door import StaffVisit
from ficha.web.console.frame import show_console, translate_for, word_of
from ficha.web.kit.lists import PAGE_SIZE, Cell, Row, Table, code, filter_of, moment, page_of
from ficha.web.kit.signed_in import signed_in_routes
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("console", "alarms")

routes = signed_in_routes()

PATH = "/admin/alarmas"
# Of guessed codes; an alarm is raised once a day for each decoy and address.
MOST_GUESSING = 20


@routes.page(PATH)
def alarms_page(
    request: Request,
    reading: Reading,
    visit: StaffVisit,
    now: Now,
    como: Literal["", "glass", "staff"] = "",
    cursor: Cursor = None,
) -> Response:
    t = translate_for(request, PHRASES)
    how = ReaderKind(como) if como else None
    current = find_alarms(reading, now)
    raised = raised_alarms(reading, before=MAX_ID, limit=MOST_GUESSING)
    before = row_before(cursor, MAX_ID)
    found = named_openings(reading, how=how, before=before, limit=PAGE_SIZE + 1)
    service = Table(
        PATH,
        [t("what"), t("service_about")],
        [Row([Cell(t(f"alarm_{alarm}")), code(about)]) for alarm, about in current.items()],
        t("service_alarms_none"),
    )
    guessing = Table(
        PATH,
        [t("what"), t("when")],
        [Row([Cell(word_of(t, PHRASES, "guessing", alarm.kind)), moment(alarm.at)]) for alarm in raised],
        t("guessing_none"),
    )
    opened = page_of(
        t,
        PATH,
        ("how", "record", "when", "told"),
        found,
        lambda one: Row([Cell(t(f"how_{one.how}")), code(str(one.record_id)), moment(one.at), moment(one.told_at)]),
        "openings_none",
        cursor,
        filters=[filter_of(t, "como", "how", ("glass", "staff"), como)],
    )
    tables = [(t("service_alarms"), service), (t("guessing_alarms"), guessing), (t("openings"), opened)]
    return show_console(request, visit, "console/alarms.html", "alarms", PHRASES, title=t("alarms"), tables=tables)
