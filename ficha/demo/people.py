"""The demo people: their accounts and stickers are made if they are missing."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlalchemy import select

from ficha.accounts.accounts import Account, Role, account_with
from ficha.accounts.login import hash_clave
from ficha.accounts.tokens import Caller
from ficha.administration.admin_changes import OPERATOR
from ficha.administration.plans import plan_named
from ficha.administration.subscriptions import CANCELED, Subscription, activate, change_own, subscribe
from ficha.api.examples import (
    DEMO_CHILD,
    DEMO_CLAVE,
    DEMO_CODE,
    DEMO_INSTITUTION,
    DEMO_PRINTED,
    DEMO_SECOND,
    DEMO_SPARE,
)
from ficha.audit.log import Actor
from ficha.core.transaction import Transaction
from ficha.demo.examples import add_examples, demo_tag, print_code
from ficha.demo.records import ALMOST_EMPTY, CHILD, CYCLIST, GRANDFATHER, PUPIL, TRAVELLER
from ficha.enrolment.erasure import erase_account
from ficha.enrolment.new_institution import change_institution, create_institution
from ficha.enrolment.registration import NewPerson, register
from ficha.fmd.access import open_fmd
from ficha.fmd.changes import patch_models
from ficha.fmd.record_codes import codes_of_account
from ficha.institutions.institution import Institution, InstitutionRole, give_institution_role, institution_with
from ficha.parts import Parts
from ficha.products.codes import TagEnd, claim_code, keep_ended_tags
from ficha.products.product import Product, ProductState, tag_hash
from ficha.webhooks.deliveries import DeliveryState, WebhookDelivery
from ficha.webhooks.webhooks import Webhook, change_webhook, register_webhook

CLAVE = DEMO_CLAVE
# Nobody else can have an address there: the ending is reserved (RFC 2606).
DOMAIN = "@demo.example"


@dataclass(frozen=True)
class DemoPerson:
    """`responder_url` is what the QR of the sticker holds; `typed_url` is its address with the code alone."""

    nombre: str
    correo: str
    clave: str
    roles: list[str]
    fmd_code: int
    codes: list[str]
    tag: str
    responder_url: str
    typed_url: str

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class NewDemoPerson:
    """What a demo person is made from. `alias` is the first part of the correo."""

    nombre: str
    alias: str
    telefono: str
    relacion: str = "titular"
    roles: tuple[Role, ...] = (Role.OWNER,)
    record: Mapping[str, Any] = field(default_factory=dict)
    # Codes of the examples in the API's reference; somebody without any gets a new one.
    codes: tuple[str, ...] = ()

    @property
    def correo(self) -> str:
        return f"{self.alias}{DOMAIN}"


PEOPLE = (
    NewDemoPerson("Ana Pérez Rojas", "ana", "4125551111", "madre", record=PUPIL, codes=(DEMO_CODE, DEMO_SECOND)),
    NewDemoPerson("Luis Molina", "luis", "4125552222", record=GRANDFATHER),
    NewDemoPerson("Beatriz Silva", "beatriz", "4125556001", record=TRAVELLER),
    NewDemoPerson("Tomás Vera", "tomas", "4125556002", record=CYCLIST),
    NewDemoPerson("Mateo Rojas", "mateo", "4125556003", "madre", record=CHILD),
    NewDemoPerson("Pedro Gil", "pedro", "4125556004", record=ALMOST_EMPTY),
    NewDemoPerson("Rosa Enfermera", "enfermeria", "4125556005"),
    NewDemoPerson("Inés Soporte", "soporte", "4125553333", roles=(Role.OWNER, Role.STAFF)),
    NewDemoPerson("Administración", "admin", "4125554444", roles=(Role.OWNER, Role.ADMIN)),
)


def ensure_demo(parts: Parts) -> list[DemoPerson]:
    """Makes the people who are missing and changes nothing of the others. Returns all of them."""
    parts.secrets.ensure_root()
    with parts.database.reading() as tx:
        missing = [person for person in PEOPLE if account_with(tx, person.correo) is None]
    clave_hash = hash_clave(CLAVE) if missing else ""
    with parts.database.writing() as tx:
        for person in missing:
            _create(tx, parts, person, clave_hash)
        if missing:
            for code in (DEMO_PRINTED, DEMO_CHILD, DEMO_SPARE):
                print_code(tx, parts, code)
            _open_institution(tx, parts, clave_hash)
            _register_webhook(tx, parts)
            _subscribe(tx, parts)
        add_examples(tx, parts)
        return [_demo_person(tx, parts, person) for person in PEOPLE]


def erase_demo(parts: Parts) -> int:
    """Erases them as if each had asked for it, and retires the printed sticker; returns how many."""
    now = parts.clock.now()
    with parts.database.writing() as tx:
        found = tx.orm.scalars(select(Account.id).where(Account.correo.endswith(DOMAIN, autoescape=True))).all()
        for account_id in found:
            erase_account(tx, parts.keyring, account_id, Actor("service"), now)
        for code in (DEMO_PRINTED, DEMO_CHILD, DEMO_SPARE):
            printed = tx.orm.get(Product, code)
            if printed is not None:
                keep_ended_tags(tx, Product.code == code, TagEnd.RETIRED, now)
                printed.state, printed.ended_at, printed.tag_hash = ProductState.RETIRED, now, None
        if tx.orm.scalar(select(Institution.id).where(Institution.slug == DEMO_INSTITUTION)) is not None:
            change_institution(tx, DEMO_INSTITUTION, OPERATOR, now, is_active=False)
    return len(found)


def _subscribe(tx: Transaction, parts: Parts) -> None:
    """Luis has a plan. Ana canceled her trial: she has one to be read, and may ask for another."""
    now = parts.clock.now()
    for alias in ("ana", "luis"):
        account = account_with(tx, f"{alias}{DOMAIN}")
        assert account is not None
        if tx.orm.get(Subscription, account.id) is not None:
            continue
        subscribe(tx, account.id, "familiar", now)
        if alias == "luis":
            activate(tx, account.id, plan_named("familiar"), OPERATOR, now)
        else:
            change_own(tx, account.id, now, state=CANCELED)


def _register_webhook(tx: Transaction, parts: Parts) -> None:
    """Two of staff, switched off, the first with a delivery: what the examples of the reference ask for and delete."""
    if tx.orm.scalars(select(Webhook.id).limit(1)).first() is not None:
        return
    now, url = parts.clock.now(), "https://integrador.example/ficha"
    hook, spare = (
        register_webhook(tx, parts.secrets, None, url, ["emergency.opened"], OPERATOR, now)[0] for _ in range(2)
    )
    for each in (hook, spare):
        change_webhook(tx, each, OPERATOR, now, is_active=False)
    told = {"kind": "emergency.opened", "at": now, "subject_id": 1, "state": DeliveryState.DELIVERED, "attempts": 1}
    answered = {"called_at": now, "status": 200, "milliseconds": 84, "next_at": now, "tried_until": now}
    tx.orm.add(WebhookDelivery(webhook_id=hook.id, **told, **answered))


def _open_institution(tx: Transaction, parts: Parts, clave_hash: str) -> None:
    """The school of the examples, with its nurse. Other institutions are given tokens, and have no clave; this one logs
    in as everybody in the demo does. It stays when the demo is erased, closed."""
    now = parts.clock.now()
    if tx.orm.scalar(select(Institution.id).where(Institution.slug == DEMO_INSTITUTION)) is None:
        create_institution(tx, DEMO_INSTITUTION, "Colegio San Luis", OPERATOR, parts.keyring, now)
    else:
        change_institution(tx, DEMO_INSTITUTION, OPERATOR, now, is_active=True)
    nurse = account_with(tx, f"enfermeria{DOMAIN}")
    assert nurse is not None
    school = institution_with(tx, DEMO_INSTITUTION)
    tx.orm.get_one(Account, school.account_id).clave_hash = clave_hash
    give_institution_role(tx, school, nurse.id, InstitutionRole.MEDICAL, OPERATOR, now)


def _create(tx: Transaction, parts: Parts, person: NewDemoPerson, clave_hash: str) -> None:
    now = parts.clock.now()
    free = [code for code in person.codes if print_code(tx, parts, code)]
    registered = register(
        tx,
        NewPerson(
            correo=person.correo,
            clave_hash=clave_hash,
            nombre=person.nombre,
            cod_telefono="+58",
            telefono=person.telefono,
            relacion=person.relacion,
            roles=person.roles,
            product_code=free[0] if free else None,
            product_tag=demo_tag(parts, free[0]) if free else None,
        ),
        parts.keyring,
        now,
    )
    # Nobody receives a code for these numbers, and without a verified one much could not be tried.
    account = tx.orm.get_one(Account, registered.id)
    account.telefono_verificado_en, account.telefono_verificado_por = now, "whatsapp"
    found = codes_of_account(tx, account.id)
    code = found.product_codes[0]
    tx.orm.get_one(Product, code).tag_hash = tag_hash(demo_tag(parts, person.correo))
    for further in free[1:]:
        claim_code(tx, further, found.fmd_code, now, tag=demo_tag(parts, further))
    tx.orm.flush()
    if person.record:
        caller = Caller(account.id, 0, "", frozenset(account.roles))
        patch_models(tx, open_fmd(tx, parts.keyring, caller, code, now), person.record, now)


def _demo_person(tx: Transaction, parts: Parts, person: NewDemoPerson) -> DemoPerson:
    account = account_with(tx, person.correo)
    assert isinstance(account, Account)
    found = codes_of_account(tx, account.id)
    code, tag = found.product_codes[0] if found.product_codes else "", demo_tag(parts, person.correo)
    base = parts.settings.public_url
    return DemoPerson(
        account.nombre,
        account.correo,
        CLAVE,
        account.roles,
        found.fmd_code,
        found.product_codes,
        tag,
        f"{base}/e/{code}/{tag}",
        f"{base}/e/{code}",
    )
