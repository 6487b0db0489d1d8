"""What an invitation or a hand-over says, by mail or message: who, whose record, until when. Nothing about health."""

from typing import NamedTuple

from ficha.accounts.accounts import Account, Idioma
from ficha.core.plain_names import first_name
from ficha.core.transaction import Transaction
from ficha.fmd.invitations import Invitation
from ficha.fmd.local_time import day_text
from ficha.fmd.mail_texts import SOMEBODY
from ficha.fmd.readable_documents import documents_of, text_in

# A longer word is a sentence without spaces, and one with a dot that is no abbreviation was the address of a site.
LONGEST_FIRST_NAME, LONGEST_ABBREVIATION = 20, 5


class InvitationWords(NamedTuple):
    idioma: Idioma
    quien: str
    persona: str
    hasta: str


def words_of(tx: Transaction, found: Invitation, invited: Account | None) -> InvitationWords:
    """In the language of who is invited if she has an account, else in that of who invites."""
    inviter = tx.orm.get(Account, found.grant.offered_by or found.record.account_id or 0)
    language = Idioma(invited.idioma if invited else inviter.idioma if inviter else Idioma.ES)
    return InvitationWords(
        language,
        quien=name_for_stranger(inviter.nombre if inviter else "", language),
        persona=name_of_person(tx, found.record.id, found.key, language),
        hasta=day_text(found.grant.ends_at, "", language.value),
    )


def name_for_stranger(nombre: str, language: Idioma) -> str:
    """One word, of letters: whoever gets this did not ask for it, and anybody may have typed anything as a name. In two
    words there is room for an offer."""
    name = first_name(nombre)
    longest = LONGEST_ABBREVIATION if "." in name else LONGEST_FIRST_NAME
    return name if 0 < len(name) <= longest else SOMEBODY.in_language(language)


def name_of_person(tx: Transaction, record_id: int, key: bytes, language: Idioma) -> str:
    """The first name of whose record it is. `key` is the record's."""
    personal = documents_of(tx, record_id, key, ["personal"]).get("personal", {})
    return name_for_stranger(text_in(personal, "nombres"), language)
