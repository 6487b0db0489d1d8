"""Who looked, and who changed what: the record's log in sentences, by the log that the API reads."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from ficha.audit.log import AuditEntry, entries_of
from ficha.fmd.catalog import CATALOG
from ficha.http.cursors import NO_END, next_cursor, row_before
from ficha.http.dependencies import CurrentCaller, Now, Parts, Reading
from ficha.http.fmd_dependencies import ReadFmd
from ficha.web.kit.language import Translate, language_of, translator
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import signed_in_routes
from ficha.web.portal.who_looked_phrases import ACTIONS, PHRASES

routes = signed_in_routes("/app")

SIZE = 50
STRANGERS = ("tag", "glass")


@dataclass(frozen=True)
class Line:
    when: str
    sentence: str
    about: str
    origin: str


@routes.page("/{code}/accesos")
def who_looked(
    request: Request, reading: Reading, parts: Parts, caller: CurrentCaller, opened: ReadFmd, now: Now, code: str
) -> Response:
    """Newest first. With `otros=1`, without one's own looks."""
    opened.fmd.must_manage()
    opened.note("log.read", [], now)
    parts.read_log.drain_now()
    reading.commit()  # To see what was drained just now.
    before = row_before(request.query_params.get("cursor"), NO_END)
    found = entries_of(reading, opened.fmd.id, before_seq=before, limit=SIZE + 1)
    only_others = request.query_params.get("otros") == "1"
    mine = f"account:{caller.account_id}"
    t, language = translator(language_of(request), PHRASES), language_of(request)
    titles = {model.about.wire: model.about.title.in_language(language) for model in CATALOG}
    lines = [_line(entry, mine, titles, t) for entry in found[:SIZE] if not (only_others and entry.actor == mine)]
    return show(
        request,
        "portal/record/who_looked.html",
        PHRASES,
        code=code,
        lines=lines,
        only_others=only_others,
        following=next_cursor(found, SIZE, lambda entry: entry.seq),
    )


def _line(entry: AuditEntry, mine: str, titles: dict[str, str], t: Translate) -> Line:
    kind = entry.actor.partition(":")[0]
    who = "you" if entry.actor == mine else kind if kind in STRANGERS else f"via_{entry.via}"
    if who not in PHRASES:
        who = "service" if kind == "service" else "somebody"
    action = ACTIONS.get(entry.action, "other")
    return Line(
        f"{entry.at:%Y-%m-%d %H:%M}",
        t(action, who=t(who)),
        ", ".join(titles.get(name, name) for name in entry.what if not name.startswith("grant:")),
        entry.origin,
    )
