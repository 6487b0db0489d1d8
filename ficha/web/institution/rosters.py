"""/centros/{slug}/nominas and dudas: rosters, as the console has them (`kit/rosters.py`), by who works there."""

from typing import Annotated

from fastapi import Path
from starlette.responses import Response

from ficha.http.cursors import Cursor
from ficha.http.dependencies import Now
from ficha.http.dependencies import Parts as AskedParts
from ficha.institutions.person_to_enrol import EnrolContext
from ficha.web.institution.sections import WorkSection
from ficha.web.institution.worker_access import INSTITUTIONS, ReadingVisit, WritingVisit
from ficha.web.kit.forms import PostedForm, PostedUpload
from ficha.web.kit.lists import RowNumber
from ficha.web.kit.rosters import PHRASES, RosterPages

section = WorkSection("rosters", PHRASES)
routes = section.routes
doubts_section = WorkSection("doubts", PHRASES, routes)
pages = RosterPages(section, doubts_section, names=True)

ROSTERS, DOUBTS = INSTITUTIONS + "/{slug}/nominas", INSTITUTIONS + "/{slug}/dudas"


@routes.page(ROSTERS)
def rosters_page(visit: ReadingVisit, cursor: Cursor = None) -> Response:
    return pages.show_uploads(visit.tx, visit, visit.institution, visit.home, cursor)


@routes.post(ROSTERS, takes_files=True)
def add(visit: WritingVisit, parts: AskedParts, now: Now, form: PostedUpload) -> Response:
    return pages.add(visit.tx, visit, visit.institution, visit.home, form, visit.actor, parts.keyring, now)


@routes.page(ROSTERS + "/plantilla.{ending}")
def template(visit: ReadingVisit, ending: Annotated[str, Path()]) -> Response:
    return pages.template(visit, ending)


@routes.page(ROSTERS + "/{upload_id}")
def roster_page(visit: ReadingVisit, parts: AskedParts, upload_id: RowNumber, cursor: Cursor = None) -> Response:
    return pages.show_upload(visit.tx, visit, visit.institution, visit.home, upload_id, parts, cursor)


@routes.post(ROSTERS + "/{upload_id}")
def agree_to(visit: WritingVisit, now: Now, upload_id: RowNumber) -> Response:
    return pages.agree(visit.tx, visit, visit.institution, visit.home, upload_id, visit.actor, now)


@routes.page(DOUBTS)
def doubts_page(visit: ReadingVisit, parts: AskedParts, cursor: Cursor = None) -> Response:
    return pages.show_doubts(visit.tx, visit, visit.institution, visit.home, parts, cursor)


@routes.page(DOUBTS + "/{doubt_id}")
def doubt_page(visit: ReadingVisit, parts: AskedParts, now: Now, doubt_id: RowNumber) -> Response:
    return pages.show_doubt(visit.tx, visit, visit.institution, visit.home, doubt_id, parts, now)


@routes.post(DOUBTS + "/{doubt_id}")
def decide(visit: WritingVisit, parts: AskedParts, now: Now, doubt_id: RowNumber, form: PostedForm) -> Response:
    context = EnrolContext(visit.institution, parts.keyring, parts.secrets, now)
    return pages.decide(visit.tx, visit, visit.home, doubt_id, context, visit.actor, form)
