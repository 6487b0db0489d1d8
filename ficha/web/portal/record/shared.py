"""All that an owner ever gave to others of one record: links, people, institutions, cards, stickers. She sees when each
was last used, and ends it here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from starlette.requests import Request
from starlette.responses import Response

from ficha.audit.chain import AuditEntry
from ficha.cards.carnets import CarnetState, NoLiveCarnet, newest_carnet, revoke_carnet, state_of
from ficha.core.errors import NotFound
from ficha.core.transaction import Transaction
from ficha.exchange.health_cards.issued import CardEnded, CardState, ListedCard, issued_cards, revoke_card
from ficha.exchange.health_links.links import HealthLink, HealthLinkState, end_health_link, health_links_of
from ficha.exchange.health_links.openings import openings_of
from ficha.fmd.access import OpenFmd
from ficha.fmd.dates_and_amounts import moment_text
from ficha.fmd.grants import GrantKind, live_grants
from ficha.fmd.invitations import address_of, end_access
from ficha.fmd.record_codes import CodeEnded, end_code, leave_a_code, sticker_name
from ficha.http.dependencies import CurrentCaller, Db, Now, Parts, Reading
from ficha.http.fmd_dependencies import CurrentFmd, ReadFmd
from ficha.institutions.consents import change_consent, memberships_of_record
from ficha.institutions.institution import InstitutionUnknown
from ficha.products.product import LIVE, Product, ProductState
from ficha.web.kit.forms import PostedForm
from ficha.web.kit.language import language_of
from ficha.web.kit.lists import row_number
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.time_zones import zone_for

PHRASES = page_texts("portal", "shared")

routes = signed_in_routes("/app")

# Openers of a link that are named beside it.
MOST_NAMED = 5
DONE = ("terminado",)


@dataclass(frozen=True)
class ShownLink:
    id: int
    label: str
    state: HealthLinkState
    until: str
    openings: int
    opened_by: list[tuple[str, str]]

    @property
    def is_live(self) -> bool:
        return self.state is HealthLinkState.LIVE


@dataclass(frozen=True)
class ShownPerson:
    id: int
    name: str
    kind: str
    is_invited: bool
    last_use: str


@dataclass(frozen=True)
class ShownInstitution:
    slug: str
    name: str
    edits: bool


@dataclass(frozen=True)
class ShownCode:
    """A sticker, a carnet or a sheet. `is_page` is the one by which this page was opened: the others end here."""

    code: str
    name: str
    is_live: bool
    is_carnet: bool
    last_use: str


@routes.page("/{code}/compartido")
def shared_page(
    request: Request, reading: Reading, parts: Parts, caller: CurrentCaller, opened: ReadFmd, now: Now, code: str
) -> Response:
    fmd = opened.fmd
    fmd.must_manage()
    parts.read_log.drain_now()
    reading.give_back()  # To see what was opened just now.
    zone, language = zone_for(request, reading, fmd, caller.account_id), language_of(request)

    def when(at: datetime | None) -> str:
        return "" if at is None else moment_text(at, now, zone, language)

    links, codes = _links(reading, fmd, now, when), _codes(reading, fmd, now, when)
    done = request.query_params.get("hecho", "")
    return show(
        request,
        "portal/record/shared.html",
        PHRASES,
        code=code,
        links=[one for one in links if one.is_live],
        old_links=[one for one in links if not one.is_live],
        people=_people(reading, fmd, now, when),
        institutions=_institutions(reading, fmd),
        cards=[(one.id, when(one.issued_at)) for one in _valid(issued_cards(reading, fmd, now))],
        codes=[one for one in codes if one.is_live],
        old_codes=[one for one in codes if not one.is_live],
        done=done if done in DONE else "",
    )


@routes.post("/{code}/compartido")
def end_one(
    request: Request, db: Db, caller: CurrentCaller, fmd: CurrentFmd, now: Now, form: PostedForm, code: str
) -> Response:
    """What has ended meanwhile has ended."""
    fmd.must_manage()
    do, _, which = form.get("do", "").partition(":")
    try:
        if do == "enlace":
            end_health_link(db, fmd, row_number(which), now)
        elif do == "persona":
            end_access(db, fmd, row_number(which), now)
        elif do == "centro":
            change_consent(db, fmd, which, caller.account_id, now, sees=False, edits=False)
        elif do == "tarjeta":
            revoke_card(db, fmd, row_number(which), now)
        elif do == "carnet":
            revoke_carnet(db, fmd, now)
        elif do == "codigo" and db.orm.scalar(select(Product.record_id).where(Product.code == which)) == fmd.id:
            end_code(db, caller, which, ProductState.RETIRED, now)
            left = leave_a_code(db, fmd.id, fmd.actor, now)
            code = left if which == code.upper() else code
    except (NotFound, NoLiveCarnet, CardEnded, CodeEnded, InstitutionUnknown):
        db.rollback()
    return go_to(request, f"/app/{code}/compartido?hecho=terminado")


When = Callable[[datetime | None], str]


def _links(tx: Transaction, fmd: OpenFmd, now: datetime, when: When) -> list[ShownLink]:
    found = health_links_of(tx, fmd.id)
    openings = openings_of(tx, [link.id for link in found])

    def shown(link: HealthLink) -> ShownLink:
        by = [(when(one.at), one.recipient(fmd.key)) for one in openings.get(link.id, [])[:MOST_NAMED]]
        return ShownLink(link.id, link.label(fmd.key), link.state(now), when(link.ends_at), link.openings, by)

    return [shown(link) for link in found]


def _valid(cards: list[ListedCard]) -> list[ListedCard]:
    return [card for card in cards if card.state is CardState.ISSUED]


def _people(tx: Transaction, fmd: OpenFmd, now: datetime, when: When) -> list[ShownPerson]:
    given = [(grant, account) for grant, account in live_grants(tx, fmd.id, now) if grant.kind != GrantKind.INSTITUTION]
    uses = _last_uses(tx, fmd.id, [f"account:{account.id}" for _, account in given if account is not None])
    return [
        ShownPerson(
            grant.id,
            account.nombre if account is not None and account.nombre else address_of(grant, fmd.key),
            grant.kind,
            grant.account_id is None,
            when(uses.get(f"account:{account.id}")) if account is not None else "",
        )
        for grant, account in given
    ]


def _institutions(tx: Transaction, fmd: OpenFmd) -> list[ShownInstitution]:
    """Those that may see something of it."""
    found = memberships_of_record(tx, fmd.id)
    return [
        ShownInstitution(one.institution.slug, one.institution.name, one.consent.edits)
        for one in found
        if one.consent is not None and one.consent.sees
    ]


def _codes(tx: Transaction, fmd: OpenFmd, now: datetime, when: When) -> list[ShownCode]:
    carnet = newest_carnet(tx, fmd.id)
    live_carnet = carnet.code if carnet is not None and state_of(tx, carnet, now) is CarnetState.ISSUED else ""
    products = tx.orm.scalars(select(Product).where(Product.record_id == fmd.id).order_by(Product.code)).all()
    return [
        ShownCode(
            product.code,
            sticker_name(product, fmd.key),
            product.state in LIVE,
            product.code == live_carnet,
            when(product.last_scan_at),
        )
        for product in products
    ]


def _last_uses(tx: Transaction, record_id: int, actors: list[str]) -> Mapping[str, datetime]:
    """When each of them last did anything with the record, by its log."""
    query = select(AuditEntry.actor, func.max(AuditEntry.at)).where(AuditEntry.record_id == record_id)
    rows = tx.orm.execute(query.where(AuditEntry.actor.in_(actors)).group_by(AuditEntry.actor))
    return dict(rows.all())
