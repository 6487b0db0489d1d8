"""/centros/{slug}/invitaciones: whose families have not answered yet; an invitation is sent again, or ended."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from ficha.core.errors import NotFound
from ficha.http.cursors import Cursor, row_before
from ficha.http.dependencies import Now, Parts
from ficha.institutions.invitations import end_invitation, send_again
from ficha.institutions.people_list import (
    InvitationState,
    ListedMember,
    MemberStanding,
    listed_member_of_id,
    listed_members,
)
from ficha.parts import Parts as AllParts
from ficha.web.institution.people import person_cell
from ficha.web.institution.sections import WorkSection
from ficha.web.institution.worker_access import INSTITUTIONS, ReadingVisit, WorkVisit, WritingVisit
from ficha.web.kit.forms import BadForm, FieldFault, PostedForm
from ficha.web.kit.lists import PAGE_SIZE, RowAction, Search, row_number, with_query
from ficha.web.kit.sections import DONE, Columns, faults_in, list_page
from ficha.web.kit.signed_in import go_to
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("institution", "invitations")

section = WorkSection("invitations", PHRASES)
routes = section.routes

PATH = INSTITUTIONS + "/{slug}/invitaciones"
SEND, END = "reenviar", "terminar"
Whose = Annotated[str, Query(max_length=20)]


@routes.page(PATH)
def invitations_page(
    visit: ReadingVisit, parts: Parts, now: Now, q: Search = "", cursor: Cursor = None, de: Whose = ""
) -> Response:
    return _page(visit, parts, now, search=q, cursor=cursor, whose=de)


@routes.post(PATH)
def change(
    visit: WritingVisit, parts: Parts, now: Now, form: PostedForm, q: Search = "", cursor: Cursor = None
) -> Response:
    """Whoever searched, or is on a later page, stays there."""
    do = next((name for name in (SEND, END) if name in form), "")
    if not do:
        raise BadForm
    member = listed_member_of_id(visit.tx, parts.keyring, visit.institution, row_number(form[do]), now)
    if member.standing is not MemberStanding.WAITING:
        raise NotFound

    def save() -> None:
        if do == END:
            end_invitation(visit.tx, visit.institution, member.id, visit.actor, now)
        else:
            is_reachable = member.invitation is not InvitationState.UNREACHABLE
            send_again(visit.tx, visit.institution, member.id, visit.actor, now, is_reachable=is_reachable)

    if faults := faults_in(visit.tx, "invitaciones", save):
        return _page(visit, parts, now, faults, search=q, cursor=cursor)
    done = {DONE: "ended" if do == END else "sent", "de": str(member.id)}
    return go_to(visit.request, _address(visit, q, cursor, done))


def _address(visit: WorkVisit, search: str, cursor: str | None, done: Mapping[str, str] | None = None) -> str:
    return with_query(f"{visit.home}/invitaciones", {"q": search, "cursor": cursor or "", **(done or {})})


def _page(
    visit: WorkVisit,
    parts: AllParts,
    now: datetime,
    faults: Sequence[FieldFault] = (),
    *,
    search: str = "",
    cursor: str | None = None,
    whose: str = "",
) -> Response:
    """`whose` invitation was sent or ended, by the number of a row: an address holds no name."""
    t, here, form = section.translate(visit), f"{visit.home}/invitaciones", _address(visit, search, cursor)
    found = listed_members(
        visit.tx,
        parts.keyring,
        visit.institution,
        now,
        after=row_before(cursor, 0),
        limit=PAGE_SIZE + 1,
        search=search,
        standings=[MemberStanding.WAITING],
    )
    columns: Columns[ListedMember] = {
        "name": lambda _t, one: person_cell(visit, one),
        "class": lambda _t, one: one.class_text or None,
        "address": lambda _t, one: one.contact.correo or one.contact.telefono,
        "invitation": lambda t, one: t(f"invitation_{one.invitation}"),
        "invited": lambda _t, one: one.invited_at,
    }

    def actions(one: ListedMember) -> Sequence[RowAction]:
        send = RowAction(t("send_again"), form, one.nombre, SEND, str(one.id))
        end = RowAction(t("end"), form, one.nombre, END, str(one.id))
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
    return section.show(
        visit,
        "institution/invitations.html",
        faults=faults,
        done_values={"name": next((one.nombre for one in found if str(one.id) == whose), t("not_waiting"))},
        title=t("invitations"),
        table=table,
    )
