"""One record and everybody who may ask for it: the callers of the table of operations and of the table of pages."""

import hashlib
import hmac
from dataclasses import dataclass, field
from datetime import timedelta

from sqlalchemy import select

from ficha.accounts.accounts import Role, SecondFactor
from ficha.channels.whatsapp.webhook import HEADER as WHATSAPP_SIGNATURE
from ficha.emergencies.steps import Step, token_for
from ficha.fmd.grants import Grant, GrantKind
from ficha.fmd.records import Record
from ficha.institutions.institution import Institution, InstitutionRole, InstitutionWorker
from ficha.products.codes import issue_code
from ficha.sandbox.chatwoot.webhooks import signature as desk_signature
from tests.emergencies.scenario import HERE, contact
from tests.world import Person, World

# Nobody of these has an account: what they show is no token, or one that is none any more.
STRANGERS = ("none", "wrong", "expired", "responder", "contact", "signed")
ACCOUNTS = (
    "owner",
    "former owner",
    "guardian",
    "editor",
    "delegate",
    "ended delegate",
    "institution",
    "other institution",
    "other owner",
    "medical",
    "worker",
    "staff",
    "unproven staff",
    "admin",
    "unproven admin",
)
CALLERS = (*STRANGERS, *ACCOUNTS)
# Whoever is not named in a row gets what this one gets: a demanded second factor that is missing leaves no power of
# staff, and who has handed her record over is anybody.
LIKE = {
    "wrong": "expired",
    "contact": "responder",
    "signed": "none",
    "former owner": "other owner",
    "medical": "other owner",
    "worker": "other owner",
    "unproven staff": "other owner",
    "unproven admin": "other owner",
}
ROLES = {
    "expired": Role.OWNER,
    "institution": Role.INSTITUTION,
    "other institution": Role.INSTITUTION,
    "medical": Role.MEDICAL,
    "staff": Role.STAFF,
    "unproven staff": Role.STAFF,
    "admin": Role.ADMIN,
    "unproven admin": Role.ADMIN,
}
KINDS = {"guardian": GrantKind.GUARDIAN, "institution": GrantKind.INSTITUTION}
# The world of the matrix demands a second factor of staff.
SETTINGS = {"staff_second_factor": True}


@dataclass
class MatrixPeople:
    """`owner` has the record of `code`, which the former owner handed over to her."""

    world: World
    owner: Person
    code: str
    people: dict[str, Person] = field(default_factory=dict)
    tag: str = ""
    link: str = ""
    emergency: int = 0

    @property
    def record_id(self) -> int:
        return int(self.owner.data["attributes"]["fmd_code"])

    def token(self, who: str) -> str | None:
        """What is shown as a bearer token. A tag and the link of an alert open pages, and no operation."""
        if who in ("none", "signed"):
            return None
        if who in ("responder", "contact"):
            return self.tag if who == "responder" else self.link
        if who == "wrong":
            return self.people["owner"].token[:-1] + "!"
        # A new one, because some operations end the token that they are asked with.
        return self.people[who].token if who == "expired" else self.world.token_for(self.people[who].id)

    def headers(self, who: str, body: bytes) -> dict[str, str]:
        token = self.token(who)
        if who == "signed":
            return signatures(self.world, body)
        return {"Authorization": f"Bearer {token}"} if token else {}

    def new_code(self) -> str:
        with self.world.parts.database.writing() as tx:
            return issue_code(tx, self.world.clock.now(), record_id=self.record_id).code


def signatures(world: World, body: bytes) -> dict[str, str]:
    """As both platforms, and whoever takes payments, sign what they tell us."""
    settings, now = world.parts.settings, str(int(world.clock.now().timestamp()))
    secret = settings.whatsapp_app_secret.get_secret_value().encode()
    return {
        WHATSAPP_SIGNATURE: f"sha256={hmac.new(secret, body, hashlib.sha256).hexdigest()}",
        "X-Chatwoot-Signature": desk_signature(settings.chatwoot_webhook_secret.get_secret_value(), now, body),
        "X-Chatwoot-Timestamp": now,
        "X-Payment-Signature": desk_signature(settings.payment_key, now, body),
        "X-Payment-Timestamp": now,
    }


def people_around(world: World) -> MatrixPeople:
    former, owner = world.register(), world.register()
    code = str(former.data["attributes"]["product_codes"][0])
    put = former.put(f"/v2/fmd/{code}/salud", {"condiciones": [{"condicion": {"texto": "Asma"}}]})
    assert put.status_code == 200
    hand_over(world, former, owner, code)
    found = MatrixPeople(world, owner, code, {"owner": owner, "former owner": former})
    now = world.clock.now()
    with world.parts.database.writing() as tx:
        for who in ("expired", *ACCOUNTS):
            if who not in found.people:
                minutes = 0 if who == "expired" else 60
                role = [ROLES[who]] if who in ROLES else []
                found.people[who] = world.make_person(tx, Role.OWNER, *role, token_minutes=minutes)
        for who in ("staff", "admin"):
            factor = {"account_id": found.people[who].id, "sealed_secret": b"x"}
            tx.orm.add(SecondFactor(**factor, created_at=now, confirmed_at=now))
        for who in ("institution", "other institution"):
            slug = "colegio-san-luis" if who == "institution" else "otro-colegio"
            account_id = found.people[who].id
            place = Institution(slug=slug, name=slug, account_id=account_id, is_active=True, created_at=now)
            tx.orm.add(place)
            if who == "institution":  # Where the worker has the role that sees most.
                tx.orm.flush()
                worker = {"institution_id": place.id, "account_id": found.people["worker"].id, "granted_at": now}
                tx.orm.add(InstitutionWorker(role=InstitutionRole.MEDICAL, **worker))
    return found


def give_access(found: MatrixPeople, who: str) -> None:
    """The grant of this caller, given only when he asks: operations name them by their numbers."""
    now = found.world.clock.now()
    if who not in ("guardian", "editor", "delegate", "ended delegate", "institution"):
        return
    with found.world.parts.database.writing() as tx:
        tx.orm.add(
            Grant(
                record_id=found.record_id,
                account_id=found.people[who].id,
                kind=KINDS.get(who, GrantKind.DELEGATE),
                edits=who == "editor",
                granted_at=now - timedelta(days=2),
                ends_at=now - timedelta(seconds=1) if who == "ended delegate" else now + timedelta(days=1),
            )
        )


def alert_family(found: MatrixPeople) -> None:
    """A sticker with a tag, and an alert that reaches a contact by a link."""
    world, owner = found.world, found.owner
    with world.parts.database.writing() as tx:
        issued = issue_code(tx, world.clock.now(), record_id=found.record_id)
    found.code, found.tag = issued.code, issued.tag
    assert owner.put(f"/v2/fmd/{found.code}/emergencia", {"contactos": [contact()]}).status_code == 200
    body = {"code": found.code, "tag": found.tag, "position": HERE}
    opened = world.client.post("/v2/emergencies", json=body)
    assert opened.status_code == 201, opened.text
    found.emergency = int(opened.json()["data"]["id"])
    assert world.platform.url
    world.run_jobs()
    with world.parts.database.reading() as tx:
        contact_id = tx.orm.scalars(select(Step.contact_id).where(Step.emergency_id == found.emergency)).first()
    found.link = token_for(world.parts.secrets, found.emergency, contact_id or "")


def hand_over(world: World, giver: Person, heir: Person, code: str) -> None:
    """The whole way: offered, taken up and confirmed. The giver keeps nothing."""
    ends = (world.clock.now() + timedelta(days=1)).isoformat()
    offer = {"correo": heir.correo, "tipo": "owner", "hasta": ends, "edita": False}
    assert giver.post(f"/v2/fmd/{code}/grants", offer).status_code == 201
    assert world.accept_invitation(heir).status_code == 200
    assert world.confirm_hand_over(giver, code).status_code == 200
    record_id = giver.data["attributes"]["fmd_code"]
    with world.parts.database.reading() as tx:
        assert tx.orm.get_one(Record, record_id).account_id == heir.id
    heir.data["attributes"] |= {"fmd_code": record_id, "product_codes": [code]}
