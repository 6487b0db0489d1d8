"""SMART Health Links of a record: make, list, end. For the owner and her guardians; they tell more than a sticker."""

from datetime import datetime
from typing import Annotated, Self

from fastapi import Path
from pydantic import AwareDatetime, Field, StringConstraints, model_validator

from ficha.api.bodies import Body
from ficha.api.examples import (
    DEMO_NURSE,
    DEMO_READY,
    answer_example,
    listing_example,
    resource_example,
)
from ficha.api.operations import Operations
from ficha.core.deferred_model import DeferredModel
from ficha.core.text_types import TextLimits
from ficha.exchange.health_links.links import (
    HealthLink,
    HealthLinkState,
    IssuedHealthLink,
    NewHealthLink,
    create_health_link,
    end_health_link,
    health_links_of,
)
from ficha.exchange.health_links.openings import HealthLinkOpening, openings_of
from ficha.exchange.health_links.payload import flags, link_uri
from ficha.fmd.access import OpenFmd
from ficha.http.dependencies import CurrentCaller, Db, Located, Now, Page, Parts, Reading, Reply
from ficha.http.envelope import Answer, Listing, Moment, Resource
from ficha.http.fmd_dependencies import Code, CurrentFmd, ReadFmd
from ficha.http.openapi import ENDS_EXAMPLE

operations = Operations("fmd", prefix="/fmd", callers="bearer", progress="Developing")

Label = Annotated[str, TextLimits(80)]
Passcode = Annotated[str, StringConstraints(min_length=6, max_length=64)]


class HealthLinkOrder(Body):
    label: Label = Field(description="What the link is called by whoever opens it.", examples=["Para la cardióloga"])
    ends_at: Annotated[AwareDatetime, Field(strict=False)] = Field(
        description="When it stops opening, within a year.", examples=[ENDS_EXAMPLE]
    )
    passcode: Passcode | None = Field(
        None, description="To be told apart from the link, by voice. Wrong ones are counted for the link's whole life."
    )
    once: bool = Field(False, description="Whether it opens a single time.")
    long_term: bool = Field(False, description="Whether it may be asked again and again for what has changed (`L`).")
    direct: bool = Field(
        False, description="Whether its address answers with the summary alone, without a list of files (`U`)."
    )

    @model_validator(mode="after")
    def fits_together(self) -> Self:
        if self.direct and self.passcode is not None:
            sentence = "Un enlace directo no puede pedir clave."
            raise self.fault_at("passcode", "directo_sin_clave", sentence)
        if self.once and self.long_term:
            sentence = "Un enlace de un solo uso no puede volver a consultarse."
            raise self.fault_at("long_term", "un_solo_uso", sentence)
        return self


class HealthLinkOpenedBy(DeferredModel):
    at: Moment
    recipient: str = Field(description="In the opener's own words: nobody has checked who it was.")


class HealthLinkAttributes(DeferredModel):
    state: HealthLinkState = Field(description="live, used, blocked by wrong passcodes, expired or ended.")
    label: str
    flag: str = Field(description="L: long-term. P: with a passcode. U: direct.")
    once: bool
    created_at: Moment
    ends_at: Moment
    ended_at: Moment | None
    attempts_left: int | None = Field(description="Wrong passcodes that are left; null without a passcode.")
    openings: int = Field(description="How often it was opened.")
    opened_at: Moment | None = Field(description="When it was opened last.")
    opened_by: list[HealthLinkOpenedBy] = Field(description="The newest first, at most a hundred.")


class NewHealthLinkAttributes(HealthLinkAttributes):
    link: str = Field(description="`shlink:/…`: it holds the key, and is told this once.")
    viewer_link: str = Field(description="The same behind our page that opens it: for a QR at level M.")


HealthLinkOut = Resource[HealthLinkAttributes]
NewHealthLinkOut = Resource[NewHealthLinkAttributes]
LinkId = Annotated[int, Path(alias="id", ge=1, le=2**63 - 1, examples=[1])]
TOLD = {
    "state": "live",
    "label": "Para la cardióloga",
    "flag": "P",
    "ends_at": ENDS_EXAMPLE,
    "attempts_left": 10,
    "openings": 0,
}
EXAMPLE = resource_example("health_link", 1, HealthLinkAttributes, **TOLD)
ISSUED = resource_example(
    "health_link",
    1,
    NewHealthLinkAttributes,
    link="shlink:/eyJ1cmwiOiJodHRwcz…",
    viewer_link="https://ficha.example/ver#shlink:/eyJ1cmwiOiJodHRwcz…",
    **TOLD,
)


@operations.post(
    "/{code}/links", "Create health link", status=201, errors=(403, 404), example=answer_example(ISSUED, 201)
)
def create(
    db: Db,
    parts: Parts,
    caller: CurrentCaller,
    fmd: CurrentFmd,
    now: Now,
    reply: Reply,
    located: Located,
    code: Code,
    body: HealthLinkOrder,
) -> "Answer[NewHealthLinkOut]":
    """A SMART Health Link: whoever has it reads what a professional may read of the record now, until it ends. The link
    holds the key of its files, which nobody can tell again."""
    asked = NewHealthLink(body.label, body.ends_at, body.passcode, body.once, body.long_term, body.direct)
    made = create_health_link(db, fmd, caller.account_id, asked, now)
    located(f"/fmd/{code}/links")
    return reply(_issued_out(made, fmd, parts.settings.public_url, now))


@operations.get(
    "/{code}/links",
    "Health links",
    errors=(403, 404, 422),
    example=listing_example([EXAMPLE]),
    example_path={"code": DEMO_READY},
    example_caller=DEMO_NURSE,
)
def list_links(reading: Reading, opened: ReadFmd, now: Now, page: Page) -> "Listing[HealthLinkOut]":
    """The links of this record, the first first: those that ended stay for a year, with who opened them."""
    opened.fmd.must_manage()
    links = health_links_of(reading, opened.fmd.id)
    openings = openings_of(reading, [link.id for link in links])
    return page.part(
        links, lambda link: health_link_out(link, openings.get(link.id, []), opened.fmd, now), lambda link: link.id
    )


@operations.delete(
    "/{code}/links/{id}",
    "End health link",
    errors=(403, 404, 419, 422),
    example=answer_example(EXAMPLE | {"attributes": EXAMPLE["attributes"] | {"state": "ended"}}),
    example_path={"code": DEMO_READY, "id": 3},
    example_caller=DEMO_NURSE,
)
def end(db: Db, fmd: CurrentFmd, now: Now, reply: Reply, link_id: LinkId) -> "Answer[HealthLinkOut]":
    """The link opens nothing from now on, and its key is destroyed. What was read stays with whoever read it."""
    link = end_health_link(db, fmd, link_id, now)
    return reply(health_link_out(link, openings_of(db, [link.id]).get(link.id, []), fmd, now))


def health_link_out(link: HealthLink, openings: list[HealthLinkOpening], fmd: OpenFmd, now: datetime) -> HealthLinkOut:
    return Resource(type="health_link", id=link.id, attributes=HealthLinkAttributes(**_told(link, openings, fmd, now)))


def _issued_out(made: IssuedHealthLink, fmd: OpenFmd, base: str, now: datetime) -> NewHealthLinkOut:
    uri = link_uri(base, made, fmd.key)
    told = NewHealthLinkAttributes(**_told(made.link, [], fmd, now), link=uri.bare, viewer_link=uri.for_viewer)
    return Resource(type="health_link", id=made.link.id, attributes=told)


def _told(link: HealthLink, openings: list[HealthLinkOpening], fmd: OpenFmd, now: datetime) -> dict[str, object]:
    return {
        "state": link.state(now),
        "label": link.label(fmd.key),
        "flag": flags(long_term=link.long_term, has_passcode=link.has_passcode, direct=link.direct),
        "once": link.once,
        "created_at": link.created_at,
        "ends_at": link.ends_at,
        "ended_at": link.ended_at,
        "attempts_left": link.attempts_left if link.has_passcode else None,
        "openings": link.openings,
        "opened_at": link.opened_at,
        "opened_by": [HealthLinkOpenedBy(at=one.at, recipient=one.recipient(fmd.key)) for one in openings],
    }
