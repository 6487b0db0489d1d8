"""Who looked, and who changed what: the record's log in sentences, by the log that the API reads."""

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import func, select
from starlette.requests import Request
from starlette.responses import Response

from ficha.audit.chain import AuditEntry
from ficha.audit.log import entries_of
from ficha.fmd.local_time import zone_text
from ficha.http.cursors import NO_END, next_cursor, row_before
from ficha.http.dependencies import CurrentCaller, Now, Parts, Reading
from ficha.http.fmd_dependencies import ReadFmd
from ficha.web.kit.language import language_of
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.log.log_filters import LogPart, condition, is_alarm
from ficha.web.portal.log.log_sentences import LogReader

PHRASES = page_texts("portal", "who_looked")

routes = signed_in_routes("/app")

SIZE = 50
ALARM_DAYS = timedelta(days=30)


@dataclass(frozen=True)
class LogLine:
    seq: int
    sentence: str
    about: str
    origin: str
    is_alarm: bool


@routes.page("/{code}/accesos")
def who_looked(
    request: Request, reading: Reading, parts: Parts, caller: CurrentCaller, opened: ReadFmd, now: Now, code: str
) -> Response:
    """Newest first; with `ver`, one part of it."""
    fmd = opened.fmd
    fmd.must_manage()
    opened.note("log.read", [], now)
    parts.read_log.drain_now()
    reading.commit()  # To see what was drained just now.
    asked = request.query_params.get("ver")
    part = LogPart(asked) if asked in set(LogPart) else LogPart.ALL
    mine = f"account:{caller.account_id}"
    before = row_before(request.query_params.get("cursor"), NO_END)
    found = entries_of(reading, fmd.id, *condition(part, mine), before_seq=before, limit=SIZE + 1)
    reader = LogReader.of(reading, fmd, caller.account_id, found, language_of(request), now)
    alarms = reading.orm.scalar(
        select(func.count())
        .select_from(AuditEntry)
        .where(AuditEntry.record_id == fmd.id, AuditEntry.at > now - ALARM_DAYS, *condition(LogPart.ALARMS, mine))
    )
    return show(
        request,
        "portal/log/who_looked.html",
        PHRASES,
        code=code,
        lines=[
            LogLine(entry.seq, reader.sentence(entry), reader.about(entry), entry.origin, is_alarm(entry, mine))
            for entry in found[:SIZE]
        ],
        parts=list(LogPart),
        part=part,
        zone=zone_text(reader.zone),
        alarms=alarms,
        following=next_cursor(found, SIZE, lambda entry: entry.seq),
    )
