"""Invitations: whoever answers for an enrolled person is asked, by mail or WhatsApp, to make the record hers.

The link's secret is made when it is sent, so that the queue never holds it; only its hash is stored.
"""

import hashlib
from datetime import datetime, timedelta

from sqlalchemy import select

from ficha.accounts.accounts import Idioma
from ficha.accounts.mail_texts import MailText
from ficha.core.ids import random_text
from ficha.core.transaction import Transaction
from ficha.institutions.members import Member, MemberState
from ficha.jobs.queue import put

INVITATION = {
    Idioma.ES: MailText(
        "{institucion} preparó una ficha de emergencia",
        "Hola.\n\n{institucion} preparó una ficha de emergencia para {persona}. Si usted es esa persona o responde por "
        "ella, abra este enlace para que la ficha sea suya y para decidir qué puede ver la institución. "
        "Mientras usted no decida, no ve nada. El enlace sirve durante 30 días:\n\n{enlace}\n\n"
        "Si no conoce a esa persona, no haga nada.\n",
    ),
    Idioma.EN: MailText(
        "{institucion} has prepared an emergency record",
        "Hello.\n\n{institucion} has prepared an emergency record for {persona}. If you are that person or answer for "
        "her, open this link to make the record yours and to decide what the institution may see. "
        "Until you decide, it sees nothing. The link works for 30 days:\n\n{enlace}\n\n"
        "If you do not know this person, do nothing.\n",
    ),
    Idioma.PT: MailText(
        "{institucion} preparou uma ficha de emergência",
        "Olá.\n\n{institucion} preparou uma ficha de emergência para {persona}. Se você é essa pessoa ou responde por "
        "ela, abra este link para que a ficha seja sua e para decidir o que a instituição pode ver. "
        "Enquanto você não decidir, ela não vê nada. O link vale por 30 dias:\n\n{enlace}\n\n"
        "Se você não conhece essa pessoa, não faça nada.\n",
    ),
}


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


def new_token(member: Member, now: datetime, token: str | None = None) -> str:
    """What the link holds, of the demo this; one that was sent before is dead then."""
    token = token or random_text(TOKEN_LENGTH)
    member.token_hash, member.invited_at = token_hash(token), now
    return token


def invited_member(tx: Transaction, token: str, now: datetime, *, locks: bool = False) -> Member | None:
    """Whom the link is about, as long as it can be accepted."""
    is_open = (Member.state == MemberState.UNCLAIMED, Member.invited_at > now - ACCEPTED_WITHIN)
    query = select(Member).where(Member.token_hash == token_hash(token), *is_open)
    return tx.orm.scalars(query.with_for_update() if locks else query).one_or_none()


def token_hash(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
