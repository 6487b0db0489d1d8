"""Handing a record over: somebody accepts the invitation, the owner confirms who that is, and then it is hers alone.

A hand-over is final. It ends every pending invitation and every access; those who could open the record before, who had
it among them, are listed for the new owner, who keeps whom she wants to keep.
"""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import ColumnElement, or_, select, update

from ficha.accounts.accounts import Account
from ficha.accounts.tokens import Unauthenticated
from ficha.audit import log as audit
from ficha.core.crypto import Keyring
from ficha.core.errors import FichaError, NotFound
from ficha.core.transaction import Transaction
from ficha.fmd.access import MayNotManage, OpenFmd
from ficha.fmd.grants import (
    HANDOVER,
    Grant,
    GrantKind,
    can_be_confirmed,
    can_be_kept,
    end_grants,
    grant_is_live,
    live_grant_of,
)
from ficha.fmd.new_records import TooManyRecords, check_room_for_record, open_record
from ficha.fmd.record_events import publish_change_of_record
from ficha.fmd.records import Record, records_of
from ficha.jobs.queue import put

HAND_OVER_MAIL = "ficha.entrega"


class HandOverMail(StrEnum):
    """What a mail about a hand-over says: to the owner that somebody accepted it, or to whom it was offered that it is
    done, or that she does not get the record."""

    WAITING = "waiting"
    DONE = "done"
    REFUSED = "refused"


class NoRoomForRecord(FichaError):
    status = 409
    code = "sin_lugar_para_la_ficha"
    message = "La cuenta de quien la recibe llegó al máximo de fichas. Pídale que borre o entregue una."


def put_hand_over_mail(tx: Transaction, grant_id: int, what: HandOverMail) -> None:
    put(tx, HAND_OVER_MAIL, {"grant_id": grant_id, "what": what}, key=f"{HAND_OVER_MAIL}:{grant_id}:{what}")


def end_and_tell(tx: Transaction, record_id: int, now: datetime, *which: ColumnElement[bool]) -> bool:
    """Ends these grants and invitations of the record, as `end_grants`. Whoever had accepted a hand-over among them is
    told that she does not get the record."""
    waiting = select(Grant.id).where(Grant.record_id == record_id, can_be_confirmed(now), *which)
    refused = tx.orm.scalars(waiting).all()
    ended = end_grants(tx, record_id, now, *which)
    for grant_id in refused:
        put_hand_over_mail(tx, grant_id, HandOverMail.REFUSED)
    return ended


def wait_for_owner(tx: Transaction, grant: Grant, account_id: int, now: datetime, *, most: int, origin: str) -> None:
    """This account has accepted the hand-over: the owner is asked whether it is the right one. The caller has locked
    the record's row. Raises TooManyRecords if the account has `most` already."""
    check_room_for_record(tx, account_id, most)
    grant.taken_by, grant.taken_at, grant.token_hash = account_id, now, None
    actor, what = audit.Actor("account", account_id), [f"grant:{grant.id}"]
    audit.note(tx, grant.record_id, actor, "handover.accepted", what, now, via=HANDOVER, origin=origin)
    put_hand_over_mail(tx, grant.id, HandOverMail.WAITING)


def hand_over(tx: Transaction, keyring: Keyring, fmd: OpenFmd, grant_id: int, now: datetime, *, most: int) -> Account:
    """The owner confirms who accepted: the record is that account's from now on, and nobody else's. She keeps a record
    in any case, because every account has one. Returns the new owner.

    Raises MayNotManage if the caller is not the owner, NotFound if nothing waits for her or who accepted was erased
    meanwhile, or NoRoomForRecord if that account has `most` records by now."""
    giver_id = fmd.record.account_id
    if fmd.via != "owner" or giver_id is None:
        raise MayNotManage
    grant = _waiting(tx, fmd, grant_id, now)
    assert grant.taken_by is not None
    try:
        check_room_for_record(tx, grant.taken_by, most)
    except TooManyRecords:
        raise NoRoomForRecord from None
    except Unauthenticated:
        raise NotFound from None
    heir, giver_stays_until = tx.orm.get_one(Account, grant.taken_by), grant.ends_at
    end_and_tell(tx, fmd.id, now, Grant.account_id.is_(None), Grant.id != grant.id)
    # This one, the heir's own, and institutions': the consent was the giver's (`enrolment/confirm_hand_over.py`).
    of_heir = or_(Grant.id == grant.id, Grant.account_id == heir.id)
    end_grants(tx, fmd.id, now, or_(of_heir, Grant.kind == GrantKind.INSTITUTION))
    _hold_grants(tx, fmd.id, now)
    if grant.edits:
        # She asked to go on as a delegate until that day: that too is for the new owner to decide.
        tx.orm.add(
            Grant(
                record_id=fmd.id,
                account_id=giver_id,
                kind=GrantKind.DELEGATE,
                edits=True,
                granted_at=now,
                ends_at=now,
                held_until=giver_stays_until,
            )
        )
    _change_owner(tx, fmd, heir.id, now)
    actor, what = audit.Actor("account", heir.id), [f"grant:{grant.id}"]
    audit.note(tx, fmd.id, actor, "record.handed_over", what, now, via=HANDOVER, origin=fmd.origin)
    publish_change_of_record(tx, "access.granted", fmd.record, actor, HANDOVER, what, now)
    if not records_of(tx, giver_id):
        open_record(tx, giver_id, "titular", keyring, now)
    put_hand_over_mail(tx, grant.id, HandOverMail.DONE)
    return heir


def keep_access(tx: Transaction, fmd: OpenFmd, grant_id: int, now: datetime) -> Grant:
    """The new owner lets somebody go on who could open the record before it was hers. It is her own gift from now on:
    it no longer depends on whoever gave it. Raises MayNotManage, or NotFound if there is nothing to keep, or if that
    account has been let in anew meanwhile."""
    owner_id = fmd.record.account_id
    if fmd.via != "owner":
        raise MayNotManage
    query = select(Grant).where(Grant.id == grant_id, Grant.record_id == fmd.id, can_be_kept(now))
    grant = tx.orm.scalars(query.execution_options(populate_existing=True)).one_or_none()
    if grant is None or grant.account_id is None or grant.held_until is None:
        raise NotFound
    if grant.account_id == owner_id or live_grant_of(tx, fmd.id, grant.account_id, now) is not None:
        raise NotFound
    grant.ends_at, grant.held_until, grant.given_by, grant.offered_by = grant.held_until, None, None, owner_id
    tx.orm.flush()
    what = [f"grant:{grant.id}"]
    fmd.note(tx, "access.kept", what, now)
    publish_change_of_record(tx, "access.granted", fmd.record, fmd.actor, fmd.via, what, now)
    return grant


def drop_held(tx: Transaction, record_id: int, *which: ColumnElement[bool]) -> bool:
    """Those that wait for a decision have ended for good. False if there was none."""
    held = update(Grant).where(Grant.record_id == record_id, Grant.held_until.is_not(None), *which)
    return bool(tx.orm.scalars(held.values(held_until=None).returning(Grant.id)).all())


def _waiting(tx: Transaction, fmd: OpenFmd, grant_id: int, now: datetime) -> Grant:
    query = select(Grant).where(Grant.id == grant_id, Grant.record_id == fmd.id, Grant.kind == HANDOVER)
    query = query.where(can_be_confirmed(now)).execution_options(populate_existing=True)
    grant = tx.orm.scalars(query).one_or_none()
    if grant is None or grant.offered_by not in (None, fmd.record.account_id):
        raise NotFound
    return grant


def _hold_grants(tx: Transaction, record_id: int, now: datetime) -> None:
    """All that are live end, and wait for the new owner to keep them. What waited for an earlier one is over."""
    drop_held(tx, record_id)
    tx.orm.execute(
        update(Grant)
        .where(Grant.record_id == record_id, Grant.account_id.is_not(None), grant_is_live(now))
        .values(held_until=Grant.ends_at, ends_at=now)
    )


def _change_owner(tx: Transaction, fmd: OpenFmd, heir_id: int, now: datetime) -> None:
    new = fmd.record._replace(account_id=heir_id, relacion="titular", version=fmd.record.version + 1)
    changed = {"account_id": heir_id, "relacion": new.relacion, "version": new.version, "received_at": now}
    tx.orm.execute(update(Record).where(Record.id == fmd.id).values(**changed))
    fmd.record = new
