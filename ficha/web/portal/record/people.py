"""The people of a record: its contacts in the order of calling, who else may open it, and institutions. By the
functions of the API."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any

from pydantic import TypeAdapter
from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Account, Idioma
from ficha.administration.subscriptions import allowance
from ficha.core.errors import NotFound
from ficha.core.phones import to_e164, typed_phone
from ficha.core.text_types import Correo, Etiqueta
from ficha.core.transaction import Transaction
from ficha.emergencies.channels.catalog import CHANNELS
from ficha.emergencies.contacts import Contact, contacts_in
from ficha.emergencies.ladder import channels_for
from ficha.enrolment.confirm_hand_over import confirm_hand_over
from ficha.fmd.access import MayNotManage, OpenFmd
from ficha.fmd.changes import VersionMismatch, change_contacts, change_relacion
from ficha.fmd.dates_and_amounts import date_text, day_text, typed_date
from ficha.fmd.faults import InvalidDocument
from ficha.fmd.grants import HANDOVER, Grant, GrantKind, GrantState, held_grants, live_grants
from ficha.fmd.hand_over import NoRoomForRecord, keep_access
from ficha.fmd.invitations import (
    GrantEndOutOfRange,
    NoRoomForPerson,
    address_of,
    end_access,
    must_offer,
    offer_access,
    recipient,
)
from ficha.fmd.responder.relations import relation
from ficha.fmd.stored_documents import stored_documents
from ficha.http.dependencies import CurrentCaller, Db, Limiter, Now, Parts, Reading
from ficha.http.fmd_dependencies import CurrentFmd, ReadFmd, ReadingFmd
from ficha.http.limits import TooManyRequests
from ficha.institutions.consents import change_consent, memberships_of_record
from ficha.institutions.institution import InstitutionUnknown
from ficha.web.kit.forms import BadForm, FieldFault, PostedForm, fault_in
from ficha.web.kit.language import LANGUAGE_STEP, Translate, language_in, language_of, translator
from ficha.web.kit.lists import row_number
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.relations import relation_choices

PHRASES = page_texts("portal", "people")

routes = signed_in_routes("/app")

CORREO: TypeAdapter[str] = TypeAdapter(Correo)
RELACION: TypeAdapter[str] = TypeAdapter(Etiqueta)
# What the form offers: the kind of access, and whether the person may change what she sees. Who hands the record over
# asks to stay as somebody who may change it.
OFFERS = {
    "lee": (GrantKind.DELEGATE, False),
    "edita": (GrantKind.DELEGATE, True),
    "representa": (GrantKind.GUARDIAN, True),
    "recibe": (HANDOVER, True),
}
# What the page says after something was done.
DONE = ("guardado", "invitado", "retirado", "sigue", "cambio", "limite", "lleno")


@dataclass(frozen=True)
class ShownContact:
    contact: Contact
    ways: list[str]

    @property
    def has_id(self) -> bool:
        """A damaged one has none: it can only be mended in the form."""
        return not self.contact.id.startswith("#")

    def relation(self, language: str) -> str:
        """In the reader's language if it is a common one, else as it was written."""
        known = relation(self.contact.relacion)
        return known.in_language(language) if known else self.contact.relacion


@dataclass(frozen=True)
class ShownGrant:
    """`account` is whose it is, which a pending invitation has not; `address` its correo, or what was invited."""

    grant: Grant
    account: Account | None
    address: str

    @property
    def name(self) -> str:
        return self.account.nombre if self.account and self.account.nombre else self.address

    @property
    def kind(self) -> str:
        return self.grant.kind + ("_edits" if self.grant.kind == GrantKind.DELEGATE and self.grant.edits else "")


def _shown(given: list[tuple[Grant, Account | None]], fmd: OpenFmd) -> list[ShownGrant]:
    return [
        ShownGrant(grant, account, address_of(grant, fmd.key) if account is None else account.correo)
        for grant, account in given
        if grant.kind != GrantKind.INSTITUTION
    ]


@routes.page("/{code}/personas")
def people(request: Request, reading: Reading, opened: ReadFmd, now: Now, code: str) -> Response:
    opened.fmd.must_manage()
    return _page(request, reading, opened, now, code)


@routes.post("/{code}/personas")
def change_people(
    request: Request,
    db: Db,
    fmd: CurrentFmd,
    caller: CurrentCaller,
    parts: Parts,
    limiter: Limiter,
    now: Now,
    form: PostedForm,
    code: str,
) -> Response:
    fmd.must_manage()
    opened = ReadingFmd(fmd, parts.read_log)
    do, _, which = form.get("do", "").partition(":")
    if do == LANGUAGE_STEP:
        ends, language = form.get("hasta", ""), language_of(request)
        ends = date_text(typed_date(ends.strip(), language_in(form, request)), language) or ends
        return _page(request, db, opened, now, code, typed=form | {"hasta": ends})
    done = "guardado"
    try:
        if do in ("up", "down", "contact"):
            _change_contact(db, fmd, do, which, form, now)
        elif do == "invite":
            faults = _invite(request, db, fmd, caller.account_id, limiter, form, now)
            if faults:
                db.rollback()
                return _page(request, db, opened, now, code, faults=faults, typed=form, status=422)
            done = "invitado"
        elif do == "withdraw":
            end_access(db, fmd, row_number(which), now)
            done = "retirado"
        elif do == "keep":
            keep_access(db, fmd, row_number(which), now)
            done = "sigue"
        elif do == "confirm":
            most = parts.settings.account_records
            confirm_hand_over(db, parts.keyring, fmd, row_number(which), caller.account_id, now, most=most)
            return go_to(request, "/app?hecho=entregada")  # The record is no longer hers to see.
        elif do == "whose":
            _change_relacion(db, fmd, form.get("relacion", ""), now)
        elif do == "consent":
            sees = form.get("ve") in ("lee", "edita")
            change_consent(db, fmd, which, caller.account_id, now, sees=sees, edits=form.get("ve") == "edita")
    except (VersionMismatch, InvalidDocument, NotFound, InstitutionUnknown):
        db.rollback()  # It changed or ended meanwhile: the page shows what there is now.
        done = "cambio"
    except (TooManyRequests, NoRoomForRecord) as refusal:
        db.rollback()
        done = "limite" if isinstance(refusal, TooManyRequests) else "lleno"
    return go_to(request, f"/app/{code}/personas?hecho={done}")


def _change_relacion(db: Transaction, fmd: OpenFmd, relacion: str, now: datetime) -> None:
    if fault_in(RELACION, relacion) is not None:
        raise BadForm
    change_relacion(db, fmd, relacion, now)


def _change_contact(db: Transaction, fmd: OpenFmd, do: str, which: str, form: Mapping[str, str], now: datetime) -> None:
    """Raises VersionMismatch if somebody changed the contacts since the page was shown."""
    version = form.get("version", "")
    changes: dict[str, Any] = {
        which: {
            "idioma": form.get("idioma") or None,
            "canales": [channel.name for channel in CHANNELS if f"canal.{channel.name}" in form],
        }
    }
    if do != "contact":
        contacts, _ = _contacts(db, fmd)
        ids = [contact.id for contact in contacts if not contact.id.startswith("#")]
        index = ids.index(which) if which in ids else -1
        other = index + (1 if do == "down" else -1)
        if index < 0 or not 0 <= other < len(ids):
            return
        ids[index], ids[other] = ids[other], ids[index]
        changes = {contact_id: {"prioridad": order} for order, contact_id in enumerate(ids, start=1)}
    change_contacts(db, fmd, changes, now, merges=True, expected=[row_number(version)])


def _invite(
    request: Request,
    db: Transaction,
    fmd: OpenFmd,
    account_id: int,
    limiter: Limiter,
    form: Mapping[str, str],
    now: datetime,
) -> list[FieldFault]:
    t = translator(language_of(request), PHRASES)
    kind, edits = OFFERS.get(form.get("tipo", ""), OFFERS["lee"])
    address, faults = _invited(form, t)
    lasts = form.get("sin_fin") == "si"
    ends_at = None if lasts else _end_of(form.get("hasta", ""), language_of(request))
    if ends_at is None and not lasts:
        faults.append(FieldFault("hasta", t("hasta_wrong")))
    if faults:
        return faults
    try:
        must_offer(fmd, kind)
        limiter.hit_invitation(request, account_id, recipient(address))
        most = allowance(db, account_id, now).people
        offer_access(db, fmd, account_id, address, kind, now, ends_at=ends_at, edits=edits, most=most)
    except GrantEndOutOfRange:
        return [FieldFault("hasta", t("hasta_wrong"))]
    except MayNotManage:
        return [FieldFault("tipo", t("tipo_wrong"))]
    except NoRoomForPerson:
        return [FieldFault("tipo", t("too_many_people"))]
    return []


def _invited(form: Mapping[str, str], t: Translate) -> tuple[str, list[FieldFault]]:
    """The correo or the number in E.164 that was typed."""
    correo, telefono = form.get("correo", "").strip(), form.get("telefono", "").strip()
    if correo and telefono:
        return "", [FieldFault("telefono", t("one_way"))]
    if not telefono:
        wrong = fault_in(CORREO, correo) is not None
        return ("", [FieldFault("correo", t("correo_wrong"))]) if wrong else (CORREO.validate_python(correo), [])
    try:
        return to_e164(*typed_phone(form.get("cod_telefono", ""), telefono)), []
    except ValueError:  # No number, or no prefix.
        return "", [FieldFault("telefono", t("telefono_wrong"))]


def _end_of(text: str, language: Idioma) -> datetime | None:
    """The end of that day."""
    try:
        return datetime.combine(date.fromisoformat(typed_date(text.strip(), language)), time(23, 59, 59), UTC)
    except ValueError:
        return None


def _contacts(tx: Transaction, fmd: OpenFmd) -> tuple[list[Contact], int]:
    """In the order of calling, and the version of what they were read from."""
    stored = stored_documents(tx, fmd.id, fmd.key, ["emergencia"]).get("emergencia")
    return (contacts_in(stored.document), stored.version) if stored else ([], 0)


def _page(
    request: Request,
    tx: Transaction,
    opened: ReadingFmd,
    now: datetime,
    code: str,
    *,
    faults: list[FieldFault] | None = None,
    typed: Mapping[str, str] | None = None,
    status: int = 200,
) -> Response:
    fmd, language = opened.fmd, language_of(request)
    opened.note("record.read", ["emergencia"], now)
    contacts, version = _contacts(tx, fmd)
    given = _shown(live_grants(tx, fmd.id, now), fmd)
    done = request.query_params.get("hecho", "")
    return show(
        request,
        "portal/record/people.html",
        PHRASES,
        status=status,
        code=code,
        version=version,
        contacts=[
            ShownContact(contact, [way.name for way in channels_for(contact, CHANNELS) if way.address(contact)])
            for contact in contacts
        ],
        channels=[(channel.name, channel.words.in_language(language)) for channel in CHANNELS],
        grants=[each for each in given if each.grant.state is not GrantState.WAITING],
        waiting=[each for each in given if each.grant.state is GrantState.WAITING],
        held=_shown(held_grants(tx, fmd.id, now), fmd) if fmd.via == "owner" else [],
        is_owner=fmd.via == "owner",
        offers=[name for name in OFFERS if name != "recibe" or fmd.via == "owner"],
        memberships=memberships_of_record(tx, fmd.id),
        relacion=fmd.record.relacion,
        relations=relation_choices(request, fmd.record.relacion),
        today=now.date(),
        prefix=tx.orm.get_one(Account, fmd.actor.id).cod_telefono or "+58",
        # An access ends with a day of UTC.
        day=lambda at: day_text(at, "", language),
        faults=faults or [],
        typed=typed or {},
        done=done if done in DONE else "",
    )
