"""/admin/alarmas: what should worry somebody about the service, who guesses codes, and who opens records."""

from typing import Literal

from starlette.responses import Response

from ficha.accounts.tokens import MAX_ID
from ficha.http.alarms import find_alarms
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Now, Reading
from ficha.notices.notices import ReaderKind, ReadNotice, named_openings
from ficha.products.decoys import RaisedAlarm, raised_alarms
from ficha.web.console.sections import MenuSection
from ficha.web.console.staff_access import StaffVisit
from ficha.web.kit.lists import PAGE_SIZE, code
from ficha.web.kit.sections import Columns, list_page, table_of
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("console", "alarms")

section = MenuSection("alarms", PHRASES)
routes = section.routes

# Of guessed codes; an alarm is raised once a day for each decoy and address.
MOST_GUESSING = 20
SERVICE: Columns[tuple[str, str]] = {
    "what": lambda t, one: t(f"alarm_{one[0]}"),
    "service_about": lambda _t, one: code(one[1]),
}
GUESSING: Columns[RaisedAlarm] = {
    "what": lambda t, alarm: section.word_of(t, "guessing", alarm.kind),
    "when": lambda _t, alarm: alarm.at,
}
OPENINGS: Columns[ReadNotice] = {
    "how": lambda t, one: t(f"how_{one.how}"),
    "record": lambda _t, one: code(str(one.record_id)),
    "when": lambda _t, one: one.at,
    "told": lambda _t, one: one.told_at,
}


@routes.page(section.path)
def alarms_page(
    reading: Reading,
    visit: StaffVisit,
    now: Now,
    como: Literal["", "glass", "staff", "note"] = "",
    cursor: Cursor = None,
) -> Response:
    t, path = section.translate(visit), section.path
    current = find_alarms(reading, now)
    raised = raised_alarms(reading, before=MAX_ID, limit=MOST_GUESSING)
    how, before = ReaderKind(como) if como else None, row_before(cursor, MAX_ID)
    found = named_openings(reading, how=how, before=before, limit=PAGE_SIZE + 1)
    filters = [section.filter(visit, "como", "how", ("glass", "staff", "note"), como)]
    tables = [
        (t("service_alarms"), table_of(t, path, SERVICE, current.items(), "service_alarms_none")),
        (t("guessing_alarms"), table_of(t, path, GUESSING, raised, "guessing_none")),
        (t("openings"), list_page(t, path, OPENINGS, found, "openings_none", cursor, filters=filters)),
    ]
    return section.show(visit, "console/alarms.html", title=t("alarms"), tables=tables)
