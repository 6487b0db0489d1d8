"""Invitations: access to a record is offered to a correo or to a number on WhatsApp, and begins when that person
accepts by the link that was sent there. Whoever was invited by her number also proves that she answers it now: the link
may have been passed on, and a number changes hands.

An invitation counts only while who gave it has the right to give it. Whoever invites learns neither
whether the address has an account nor whose it is, until the person has accepted.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, exists, or_, select, update
from sqlalchemy.orm import aliased

from ficha.accounts.accounts import Account, lock_account
from ficha.accounts.one_time_codes import Purpose, WrongCode, spend_code
from ficha.accounts.tokens import Unauthenticated
from ficha.audit import log as audit
from ficha.core.crypto import Keyring, seal, unseal
from ficha.core.errors import FichaError, NotFound, Source
from ficha.core.ids import random_text, secret_hash
from ficha.core.phones import one_spelling
from ficha.core.secrets import Secrets
from ficha.core.text_types import correo_key
from ficha.core.transaction import Transaction
from ficha.fmd.access import MayNotManage, OpenFmd
from ficha.fmd.grants import (
    HANDOVER,
    UNTIL_ENDED,
    Grant,
    GrantKind,
    can_be_accepted,
    can_be_confirmed,
    can_be_kept,
    end_grants,
    live_grant_of,
    live_grants,
    live_grants_of_people,
)
from ficha.fmd.hand_over import drop_held, end_and_tell, wait_for_owner
from ficha.fmd.record_events import publish_change_of_record
from ficha.fmd.records import RECORD_COLUMNS, Record, RecordRow
from ficha.fmd.statements import lock_record_row
from ficha.jobs.queue import put

# By mail, and by a message, which messaging/ queues, as it does the code that proves a number.
INVITE, INVITE_BY_MESSAGE = "ficha.invitacion", "ficha.invitacion.mensaje"
SEND_NUMBER_CODE = "ficha.invitacion.codigo"
TELL_WITHDRAWN = "ficha.acceso.retirado"
TOKEN_LENGTH = 43
MAX_DURATION = timedelta(days=3660)


class GrantEndOutOfRange(FichaError):
    status = 422
    code = "fecha_fuera_de_rango"
    message = "La fecha final debe estar en el futuro, y a menos de diez años."
    source = Source("pointer", "/hasta")


class NoRoomForPerson(FichaError):
    status = 409
    code = "personas_del_plan"
    message = "Esta ficha llegó al máximo de personas de su plan. Retire a una, o pida otro plan."


class InvitationUnknown(FichaError):
    """Never sent, withdrawn, too old, used, or for another correo or number: all look the same."""

    status = 404
    code = "invitacion_desconocida"
    message = "Esa invitación no existe, ya no sirve o es para otra cuenta. Pida otra a quien lo invitó."


class NumberNotProven(FichaError):
    status = 422
    code = "falta_codigo_del_numero"
    message = "La invitación es para quien responde ese número: pida el código que enviamos por WhatsApp y escríbalo."
    source = Source("pointer", "/codigo")


class NoCodeNeeded(FichaError):
    """It was sent by mail: the link itself proves that she reads the mailbox."""

    status = 409
    code = "codigo_innecesario"
    message = "Esa invitación llegó por correo y no pide ningún código."
    source = Source("pointer", "/token")


class OwnGrant(FichaError):
    status = 409
    code = "ya_tiene_acceso"
    message = "Esa ficha ya es suya."
    source = Source("pointer", "/token")


@dataclass(frozen=True)
class Invitation:
    """An invitation that can still be accepted. `key` is the record's."""

    grant: Grant
    record: RecordRow
    key: bytes = field(repr=False)

    @property
    def address(self) -> str:
        """A correo, or a number in E.164."""
        return address_of(self.grant, self.key)

    def is_for(self, account: Account) -> bool:
        """Whether it has this correo, verified or not: the link proves that she reads what comes there. A number is
        proven by its code, whatever number stands in the account: a family may share one."""
        return self.is_by_number or account.correo_key == correo_key(self.address)

    @property
    def is_by_number(self) -> bool:
        return is_number(self.address)


def must_offer(fmd: OpenFmd, kind: str) -> None:
    """Raises MayNotManage: what this person offers is not hers to give. A HANDOVER is for the owner alone to give."""
    fmd.must_manage()
    if kind == HANDOVER and fmd.via != "owner":
        raise MayNotManage


def offer_access(
    tx: Transaction,
    fmd: OpenFmd,
    account_id: int,
    address: str,
    kind: str,
    now: datetime,
    *,
    ends_at: datetime | None,
    edits: bool,
    most: int,
) -> Grant:
    """The owner or a guardian, who is `account_id`, lets somebody in until a date or, without one, until it is ended:
    an invitation to this correo, or to this number in E.164, is stored, its mail or message put aside, and it is noted.
    What was pending for the address ends: the last word counts. What a guardian gives ends with his own right. Of a
    HANDOVER, `edits` and `ends_at` say whether the owner wishes to stay as a delegate, and until when. With it `most`
    people may open the record besides its owner; a HANDOVER is not counted. Raises MayNotManage, GrantEndOutOfRange or
    NoRoomForPerson."""
    must_offer(fmd, kind)
    if ends_at is not None and not now < ends_at <= now + MAX_DURATION:
        raise GrantEndOutOfRange
    giver = None if fmd.via == "owner" else live_grant_of(tx, fmd.id, account_id, now)
    if fmd.via != "owner" and (giver is None or giver.kind != GrantKind.GUARDIAN):
        raise MayNotManage  # His right ended while he waited for the record.
    for earlier in pending_for(tx, fmd.id, fmd.key, address, now):
        end_and_tell(tx, fmd.id, now, Grant.id == earlier.id)
    if kind != HANDOVER and _people_of(tx, fmd.id, now) >= most:
        raise NoRoomForPerson
    grant = Grant(
        record_id=fmd.id,
        kind=kind,
        edits=edits,
        granted_at=now,
        ends_at=min(ends_at or UNTIL_ENDED, UNTIL_ENDED if giver is None else giver.ends_at),
        given_by=None if giver is None else giver.id,
        offered_by=account_id,
        sealed_address=seal_address(fmd.key, fmd.id, address),
    )
    tx.orm.add(grant)
    tx.orm.flush()
    job = INVITE_BY_MESSAGE if is_number(address) else INVITE
    put(tx, job, {"grant_id": grant.id}, key=f"{job}:{grant.id}")
    fmd.note(tx, "access.offered", [f"grant:{grant.id}"], now)
    return grant


def _people_of(tx: Transaction, record_id: int, now: datetime) -> int:
    """Who may open it by a right that somebody gave, and who was invited to."""
    others = (GrantKind.INSTITUTION, HANDOVER)
    return sum(grant.kind not in others for grant, _ in live_grants(tx, record_id, now))


def end_access(tx: Transaction, fmd: OpenFmd, grant_id: int, now: datetime) -> None:
    """A grant or an invitation ends at once, and what was given onward by it. Whoever could open the record is told;
    whoever had accepted a hand-over too, that she does not get it; who could open it before it was handed over stays
    out. Raises MayNotManage or NotFound."""
    fmd.must_manage()
    this, before = Grant.id == grant_id, live_grants_of_people(tx, fmd.id, now)
    if not end_and_tell(tx, fmd.id, now, this) and not drop_held(tx, fmd.id, this, can_be_kept(now)):
        raise NotFound
    for ended in sorted(before - live_grants_of_people(tx, fmd.id, now)):
        put(tx, TELL_WITHDRAWN, {"grant_id": ended}, key=f"{TELL_WITHDRAWN}:{ended}")
    fmd.note(tx, "access.withdrawn", [f"grant:{grant_id}"], now)


def pending_for(tx: Transaction, record_id: int, key: bytes, address: str, now: datetime) -> list[Grant]:
    """The invitations to this record that this correo or number has not accepted, or accepted and waits."""
    pending = or_(can_be_accepted(now), can_be_confirmed(now))
    found = tx.orm.scalars(select(Grant).where(Grant.record_id == record_id, pending))
    return [grant for grant in found if _compared(address_of(grant, key)) == _compared(address)]


def recipient(address: str) -> str:
    """For limits: all spellings of one mailbox, also with a `+word` before the @, are one, and those of a number."""
    name, at, domain = correo_key(address).rpartition("@")
    return f"{name.partition('+')[0]}{at}{domain}" if at else one_spelling(address)


def _compared(address: str) -> str:
    return one_spelling(address) if is_number(address) else correo_key(address)


def is_number(address: str) -> bool:
    """Whether this is a number in E.164, and no correo."""
    return "@" not in address and address.startswith("+")


def address_of(grant: Grant, key: bytes) -> str:
    """The correo or the number that was invited. Empty for grants that were given without an invitation."""
    return (
        "" if grant.sealed_address is None else unseal(key, grant.sealed_address, _bound_to(grant.record_id)).decode()
    )


def seal_address(key: bytes, record_id: int, address: str) -> bytes:
    return seal(key, address.encode(), _bound_to(record_id))


def new_token(grant: Grant, token: str | None = None) -> str:
    """What the link holds, of the demo this, made when it is sent; a link sent before is dead then."""
    token = token or random_text(TOKEN_LENGTH)
    grant.token_hash = secret_hash(token)
    return token


def note_delivery(tx: Transaction, grant_id: int, failed_at: datetime | None) -> None:
    """That what was sent to whom is invited could not be delivered, or, with None, that it arrived after all."""
    mine = update(Grant).where(Grant.id == grant_id, Grant.account_id.is_(None), Grant.taken_by.is_(None))
    tx.orm.execute(mine.values(undelivered_at=failed_at))


def invitation_with(tx: Transaction, keyring: Keyring, token: str, now: datetime) -> Invitation:
    """Raises InvitationUnknown."""
    return _find(tx, keyring, now, Grant.token_hash == secret_hash(token))


def invitation_by_id(tx: Transaction, keyring: Keyring, grant_id: int, now: datetime) -> Invitation:
    """For the job that sends it. Raises InvitationUnknown."""
    return _find(tx, keyring, now, Grant.id == grant_id)


def put_number_code(tx: Transaction, found: Invitation, account_id: int) -> None:
    """Six digits are sent to the invited number, for this account to accept with. Raises NoCodeNeeded."""
    if not found.is_by_number:
        raise NoCodeNeeded
    put(tx, SEND_NUMBER_CODE, {"account_id": account_id, "grant_id": found.grant.id})


def accept(
    tx: Transaction,
    keyring: Keyring,
    secrets: Secrets,
    token: str,
    account_id: int,
    now: datetime,
    *,
    most: int,
    codigo: str = "",
    origin: str = "",
) -> Invitation:
    """Access begins, or a hand-over waits for the owner. The account must be one with the correo that was invited, or
    `codigo` must prove the number. Replaces the access that the account had, and what was given onward by that ends.

    Locks the record's row: of several who accept at once, and of one who accepts while the record is handed over, the
    first wins. Raises InvitationUnknown, NumberNotProven, WrongCode, OwnGrant if the record is the account's own,
    Unauthenticated if that was erased meanwhile, or TooManyRecords if it is handed over to an account that has `most`
    already."""
    lock_record_row(tx, invitation_with(tx, keyring, token, now).record.id)
    found = invitation_with(tx, keyring, token, now)
    if not lock_account(tx, account_id):
        raise Unauthenticated
    account = tx.orm.get_one(Account, account_id)
    if not found.is_for(account):
        raise InvitationUnknown
    if found.record.account_id == account_id:
        raise OwnGrant
    if found.is_by_number:
        _prove_number(tx, secrets, found, account_id, codigo, now)
    if found.grant.kind == HANDOVER:
        wait_for_owner(tx, found.grant, account_id, now, most=most, origin=origin)
        return found
    end_grants(tx, found.record.id, now, Grant.account_id == account_id)
    drop_held(tx, found.record.id, Grant.account_id == account_id)
    grant = found.grant
    tx.orm.refresh(grant)
    if grant.ends_at <= now:  # What it was given by has just been replaced.
        raise InvitationUnknown
    grant.token_hash, grant.account_id, grant.granted_at, grant.undelivered_at = None, account_id, now, None
    actor, what = audit.Actor("account", account_id), [f"grant:{grant.id}"]
    audit.note(tx, grant.record_id, actor, "access.granted", what, now, via=grant.kind, origin=origin)
    publish_change_of_record(tx, "access.granted", found.record, actor, grant.kind, what, now)
    return found


def _prove_number(
    tx: Transaction, secrets: Secrets, found: Invitation, account_id: int, codigo: str, now: datetime
) -> None:
    if not codigo:
        raise NumberNotProven
    if spend_code(tx, secrets, account_id, Purpose.INVITACION, codigo, now) != found.address:
        raise WrongCode


def _find(tx: Transaction, keyring: Keyring, now: datetime, which: ColumnElement[bool]) -> Invitation:
    row = tx.orm.execute(
        select(Grant, *RECORD_COLUMNS)
        .join(Record, Record.id == Grant.record_id)
        .where(can_be_accepted(now), _giver_may_give(now), Record.erased_at.is_(None), which)
        # Whoever asks again has locked the record meanwhile.
        .execution_options(populate_existing=True)
    ).one_or_none()
    if row is None:
        raise InvitationUnknown
    record = RecordRow._make(row[1:])
    return Invitation(row.Grant, record, record.open_key(keyring))


def _giver_may_give(now: datetime) -> ColumnElement[bool]:
    """Who gave it owns the record still, or is still its guardian."""
    giver = aliased(Grant)
    is_guardian = exists().where(giver.id == Grant.given_by, giver.kind == GrantKind.GUARDIAN, giver.ends_at > now)
    # One of before the account was written down has none: whatever handed the record over since has ended it.
    by_owner = or_(Grant.offered_by.is_(None), Grant.offered_by == Record.account_id)
    return or_(and_(Grant.given_by.is_(None), by_owner), and_(Grant.kind != HANDOVER, is_guardian))


def _bound_to(record_id: int) -> str:
    return f"invitation:{record_id}:correo"
