"""Leaving: the institution says that somebody is not there any more. It sees nothing of the record from then on and
forgets how it called her; the record stays the family's, which is told."""

from datetime import datetime

from sqlalchemy import delete, select

from ficha.accounts.accounts import Idioma
from ficha.accounts.mail_texts import MailText
from ficha.administration.admin_changes import note_change
from ficha.audit import log as audit
from ficha.audit.log import Actor
from ficha.core.errors import NotFound
from ficha.core.ids import random_text, secret_hash
from ficha.core.transaction import Transaction
from ficha.fmd.grants import Grant, end_grants
from ficha.fmd.record_events import publish_change_of_record
from ficha.fmd.records import Record
from ficha.fmd.statements import lock_record_row
from ficha.institutions.institution import InstitutionFacts
from ficha.institutions.members import Member, MemberState, forget_member
from ficha.institutions.roster_doubts import RosterDoubt
from ficha.jobs.queue import put

KIND = "institution_member"
ACTION = "membership.ended"
# Of what stands in place of the institution's own name for her, which is free again.
NAME_LENGTH = 43
TELL = "institucion.salida"

TOLD = {
    Idioma.ES: MailText(
        "{institucion} ya no ve la ficha de {persona}",
        "Hola.\n\n{institucion} dijo que {persona} ya no está allí. Desde ahora no ve nada de la ficha, que sigue "
        "siendo suya, con sus etiquetas.\n\nSi es un error, hable con la institución.\n",
    ),
    Idioma.EN: MailText(
        "{institucion} no longer sees the record of {persona}",
        "Hello.\n\n{institucion} said that {persona} is not there any more. From now on it sees nothing of the record, "
        "which stays yours, with its stickers.\n\nIf this is a mistake, talk to the institution.\n",
    ),
    Idioma.PT: MailText(
        "{institucion} já não vê a ficha de {persona}",
        "Olá.\n\n{institucion} disse que {persona} já não está lá. A partir de agora não vê nada da ficha, que "
        "continua sendo sua, com as suas etiquetas.\n\nSe for um erro, fale com a instituição.\n",
    ),
}


def end_membership(
    tx: Transaction, institution: InstitutionFacts, member_id: int, actor: Actor, now: datetime, *, origin: str = ""
) -> Record | None:
    """The institution may enrol her again under the same name. Returns the prepared record that nobody has accepted,
    for the caller to erase. Raises NotFound, also for another institution's and for who left before."""
    which = (Member.id == member_id, Member.institution_id == institution.id, Member.state != MemberState.ENDED)
    member = tx.orm.scalars(select(Member).where(*which).with_for_update()).one_or_none()
    if member is None:
        raise NotFound
    record = lock_record_row(tx, member.record_id)
    assert record is not None, "of an erased one the membership has ended"
    is_prepared = member.state == MemberState.UNCLAIMED
    tx.orm.execute(delete(RosterDoubt).where(RosterDoubt.member_id == member.id))
    forget_member(tx, member.id, now)
    member.external_hash = secret_hash(random_text(NAME_LENGTH))
    tx.orm.flush()
    note_change(tx, actor, KIND, f"{institution.slug}/{member.id}", "ended", now)
    if is_prepared:
        return tx.orm.get_one(Record, record.id)
    if institution.account_id is not None:
        end_grants(tx, record.id, now, Grant.account_id == institution.account_id)
    what = [f"institution:{institution.slug}"]
    audit.note(tx, record.id, actor, ACTION, what, now, via="institution", origin=origin)
    publish_change_of_record(tx, ACTION, record, actor, "institution", what, now)
    put(tx, TELL, {"institution_id": institution.id, "record_id": record.id})
    return None
