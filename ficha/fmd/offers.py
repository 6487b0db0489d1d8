"""Letting others into a record: the owner or a guardian offers access until a date, and withdraws it."""

from datetime import datetime, timedelta

from ficha.core.errors import FichaError, NotFound, Source
from ficha.core.transaction import Transaction
from ficha.fmd.access import MayNotManage, OpenFmd
from ficha.fmd.grants import HANDOVER, Grant, GrantKind, can_be_kept, live_grant_of
from ficha.fmd.hand_over import drop_held, end_and_tell
from ficha.fmd.invitations import invite

MAX_DURATION = timedelta(days=3660)


class GrantEndOutOfRange(FichaError):
    status = 422
    code = "fecha_fuera_de_rango"
    message = "La fecha final debe estar en el futuro, y a menos de diez años."
    source = Source("pointer", "/hasta")


def must_offer(fmd: OpenFmd, kind: str) -> None:
    """Raises MayNotManage: what this person offers is not hers to give."""
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
    ends_at: datetime,
    edits: bool,
) -> Grant:
    """An invitation to this correo, or to this number in E.164, is stored, sent and noted, in the place of one that was
    pending for it. What a guardian gives ends with his own right. Raises MayNotManage or GrantEndOutOfRange."""
    must_offer(fmd, kind)
    if not now < ends_at <= now + MAX_DURATION:
        raise GrantEndOutOfRange
    giver = None if fmd.via == "owner" else live_grant_of(tx, fmd.id, account_id, now)
    if fmd.via != "owner" and (giver is None or giver.kind != GrantKind.GUARDIAN):
        raise MayNotManage  # His right ended while he waited for the record.
    made = invite(
        tx,
        fmd.record,
        fmd.key,
        address,
        kind,
        now,
        ends_at=ends_at,
        edits=edits,
        offered_by=account_id,
        giver=giver,
    )
    fmd.note(tx, "access.offered", [f"grant:{made.id}"], now)
    return made


def end_access(tx: Transaction, fmd: OpenFmd, grant_id: int, now: datetime) -> None:
    """A grant or an invitation ends at once, and what was given onward by it. Whoever had accepted a hand-over is told
    that she does not get the record; who could open it before it was handed over stays out. Raises MayNotManage or
    NotFound."""
    fmd.must_manage()
    this = Grant.id == grant_id
    if not end_and_tell(tx, fmd.id, now, this) and not drop_held(tx, fmd.id, this, can_be_kept(now)):
        raise NotFound
    fmd.note(tx, "access.withdrawn", [f"grant:{grant_id}"], now)
