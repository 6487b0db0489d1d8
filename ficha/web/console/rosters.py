"""/admin/instituciones/{slug}/nominas: a roster is uploaded, tried, and imported once somebody agrees; and dudas: rows
that may be about somebody who is enrolled. The pages of the institution itself have the same (`kit/rosters.py`)."""

from typing import Annotated

from fastapi import Path
from starlette.responses import Response

from ficha.http.cursors import Cursor
from ficha.http.dependencies import Db, Now, Reading
from ficha.http.dependencies import Parts as AskedParts
from ficha.institutions.institution import institution_with
from ficha.institutions.person_to_enrol import EnrolContext
from ficha.web.console.institutions import PATH
from ficha.web.console.sections import MenuSection
from ficha.web.console.staff_access import AdminVisit
from ficha.web.kit.forms import PostedForm, PostedUpload
from ficha.web.kit.lists import RowNumber, SlugPath
from ficha.web.kit.rosters import PHRASES, RosterPages

section = MenuSection("institutions", PHRASES)
routes = section.routes
pages = RosterPages(section, section, names=False)


@routes.page(PATH + "/{slug}/nominas")
def rosters_page(reading: Reading, visit: AdminVisit, slug: SlugPath, cursor: Cursor = None) -> Response:
    return pages.show_uploads(reading, visit, institution_with(reading, slug), f"{PATH}/{slug}", cursor)


@routes.post(PATH + "/{slug}/nominas", takes_files=True)
def add(db: Db, parts: AskedParts, visit: AdminVisit, now: Now, slug: SlugPath, form: PostedUpload) -> Response:
    institution = institution_with(db, slug)
    return pages.add(db, visit, institution, f"{PATH}/{slug}", form, visit.actor, parts.keyring, now)


@routes.page(PATH + "/{slug}/nominas/plantilla.{ending}")
def template(reading: Reading, visit: AdminVisit, slug: SlugPath, ending: Annotated[str, Path()]) -> Response:
    institution_with(reading, slug)
    return pages.template(visit, ending)


@routes.page(PATH + "/{slug}/nominas/{upload_id}")
def roster_page(
    reading: Reading,
    parts: AskedParts,
    visit: AdminVisit,
    slug: SlugPath,
    upload_id: RowNumber,
    cursor: Cursor = None,
) -> Response:
    institution = institution_with(reading, slug)
    return pages.show_upload(reading, visit, institution, f"{PATH}/{slug}", upload_id, parts, cursor)


@routes.post(PATH + "/{slug}/nominas/{upload_id}")
def agree_to(db: Db, visit: AdminVisit, now: Now, slug: SlugPath, upload_id: RowNumber) -> Response:
    return pages.agree(db, visit, institution_with(db, slug), f"{PATH}/{slug}", upload_id, visit.actor, now)


@routes.page(PATH + "/{slug}/dudas")
def doubts_page(
    reading: Reading, parts: AskedParts, visit: AdminVisit, slug: SlugPath, cursor: Cursor = None
) -> Response:
    return pages.show_doubts(reading, visit, institution_with(reading, slug), f"{PATH}/{slug}", parts, cursor)


@routes.page(PATH + "/{slug}/dudas/{doubt_id}")
def doubt_page(
    reading: Reading, parts: AskedParts, visit: AdminVisit, now: Now, slug: SlugPath, doubt_id: RowNumber
) -> Response:
    return pages.show_doubt(reading, visit, institution_with(reading, slug), f"{PATH}/{slug}", doubt_id, parts, now)


@routes.post(PATH + "/{slug}/dudas/{doubt_id}")
def decide(
    db: Db, parts: AskedParts, visit: AdminVisit, now: Now, slug: SlugPath, doubt_id: RowNumber, form: PostedForm
) -> Response:
    context = EnrolContext(institution_with(db, slug), parts.keyring, parts.secrets, now)
    return pages.decide(db, visit, f"{PATH}/{slug}", doubt_id, context, visit.actor, form)
