"""Invitations: whoever answers for an enrolled person is asked, by mail or WhatsApp, to make the record hers.

The link's secret is made when it is sent, so that the queue never holds it; only its hash is stored.
"""

import hashlib
from datetime import datetime, timedelta

from sqlalchemy import select

from ficha.core.ids import random_text
from ficha.core.transaction import Transaction
from ficha.institutions.members import Member, MemberState
from ficha.jobs.queue import put

SEND_DUE = "institucion.invitaciones"
SEND = "institucion.invitacion"
TOKEN_LENGTH = 43
ACCEPTED_WITHIN = timedelta(days=30)
# So many are put into the queue at once: a roster of thousands must not stand before somebody's code.
AT_ONCE = 20


def put_invitations(tx: Transaction, institution_id: int) -> None:
    """One job for all members who are to be invited, however many they are."""
    put(tx, SEND_DUE, {"institution_id": institution_id}, key=f"{SEND_DUE}:{institution_id}")


def put_due(tx: Transaction, institution_id: int) -> bool:
    """Puts a job for each of the next few, and says whether there may be more."""
    due = tx.orm.scalars(
        select(Member)
        .where(Member.institution_id == institution_id, Member.invite_due)
        .order_by(Member.id)
        .limit(AT_ONCE)
        .with_for_update(skip_locked=True)
    ).all()
    for member in due:
        member.invite_due = False
        put(tx, SEND, {"member_id": member.id}, key=f"{SEND}:{member.id}")
    return len(due) == AT_ONCE


def new_token(member: Member, now: datetime) -> str:
    """What the link holds; one that was sent before is dead then."""
    token = random_text(TOKEN_LENGTH)
    member.token_hash, member.invited_at = token_hash(token), now
    return token


def invited_member(tx: Transaction, token: str, now: datetime, *, locks: bool = False) -> Member | None:
    """Whom the link is about, as long as it can be accepted."""
    is_open = (Member.state == MemberState.UNCLAIMED, Member.invited_at > now - ACCEPTED_WITHIN)
    query = select(Member).where(Member.token_hash == token_hash(token), *is_open)
    return tx.orm.scalars(query.with_for_update() if locks else query).one_or_none()


def token_hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
