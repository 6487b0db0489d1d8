"""What an invitation says, by mail or by message: who invites, to whose record, until when. Nothing about health."""

from typing import NamedTuple

from sqlalchemy.orm import Session

from ficha.accounts.accounts import Account, Idioma
from ficha.core.plain_names import plain_name
from ficha.fmd.grants import Grant
from ficha.fmd.invitations import Invitation
from ficha.fmd.local_time import day_text
from ficha.fmd.mail_texts import SOMEBODY
from ficha.fmd.readable_documents import documents_of, unfiltered_first_name


class InvitationWords(NamedTuple):
    idioma: Idioma
    quien: str
    persona: str
    hasta: str


def words_of(session: Session, found: Invitation, invited: Account | None) -> InvitationWords:
    """In the language of who is invited if she has an account, else in that of who invites."""
    giver = session.get(Grant, found.grant.given_by) if found.grant.given_by else None
    inviter = session.get(Account, giver.account_id if giver else found.record.account_id)
    language = Idioma(invited.idioma if invited else inviter.idioma if inviter else Idioma.ES)
    documents = documents_of(session, found.record.id, found.key, ["personal"])
    somebody = SOMEBODY.in_language(language)
    return InvitationWords(
        language,
        quien=plain_name(inviter.nombre if inviter else "") or somebody,
        persona=unfiltered_first_name(documents) or somebody,
        hasta=day_text(found.grant.ends_at, "", language.value),
    )
