"""The mails about access to a record, in the reader's language, and what an invitation or a hand-over says by mail or
message: who, whose record, until when. Nothing about health."""

from typing import NamedTuple

from ficha.accounts.accounts import Account, Idioma
from ficha.accounts.mail_texts import MailText
from ficha.core.plain_names import first_name
from ficha.core.transaction import Transaction
from ficha.fmd.dates_and_amounts import day_text
from ficha.fmd.invitations import Invitation
from ficha.fmd.stored_documents import documents_of, text_in
from ficha.fmd.translations import Translated

UNTIL = Translated(", hasta el {}", ", until {}", ", até {}")
SOMEBODY = Translated("una persona", "somebody", "uma pessoa")

_ACCEPT = {
    Idioma.ES: (
        "Para aceptar, abra este enlace y escriba la clave de su cuenta de Ficha con este correo. Si todavía no tiene "
        "cuenta, la crea ahí mismo. El enlace sirve durante 14 días:\n\n{enlace}\n\n"
        "Si no conoce a esa persona, no haga nada.\n"
    ),
    Idioma.EN: (
        "To accept, open this link and type the password of your Ficha account with this address. If you have no "
        "account yet, you create it right there. The link works for 14 days:\n\n{enlace}\n\n"
        "If you do not know this person, do nothing.\n"
    ),
    Idioma.PT: (
        "Para aceitar, abra este link e digite a senha da sua conta do Ficha com este e-mail. Se ainda não tem conta, "
        "você a cria ali mesmo. O link vale por 14 dias:\n\n{enlace}\n\n"
        "Se você não conhece essa pessoa, não faça nada.\n"
    ),
}

INVITATION = {
    Idioma.ES: MailText(
        "Le ofrecen acceso a una ficha de emergencia",
        "Hola.\n\n{quien} le ofrece acceso a la ficha de emergencia de {persona}{hasta}.\n\n" + _ACCEPT[Idioma.ES],
    ),
    Idioma.EN: MailText(
        "You are offered access to an emergency record",
        "Hello.\n\n{quien} offers you access to the emergency record of {persona}{hasta}.\n\n" + _ACCEPT[Idioma.EN],
    ),
    Idioma.PT: MailText(
        "Oferecem a você acesso a uma ficha de emergência",
        "Olá.\n\n{quien} oferece a você acesso à ficha de emergência de {persona}{hasta}.\n\n" + _ACCEPT[Idioma.PT],
    ),
}

# To the owner, each year: who has access that nobody has ended.
STILL_OPEN = {
    Idioma.ES: MailText(
        "¿Quién puede abrir la ficha de {persona}?",
        "Hola.\n\nHace un año o más, alguien de confianza recibió acceso a la ficha de emergencia de {persona}, hasta "
        "que usted lo retire. Sigue pudiendo abrirla: {quien}.\n\nSi está bien así, no haga nada. Si no, retírelo aquí:"
        "\n\n{enlace}\n\nSe lo recordamos una vez al año.\n",
    ),
    Idioma.EN: MailText(
        "Who may open the record of {persona}?",
        "Hello.\n\nA year ago or more, somebody trusted was given access to the emergency record of {persona}, until "
        "you end it. Still able to open it: {quien}.\n\nIf that is right, do nothing. If not, end it here:\n\n{enlace}"
        "\n\nWe remind you of it once a year.\n",
    ),
    Idioma.PT: MailText(
        "Quem pode abrir a ficha de {persona}?",
        "Olá.\n\nHá um ano ou mais, alguém de confiança recebeu acesso à ficha de emergência de {persona}, até você o "
        "retirar. Continua podendo abri-la: {quien}.\n\nSe está certo assim, não faça nada. Se não, retire aqui:\n\n"
        "{enlace}\n\nLembramos você disso uma vez por ano.\n",
    ),
}

# A record that changes hands has no day on which that ends.
HANDING_OVER = {
    Idioma.ES: MailText(
        "Le entregan una ficha de emergencia",
        "Hola.\n\n{quien} le entrega la ficha de emergencia de {persona}: pasará a ser suya.\n\n" + _ACCEPT[Idioma.ES],
    ),
    Idioma.EN: MailText(
        "An emergency record is handed over to you",
        "Hello.\n\n{quien} hands the emergency record of {persona} over to you: it will be yours.\n\n"
        + _ACCEPT[Idioma.EN],
    ),
    Idioma.PT: MailText(
        "Entregam a você uma ficha de emergência",
        "Olá.\n\n{quien} entrega a você a ficha de emergência de {persona}: ela passará a ser sua.\n\n"
        + _ACCEPT[Idioma.PT],
    ),
}

# To the owner: somebody accepted what she hands over.
CONFIRM_HAND_OVER = {
    Idioma.ES: MailText(
        "Confirme a quién entrega una ficha",
        "Hola.\n\n{quien} aceptó recibir la ficha de emergencia de {persona}. Todavía es de usted: no cambia de manos "
        "hasta que usted confirme que esa es la persona. Vea aquí su nombre y su correo, y confirme o rechace en los "
        "próximos 14 días:\n\n{enlace}\n\n"
        "Si usted no quiso entregarla, rechácela y cambie su clave.\n",
    ),
    Idioma.EN: MailText(
        "Confirm to whom you hand a record over",
        "Hello.\n\n{quien} accepted the emergency record of {persona}. It is still yours: it changes hands only once "
        "you have confirmed that this is the person. See the name and the address here, and confirm or refuse within "
        "14 days:\n\n{enlace}\n\n"
        "If you did not mean to hand it over, refuse it and change your password.\n",
    ),
    Idioma.PT: MailText(
        "Confirme a quem você entrega uma ficha",
        "Olá.\n\n{quien} aceitou receber a ficha de emergência de {persona}. Ela ainda é sua: só muda de mãos quando "
        "você confirmar que essa é a pessoa. Veja aqui o nome e o e-mail, e confirme ou recuse nos próximos 14 dias:"
        "\n\n{enlace}\n\n"
        "Se você não quis entregá-la, recuse e mude a sua senha.\n",
    ),
}

# To whom it was offered.
HANDED_OVER = {
    Idioma.ES: MailText(
        "La ficha ya es suya",
        "Hola.\n\nLa ficha de emergencia de {persona} ya es suya, y por ahora nadie más puede abrirla. Vea aquí quién "
        "podía hacerlo antes, y elija quién sigue:\n\n{enlace}\n",
    ),
    Idioma.EN: MailText(
        "The record is yours now",
        "Hello.\n\nThe emergency record of {persona} is yours now, and for the moment nobody else can open it. See "
        "here who could do so before, and choose who stays:\n\n{enlace}\n",
    ),
    Idioma.PT: MailText(
        "A ficha já é sua",
        "Olá.\n\nA ficha de emergência de {persona} já é sua, e por enquanto ninguém mais pode abri-la. Veja aqui quem "
        "podia fazer isso antes, e escolha quem continua:\n\n{enlace}\n",
    ),
}

NOT_HANDED_OVER = {
    Idioma.ES: MailText(
        "No le entregaron la ficha",
        "Hola.\n\nLa ficha de emergencia de {persona} no pasa a ser suya: no lo confirmaron. Si fue un error, pida "
        "otra invitación a quien se la ofreció.\n",
    ),
    Idioma.EN: MailText(
        "The record was not handed over to you",
        "Hello.\n\nThe emergency record of {persona} will not be yours: it was not confirmed. If that is a mistake, "
        "ask whoever offered it to you for another invitation.\n",
    ),
    Idioma.PT: MailText(
        "A ficha não foi entregue a você",
        "Olá.\n\nA ficha de emergência de {persona} não passa a ser sua: não foi confirmado. Se foi um engano, peça "
        "outro convite a quem a ofereceu.\n",
    ),
}


WITHDRAWN = {
    Idioma.ES: MailText(
        "Ya no tiene acceso a una ficha",
        "Hola.\n\nLe retiraron el acceso a la ficha de emergencia de {persona}: ya no puede verla ni cambiarla. Si "
        "cree que es un error, hable con quien la maneja.\n",
    ),
    Idioma.EN: MailText(
        "You no longer have access to a record",
        "Hello.\n\nYour access to the emergency record of {persona} was withdrawn: you can no longer see it or change "
        "it. If you think that is a mistake, talk to whoever manages it.\n",
    ),
    Idioma.PT: MailText(
        "Você já não tem acesso a uma ficha",
        "Olá.\n\nRetiraram o seu acesso à ficha de emergência de {persona}: você já não pode vê-la nem mudá-la. Se "
        "acha que é um engano, fale com quem a administra.\n",
    ),
}


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
    end = found.grant.end
    return InvitationWords(
        language,
        quien=name_for_recipient(inviter.nombre if inviter else "", language),
        persona=name_of_person(tx, found.record.id, found.key, language),
        hasta="" if end is None else UNTIL.in_language(language).format(day_text(end, "", language.value)),
    )


def name_for_recipient(nombre: str, language: Idioma) -> str:
    """One word, of letters: whoever gets this did not ask for it, and anybody may have typed anything as a name. In two
    words there is room for an offer."""
    name = first_name(nombre)
    longest = LONGEST_ABBREVIATION if "." in name else LONGEST_FIRST_NAME
    return name if 0 < len(name) <= longest else SOMEBODY.in_language(language)


def name_of_person(tx: Transaction, record_id: int, key: bytes, language: Idioma) -> str:
    """The first name of whose record it is. `key` is the record's."""
    personal = documents_of(tx, record_id, key, ["personal"]).get("personal", {})
    return name_for_recipient(text_in(personal, "nombres"), language)
