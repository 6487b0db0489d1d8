"""Invitations: access to a record is offered to a correo or to a number on WhatsApp, and begins when that person
accepts by the link that was sent there.

Whoever invites learns neither whether the address has an account nor whose it is, until the person has accepted.
"""

import hashlib
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from ficha.accounts.accounts import Account
from ficha.audit import log as audit
from ficha.core.crypto import Keyring, seal, unseal
from ficha.core.errors import FichaError, Source
from ficha.core.ids import random_text
from ficha.core.text_types import correo_key
from ficha.fmd.grants import Grant, GrantKind, end_grants, grant_is_live
from ficha.fmd.new_records import check_room_for_record, open_record
from ficha.fmd.record_events import publish_change_of_record
from ficha.fmd.records import AnyRecord, Record, records_of
from ficha.jobs.queue import put

# By mail, and by a message, which messaging/ queues.
INVITE, INVITE_BY_MESSAGE = "ficha.invitacion", "ficha.invitacion.mensaje"
TOKEN_LENGTH = 43
# The kind of an invitation that hands the record over: it never lets anybody in, so it is no GrantKind.
HANDOVER = "owner"
# Nobody accepted it within this: it is over.
ACCEPTED_WITHIN = timedelta(days=14)


class InvitationUnknown(FichaError):
    """Never sent, withdrawn, too old, used, or for another correo or number: all look the same."""

    status = 404
    code = "invitacion_desconocida"
    message = "Esa invitación no existe, ya no sirve o es para otra cuenta. Pida otra a quien lo invitó."


class OwnGrant(FichaError):
    status = 409
    code = "ya_tiene_acceso"
    message = "Esa ficha ya es suya."
    source = Source("pointer", "/token")


@dataclass(frozen=True)
class Invitation:
    """An invitation that can still be accepted. `key` is the record's."""

    grant: Grant
    record: Record
    key: bytes = field(repr=False)

    @property
    def address(self) -> str:
        """A correo, or a number in E.164."""
        return address_of(self.grant, self.key)

    def is_for(self, account: Account) -> bool:
        """Whether it has this correo or number, verified or not: the link proves that she reads what comes there."""
        if is_number(self.address):
            return account.telefono_e164 == self.address
        return account.correo_key == correo_key(self.address)


def invite(
    session: Session,
    record: AnyRecord,
    key: bytes,
    address: str,
    kind: str,
    now: datetime,
    *,
    ends_at: datetime,
    edits: bool,
    giver: Grant | None,
) -> Grant:
    """Stores the invitation and puts its mail or message aside, in the caller's transaction. `address` is a correo or a
    number in E.164. `giver` is the grant of the guardian who invites, if it is not the owner: what he gives ends with
    it at the latest. A HANDOVER is for the owner alone to give; `edits` and `ends_at` say then whether she stays as a
    delegate, and until when."""
    grant = Grant(
        record_id=record.id,
        kind=kind,
        edits=edits,
        granted_at=now,
        ends_at=ends_at if giver is None else min(ends_at, giver.ends_at),
        given_by=None if giver is None else giver.id,
        sealed_address=seal(key, address.encode(), _place(record.id)),
    )
    session.add(grant)
    session.flush()
    job = INVITE_BY_MESSAGE if is_number(address) else INVITE
    put(session, job, {"grant_id": grant.id}, key=f"{job}:{grant.id}")
    return grant


def is_number(address: str) -> bool:
    """Whether this is a number in E.164, and no correo."""
    return "@" not in address and address.startswith("+")


def address_of(grant: Grant, key: bytes) -> str:
    """The correo or the number that was invited. Empty for grants that were given without an invitation."""
    return "" if grant.sealed_address is None else unseal(key, grant.sealed_address, _place(grant.record_id)).decode()


def new_token(grant: Grant) -> str:
    """What the link holds, made when it is sent; a link sent before is dead then."""
    token = random_text(TOKEN_LENGTH)
    grant.token_hash = _hash(token)
    return token


def invitation_with(session: Session, keyring: Keyring, token: str, now: datetime) -> Invitation:
    """Raises InvitationUnknown."""
    return _find(session, keyring, now, Grant.token_hash == _hash(token))


def invitation_by_id(session: Session, keyring: Keyring, grant_id: int, now: datetime) -> Invitation:
    """For the job that sends it. Raises InvitationUnknown."""
    return _find(session, keyring, now, Grant.id == grant_id)


def accept(
    session: Session, keyring: Keyring, token: str, account_id: int, now: datetime, *, most: int, origin: str = ""
) -> Invitation:
    """Access begins. The account must be one with the correo or the number that was invited (`is_for`). Replaces the
    access it had, and all that was given onward by that ends.

    Locks the record's row. Raises InvitationUnknown, OwnGrant if the record is the account's own, or TooManyRecords if
    it is handed over to an account that has `most` already."""
    found = invitation_with(session, keyring, token, now)
    account = session.get_one(Account, account_id)
    if not found.is_for(account):
        raise InvitationUnknown
    if found.record.account_id == account_id:
        raise OwnGrant
    if found.grant.kind == HANDOVER:
        check_room_for_record(session, account_id, most)
    session.refresh(found.record, with_for_update=True)
    end_grants(session, found.record.id, now, Grant.account_id == account_id)
    session.refresh(found.grant)
    # Somebody else took it meanwhile, or what it was given by has just been replaced.
    if found.grant.account_id is not None or found.grant.ends_at <= now or found.record.erased_at is not None:
        raise InvitationUnknown
    grant = found.grant
    grant.token_hash = None
    if grant.kind == HANDOVER:
        _hand_over(session, keyring, found, account, now, origin)
        return found
    grant.account_id, grant.granted_at = account_id, now
    actor, what = audit.Actor("account", account_id), [f"grant:{grant.id}"]
    audit.note(session, grant.record_id, actor, "access.granted", what, now, via=grant.kind, origin=origin)
    publish_change_of_record(session, "access.granted", found.record, actor, grant.kind, what, now)
    return found


def _hand_over(
    session: Session, keyring: Keyring, found: Invitation, heir: Account, now: datetime, origin: str
) -> None:
    """The record is the heir's from now on. Who had it becomes a delegate, or leaves; she keeps a record in any case,
    because every account has one."""
    grant, record, giver_id = found.grant, found.record, found.record.account_id
    record.account_id, record.relacion = heir.id, "titular"
    record.version += 1
    if grant.edits and giver_id is not None:
        grant.account_id, grant.kind, grant.granted_at, grant.sealed_address = giver_id, GrantKind.DELEGATE, now, None
    else:
        grant.ends_at = now
    session.flush()
    actor, what = audit.Actor("account", heir.id), [f"grant:{grant.id}"]
    audit.note(session, record.id, actor, "record.handed_over", what, now, via=HANDOVER, origin=origin)
    publish_change_of_record(session, "access.granted", record, actor, HANDOVER, what, now)
    if giver_id is not None and not records_of(session, giver_id):
        open_record(session, giver_id, "titular", keyring, now)


def _find(session: Session, keyring: Keyring, now: datetime, which: ColumnElement[bool]) -> Invitation:
    row = session.execute(
        select(Grant, Record)
        .join(Record, Record.id == Grant.record_id)
        .where(Grant.account_id.is_(None), Grant.granted_at > now - ACCEPTED_WITHIN, grant_is_live(now))
        .where(Record.erased_at.is_(None), which)
    ).one_or_none()
    if row is None:
        raise InvitationUnknown
    return Invitation(row.Grant, row.Record, row.Record.open_key(keyring))


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def _place(record_id: int) -> str:
    return f"invitation:{record_id}:correo"
