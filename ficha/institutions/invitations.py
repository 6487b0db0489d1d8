"""Invitations: whoever answers for an enrolled person is asked, by mail or WhatsApp, to make the record hers.

The link's secret is made when it is sent, so that the queue never holds it; only its hash is stored.
"""

from datetime import datetime, timedelta

from sqlalchemy import select

from ficha.accounts.accounts import Idioma
from ficha.accounts.mail_texts import MailText
from ficha.administration.admin_changes import note_change
from ficha.audit.log import Actor
from ficha.core.errors import FichaError, NotFound
from ficha.core.ids import random_text, secret_hash
from ficha.core.transaction import Transaction
from ficha.institutions.institution import InstitutionFacts
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
        "them, open this link to make the record yours and to decide what the institution may see. "
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


KIND = "institution_invitation"
# Nobody is asked more often: who does not answer may not want to, or the address is somebody else's.
AGAIN_AFTER = timedelta(days=1)
MOST_SENT = 5


class NobodyToInvite(FichaError):
    status = 409
    code = "sin_a_quien_invitar"
    message = "No hay un correo ni un teléfono a donde enviar la invitación. Póngalo en la nómina."


class InvitedLately(FichaError):
    status = 409
    code = "invitacion_reciente"
    message = "La invitación se envió hace menos de un día. Espere a mañana para enviarla de nuevo."


class InvitedOften(FichaError):
    status = 409
    code = "invitaciones_agotadas"
    message = "Ya se invitó cinco veces a esa dirección. Corríjala en la nómina, o hable con la familia."


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
    member.token_hash, member.invited_at = secret_hash(token), now
    member.invites_sent = (member.invites_sent or 0) + 1
    return token


def send_again(
    tx: Transaction, institution: InstitutionFacts, member_id: int, actor: Actor, now: datetime, *, is_reachable: bool
) -> None:
    """Another link, the one before is dead then. `is_reachable`: there is a correo or a phone. Raises NotFound,
    NobodyToInvite, InvitedLately or InvitedOften."""
    member = _waiting_member(tx, institution.id, member_id)
    if not is_reachable:
        raise NobodyToInvite
    if member.invited_at is not None and member.invited_at > now - AGAIN_AFTER:
        raise InvitedLately
    if member.invites_sent >= MOST_SENT:
        raise InvitedOften
    member.invite_ended_at, member.invite_due = None, False
    put(tx, SEND, {"member_id": member.id}, key=f"{SEND}:{member.id}")
    note_change(tx, actor, KIND, f"{institution.slug}/{member.id}", "sent_again", now)


def end_invitation(tx: Transaction, institution: InstitutionFacts, member_id: int, actor: Actor, now: datetime) -> None:
    """The link opens nothing any more, and none is sent until somebody asks for it. Raises NotFound."""
    member = _waiting_member(tx, institution.id, member_id)
    if member.invite_ended_at is not None:
        return
    member.token_hash, member.invite_due, member.invite_ended_at = None, False, now
    note_change(tx, actor, KIND, f"{institution.slug}/{member.id}", "ended", now)


def _waiting_member(tx: Transaction, institution_id: int, member_id: int) -> Member:
    """Locks its row. Raises NotFound, also for another institution's."""
    which = (Member.id == member_id, Member.institution_id == institution_id, Member.state == MemberState.UNCLAIMED)
    member = tx.orm.scalars(select(Member).where(*which).with_for_update()).one_or_none()
    if member is None:
        raise NotFound
    return member


def invited_member(tx: Transaction, token: str, now: datetime, *, locks: bool = False) -> Member | None:
    """Whom the link is about, as long as it can be accepted."""
    is_open = (Member.state == MemberState.UNCLAIMED, Member.invited_at > now - ACCEPTED_WITHIN)
    query = select(Member).where(Member.token_hash == secret_hash(token), *is_open)
    return tx.orm.scalars(query.with_for_update() if locks else query).one_or_none()
