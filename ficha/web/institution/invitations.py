"""/centros/{slug}/invitaciones: whose families have not answered yet; an invitation is sent again, or ended."""

from collections.abc import Sequence
from datetime import datetime

from starlette.responses import Response

from ficha.core.errors import NotFound
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Now, Parts
from ficha.institutions.invitations import end_invitation, send_again
from ficha.institutions.people_list import (
    InvitationState,
    ListedMember,
    Standing,
    listed_member_of_id,
    listed_members,
)
from ficha.parts import Parts as AllParts
from ficha.web.institution.sections import WorkSection
from ficha.web.institution.worker_access import INSTITUTIONS, ReadingVisit, WorkVisit, WritingVisit
from ficha.web.kit.forms import BadForm, FieldFault, PostedForm
from ficha.web.kit.lists import PAGE_SIZE, Cell, RowAction, Search, row_number
from ficha.web.kit.sections import Columns, faults_in, go_on, list_page
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("institution", "invitations")

section = WorkSection("invitations", PHRASES)
routes = section.routes

PATH = INSTITUTIONS + "/{slug}/invitaciones"
SEND, END = "reenviar", "terminar"


@routes.page(PATH)
def invitations_page(visit: ReadingVisit, parts: Parts, now: Now, q: Search = "", cursor: Cursor = None) -> Response:
    return _page(visit, parts, now, search=q, cursor=cursor)


@routes.post(PATH)
def change(visit: WritingVisit, parts: Parts, now: Now, form: PostedForm) -> Response:
    do = next((name for name in (SEND, END) if name in form), "")
    if not do:
        raise BadForm
    member = listed_member_of_id(visit.tx, parts.keyring, visit.institution, row_number(form[do]), now)
    if member.standing is not Standing.WAITING:
        raise NotFound

    def save() -> None:
        if do == END:
            end_invitation(visit.tx, visit.institution, member.id, visit.actor, now)
        else:
            is_reachable = member.invitation is not InvitationState.UNREACHABLE
            send_again(visit.tx, visit.institution, member.id, visit.actor, now, is_reachable=is_reachable)

    if faults := faults_in(visit.tx, "invitaciones", save):
        return _page(visit, parts, now, faults)
    return go_on(visit, f"{visit.home}/invitaciones", "ended" if do == END else "sent")


def _page(
    visit: WorkVisit,
    parts: AllParts,
    now: datetime,
    faults: Sequence[FieldFault] = (),
    *,
    search: str = "",
    cursor: str | None = None,
) -> Response:
    t, here = section.translate(visit), f"{visit.home}/invitaciones"
    found = listed_members(
        visit.tx,
        parts.keyring,
        visit.institution,
        now,
        after=row_before(cursor, 0),
        limit=PAGE_SIZE + 1,
        search=search,
        standings=[Standing.WAITING],
    )
    columns: Columns[ListedMember] = {
        "name": lambda _t, one: Cell(one.nombre or one.external_id, link=f"{visit.home}/personas/{one.bp_code}"),
        "class": lambda _t, one: one.class_text or None,
        "address": lambda _t, one: one.contact.correo or one.contact.telefono,
        "invitation": lambda t, one: t(f"invitation_{one.invitation}"),
        "invited": lambda _t, one: one.invited_at,
    }

    def actions(one: ListedMember) -> Sequence[RowAction]:
        about = one.nombre or one.external_id
        send = RowAction(t("send_again"), here, about, SEND, str(one.id))
        end = RowAction(t("end"), here, about, END, str(one.id))
        if one.invitation is InvitationState.UNREACHABLE:
            return ()
        return [send] if one.invitation is InvitationState.ENDED else [send, end]

    table = list_page(
        t,
        here,
        columns,
        found,
        "invitations_none",
        cursor,
        actions=actions,
        search_label="people_search",
        search=search,
        stopped_at=found.stopped_at,
    )
    return section.show(visit, "institution/invitations.html", faults=faults, title=t("invitations"), table=table)
