"""/centros: the institutions where one works; of each, its people, and what a person lets it see of her record."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import Path
from starlette.requests import Request
from starlette.responses import Response

from ficha.enrolment.erasure import leave_institution
from ficha.fmd.access import FmdNotFound
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Address, CurrentCaller, Now, Parts, Reading
from ficha.institutions.institution import institutions_with_role
from ficha.institutions.members import open_member_record
from ficha.institutions.people_list import ListedMember, MemberStanding, listed_member, listed_members
from ficha.web.institution.sections import WorkSection
from ficha.web.institution.worker_access import INSTITUTIONS, ReadingVisit, WorkVisit, WritingVisit
from ficha.web.kit.forms import BadForm, PostedForm
from ficha.web.kit.language import language_of
from ficha.web.kit.lists import PAGE_SIZE, Cell, Search
from ficha.web.kit.lists import code as code_cell
from ficha.web.kit.rendering import show
from ficha.web.kit.sections import Columns, go_on, list_page
from ficha.web.kit.seen_record import PHRASES as SEEN
from ficha.web.kit.seen_record import RecordToRead, seen_record
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("institution", "people")
INSTITUTIONS_PHRASES = page_texts("institution", "institutions")

institutions_routes = signed_in_routes(INSTITUTIONS)
section = WorkSection("people", {**SEEN, **PHRASES})
routes = section.routes

LEFT = "salio"
Estado = Literal["", "waiting", "closed", "sees", "edits"]
MemberCode = Annotated[str, Path(alias="code", max_length=20)]


@institutions_routes.page("")
def institutions_page(request: Request, reading: Reading, caller: CurrentCaller) -> Response:
    """Of who works at one institution its own page, of who works at none her family's."""
    found = institutions_with_role(reading, caller.account_id)
    if len(found) == 1:
        return go_to(request, f"{INSTITUTIONS}/{found[0][0].slug}")
    if not found:
        return go_to(request, "/app")
    return show(request, "institution/institutions.html", INSTITUTIONS_PHRASES, institutions=found, path=INSTITUTIONS)


@routes.page(INSTITUTIONS + "/{slug}")
def people_page(
    visit: ReadingVisit,
    parts: Parts,
    now: Now,
    address: Address,
    q: Search = "",
    estado: Estado = "",
    cursor: Cursor = None,
) -> Response:
    found = listed_members(
        visit.tx,
        parts.keyring,
        visit.institution,
        now,
        after=row_before(cursor, 0),
        limit=PAGE_SIZE + 1,
        search=q,
        standings=[MemberStanding(estado)] if estado else (),
    )
    t = section.translate(visit)
    table = list_page(
        t,
        visit.home,
        _columns(visit),
        found,
        "people_none",
        cursor,
        search_label="people_search",
        search=q,
        stopped_at=found.stopped_at,
        filters=[section.filter(visit, "estado", "consent", MemberStanding, estado, "standing")],
    )
    return section.show(
        visit,
        "institution/people.html",
        title=t("people_of", institution=visit.institution.name),
        table=table,
    )


@routes.page(INSTITUTIONS + "/{slug}/personas/{code}")
def person_page(visit: ReadingVisit, parts: Parts, now: Now, address: Address, code: MemberCode) -> Response:
    """What the institution itself keeps of a person, and for the medical role her record, as far as she lets it be
    seen: that look is noted in the reader's own name."""
    member = listed_member(visit.tx, parts.keyring, visit.institution, code, now)
    seen = _opened(visit, parts, member, now, address) if member.is_open and visit.opens_records else None
    t = section.translate(visit)
    return section.show(
        visit,
        "institution/person.html",
        title=member.nombre,
        member=member,
        standing=t(f"standing_{member.standing}"),
        why=t(_why(visit, member, seen)),
        seen=seen,
        home=visit.home,
        here=f"{visit.home}/personas/{member.bp_code}",
        leaving=t("leaving_prepared" if member.standing is MemberStanding.WAITING else "leaving_record"),
    )


@routes.post(INSTITUTIONS + "/{slug}/personas/{code}")
def end(visit: WritingVisit, parts: Parts, now: Now, address: Address, code: MemberCode, form: PostedForm) -> Response:
    """She is not there any more."""
    if LEFT not in form:
        raise BadForm
    member = listed_member(visit.tx, parts.keyring, visit.institution, code, now)
    leave_institution(visit.tx, visit.institution, member.id, visit.actor, now, origin=address)
    return go_on(visit, visit.home, "left")


def _opened(visit: WorkVisit, parts: Parts, member: ListedMember, now: datetime, address: str) -> RecordToRead | None:
    """None where its code has ended: the institution has no other way in."""
    try:
        record = open_member_record(visit.tx, parts.keyring, visit.institution, visit.role, member.bp_code, now)
    except FmdNotFound:
        return None
    record.note(parts.read_log, visit.caller.account_id, now, origin=address)
    return seen_record(visit.tx, record.stored, record.access.rights.door, now, language_of(visit.request))


def _why(visit: WorkVisit, member: ListedMember, seen: RecordToRead | None) -> str:
    """The phrase that says why there is a record below, or none."""
    if not member.is_open:
        return f"why_{member.standing}"
    if not visit.opens_records:
        return "why_role"
    return "why_seen" if seen is not None else "why_code_ended"


def _columns(visit: WorkVisit) -> Columns[ListedMember]:
    return {
        "name": lambda _t, member: person_cell(visit, member),
        "class": lambda _t, member: member.class_text or None,
        "external_id": lambda _t, member: code_cell(member.external_id) if member.external_id else None,
        "consent": lambda t, member: t(f"standing_{member.standing}"),
    }


def person_cell(visit: WorkVisit, member: ListedMember) -> Cell:
    """Her name, which leads to her page."""
    return Cell(member.nombre, link=f"{visit.home}/personas/{member.bp_code}")
