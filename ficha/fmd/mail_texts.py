"""The mails about access to a record, in the reader's language. They say nothing about health."""

from ficha.accounts.accounts import Idioma
from ficha.accounts.mail_texts import MailText
from ficha.fmd.translations import Translated

SOMEBODY = Translated("una persona", "somebody", "uma pessoa")

_ACCEPT = {
    Idioma.ES: (
        "Para aceptar, abra este enlace y escriba la clave de su cuenta de Ficha con este correo. Si todavía no tiene "
        "cuenta, regístrese primero con este mismo correo. El enlace sirve durante 14 días:\n\n{enlace}\n\n"
        "Si no conoce a esa persona, no haga nada.\n"
    ),
    Idioma.EN: (
        "To accept, open this link and type the password of your Ficha account with this address. If you have no "
        "account yet, register first with this same address. The link works for 14 days:\n\n{enlace}\n\n"
        "If you do not know this person, do nothing.\n"
    ),
    Idioma.PT: (
        "Para aceitar, abra este link e digite a senha da sua conta do Ficha com este e-mail. Se ainda não tem conta, "
        "registre-se primeiro com este mesmo e-mail. O link vale por 14 dias:\n\n{enlace}\n\n"
        "Se você não conhece essa pessoa, não faça nada.\n"
    ),
}

INVITATION = {
    Idioma.ES: MailText(
        "Le ofrecen acceso a una ficha de emergencia",
        "Hola.\n\n{quien} le ofrece acceso a la ficha de emergencia de {persona}, hasta el {hasta}.\n\n"
        + _ACCEPT[Idioma.ES],
    ),
    Idioma.EN: MailText(
        "You are offered access to an emergency record",
        "Hello.\n\n{quien} offers you access to the emergency record of {persona}, until {hasta}.\n\n"
        + _ACCEPT[Idioma.EN],
    ),
    Idioma.PT: MailText(
        "Oferecem a você acesso a uma ficha de emergência",
        "Olá.\n\n{quien} oferece a você acesso à ficha de emergência de {persona}, até {hasta}.\n\n"
        + _ACCEPT[Idioma.PT],
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
