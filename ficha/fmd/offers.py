"""Letting others into a record: the owner or a guardian offers access until a date, and withdraws it."""

from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from ficha.core.errors import FichaError, Source
from ficha.fmd.access import MayNotManage, OpenFmd
from ficha.fmd.grants import Grant, live_grant_of, withdraw_access
from ficha.fmd.invitations import HANDOVER, invite

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
    session: Session,
    fmd: OpenFmd,
    account_id: int,
    address: str,
    kind: str,
    now: datetime,
    *,
    ends_at: datetime,
    edits: bool,
) -> Grant:
    """An invitation to this correo, or to this number in E.164, is stored, sent and noted. What a guardian gives ends
    with his own right. Raises MayNotManage or GrantEndOutOfRange."""
    must_offer(fmd, kind)
    if not now < ends_at <= now + MAX_DURATION:
        raise GrantEndOutOfRange
    giver = None if fmd.via == "owner" else live_grant_of(session, fmd.id, account_id, now)
    made = invite(session, fmd.record, fmd.key, address, kind, now, ends_at=ends_at, edits=edits, giver=giver)
    fmd.note(session, "access.offered", [f"grant:{made.id}"], now)
    return made


def end_access(session: Session, fmd: OpenFmd, grant_id: int, now: datetime) -> None:
    """A grant or an invitation ends at once, and what was given onward by it. Raises MayNotManage or NotFound."""
    fmd.must_manage()
    withdraw_access(session, fmd.id, grant_id, now)
    fmd.note(session, "access.withdrawn", [f"grant:{grant_id}"], now)
