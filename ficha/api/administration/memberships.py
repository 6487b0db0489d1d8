"""Of the person: which institutions enrolled her, accepting that, and what each may see."""

from typing import Annotated

from fastapi import Path
from pydantic import ConfigDict, Field

from ficha.api.administration.institution_users import ConsentGiven, consent_out
from ficha.api.bodies import Body, ProductCode
from ficha.api.examples import (
    DEMO_CODE,
    DEMO_ENROLLED,
    DEMO_INSTITUTION,
    DEMO_MEMBER,
    DEMO_NURSE,
    DEMO_READY,
    answer_example,
    listing_example,
)
from ficha.api.operations import Operations
from ficha.core.deferred_model import DeferredModel
from ficha.core.text_types import Etiqueta
from ficha.fmd.access import open_fmd
from ficha.http.dependencies import Address, CurrentCaller, Db, Now, Page, Parts, Reading, Reply
from ficha.http.envelope import Answer, Listing, Resource
from ficha.http.etags import AlreadyThere, OnlyNew
from ficha.institutions.consents import (
    Membership,
    accept_enrolment,
    change_consent,
    memberships_of,
    memberships_of_record,
)

operations = Operations("administration", prefix="/institutions", progress="Developing")


class Decision(Body):
    ve: bool = Field(description="Whether the institution may open the record.", examples=[True])
    edita: bool = Field(False, description="Whether it may also change what it sees.")


class Acceptance(Decision):
    model_config = ConfigDict(json_schema_extra={"examples": [{"token": DEMO_ENROLLED, "ve": True, "code": DEMO_CODE}]})

    token: str = Field(
        min_length=1, max_length=100, description="From the link of the invitation.", examples=[DEMO_ENROLLED]
    )
    code: ProductCode | None = Field(
        None, description="A code of the caller's record that it joins.", examples=[DEMO_CODE]
    )
    relacion: Etiqueta | None = Field(
        None,
        description="What the caller is to the person, where she is not herself that person and the institution did "
        "not write it. A record that it joins keeps its own.",
        examples=["madre"],
    )


class NewDecision(Decision):
    code: ProductCode = Field(description="Any live code of the record.", examples=[DEMO_READY])


class MembershipAttributes(DeferredModel):
    nombre: str = Field(description="What the institution is called.")
    fmd_code: int
    bp_code: str
    consentimiento: ConsentGiven | None


MembershipOut = Resource[MembershipAttributes]
EXAMPLE = {
    "type": "institution",
    "id": "colegio-san-luis",
    "attributes": {
        "nombre": "Colegio San Luis",
        "fmd_code": 1904221833,
        "bp_code": DEMO_MEMBER,
        "consentimiento": {"version": "2026-11", "ve": True, "edita": False, "desde": "2026-11-15T12:00:00+00:00"},
    },
}


@operations.post(
    "/accept",
    "Accept institution",
    callers="bearer",
    errors=(403, 404, 409, 415, 422),
    example=answer_example(EXAMPLE),
    example_once=True,
)
def accept(
    db: Db, parts: Parts, caller: CurrentCaller, now: Now, address: Address, reply: Reply, body: Acceptance
) -> "Answer[MembershipOut]":
    """The record that an institution prepared becomes the caller's, or joins one of hers, and she decides what the
    institution may see. The secret of the link proves that she was invited."""
    accepted = accept_enrolment(
        db,
        parts.keyring,
        body.token,
        caller,
        now,
        sees=body.ve,
        edits=body.edita,
        most=parts.settings.account_records,
        code=body.code,
        relacion=body.relacion,
        origin=address,
    )
    return reply(_membership_out(accepted))


@operations.get("", "Institutions", callers="bearer", errors=(422,), example=listing_example([EXAMPLE]))
def list_memberships(reading: Reading, caller: CurrentCaller, page: Page) -> "Listing[MembershipOut]":
    """The institutions that enrolled the caller's records, the first first, and what each may see."""
    found = memberships_of(reading, caller.account_id)
    return page.part(found, _membership_out, lambda each: each.member.id)


@operations.put(
    "/{institution}/consent",
    "Put consent",
    callers="bearer",
    errors=(403, 404, 412, 415, 422),
    example=answer_example(EXAMPLE),
    example_caller=DEMO_NURSE,
)
def put_consent(
    db: Db,
    parts: Parts,
    caller: CurrentCaller,
    now: Now,
    address: Address,
    reply: Reply,
    only_new: OnlyNew,
    institution: Annotated[str, Path(description="The institution's short name.", examples=[DEMO_INSTITUTION])],
    body: NewDecision,
) -> "Answer[MembershipOut]":
    """The owner or a guardian decides anew; it counts at once. Each decision is kept with its version."""
    fmd = open_fmd(db, parts.keyring, caller, body.code, now, origin=address)
    given = (each for each in memberships_of_record(db, fmd.id) if each.institution.slug == institution)
    if only_new and any(each.consent is not None for each in given):
        raise AlreadyThere
    decided = change_consent(db, fmd, institution, caller.account_id, now, sees=body.ve, edits=body.edita)
    return reply(_membership_out(decided))


def _membership_out(found: Membership) -> MembershipOut:
    return Resource(
        type="institution",
        id=found.institution.slug,
        attributes=MembershipAttributes(
            nombre=found.institution.name,
            fmd_code=found.member.record_id,
            bp_code=found.member.bp_code,
            consentimiento=consent_out(found.consent),
        ),
    )
