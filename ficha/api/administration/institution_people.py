"""For who works at an institution, with her own token: its people, and what they let it see of their records."""

from typing import Annotated, Any

from fastapi import Path
from pydantic import Field

from ficha.api.administration.institution_users import EXAMPLE, InstitutionUserOut, Slug, institution_user_out
from ficha.api.examples import DEMO_MEMBER, DEMO_NURSE, answer_example, listing_example
from ficha.api.operations import Operations
from ficha.core.deferred_model import DeferredModel
from ficha.http.dependencies import Address, CurrentCaller, Now, Page, Parts, Reading, Reply
from ficha.http.envelope import Answer, Listing, Resource
from ficha.institutions.consents import present_consents
from ficha.institutions.institution import institution_with_role
from ficha.institutions.members import Member, MemberState, members_of, open_member_record

operations = Operations("administration", prefix="/institutions", progress="Developing")

BpCode = Annotated[
    str, Path(alias="code", max_length=20, description="The code that the institution issued.", examples=[DEMO_MEMBER])
]


class SeenAttributes(DeferredModel):
    external_id: str | None = Field(description="The institution's own name for the person.")
    models: dict[str, dict[str, Any]] = Field(description="What the person lets the institution see, by model.")


SeenOut = Resource[SeenAttributes]
SEEN = {
    "type": "institution_person",
    "id": DEMO_MEMBER,
    "attributes": {"external_id": "2026-0117", "models": {"cuerpo": {"peso_kg": 42}}},
}


@operations.get(
    "/{institution}/people",
    "Institution people",
    callers="bearer",
    errors=(404, 422),
    example=listing_example([EXAMPLE]),
    example_caller=DEMO_NURSE,
)
def list_people(reading: Reading, caller: CurrentCaller, page: Page, institution: Slug) -> Listing[InstitutionUserOut]:
    """The people that an institution enrolled, the first first, for whoever has a role there: nothing medical, and no
    name of ours."""
    employer, _ = institution_with_role(reading, caller.account_id, institution)
    found = members_of(reading, employer.id, after=page.start(0), limit=page.limit)
    consents = present_consents(reading, found[: page.size])

    def shown(member: Member) -> InstitutionUserOut:
        state, consent = MemberState(member.state), consents.get(member.id)
        return institution_user_out(member.external_id or "", member.bp_code, state, consent)

    return page.answer(found, shown, lambda member: member.id)


@operations.get(
    "/{institution}/people/{code}",
    "Institution person",
    callers="bearer",
    errors=(403, 404, 422, 503),
    example=answer_example(SEEN),
    example_caller=DEMO_NURSE,
)
def read_person(
    reading: Reading,
    parts: Parts,
    caller: CurrentCaller,
    now: Now,
    address: Address,
    reply: Reply,
    institution: Slug,
    code: BpCode,
) -> Answer[SeenOut]:
    """What the owner or guardian lets the institution see, for whoever has the medical role there. The look is logged
    in the reader's own name, and the owner sees it."""
    employer, role = institution_with_role(reading, caller.account_id, institution)
    seen = open_member_record(reading, parts.keyring, employer, role, code, now)
    seen.note(parts.read_log, caller.account_id, now, origin=address)
    attributes = SeenAttributes(external_id=seen.member.external_id, models=dict(seen.documents))
    return reply(Resource(type="institution_person", id=seen.member.bp_code, attributes=attributes))
