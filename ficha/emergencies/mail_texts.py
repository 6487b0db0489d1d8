"""The mails of an emergency, in the reader's language. They say who, when and where, and nothing about health."""

from ficha.accounts.accounts import Idioma
from ficha.accounts.mail_texts import MailText

ALERT = {
    Idioma.ES: MailText(
        "{persona} puede necesitar ayuda",
        "{persona} puede necesitar ayuda. Alguien pidió avisarle a las {hora}.\n\nLugar: {lugar}\n\n"
        "Diga si va o si no puede, y vea dónde es:\n\n{enlace}\n\n"
        "Le escribimos porque usted es su contacto de emergencia.\n",
    ),
    Idioma.EN: MailText(
        "{persona} may need help",
        "{persona} may need help. Somebody asked us to tell you at {hora}.\n\nPlace: {lugar}\n\n"
        "Say whether you are going or cannot, and see where it is:\n\n{enlace}\n\n"
        "We write to you because you are an emergency contact.\n",
    ),
    Idioma.PT: MailText(
        "{persona} pode precisar de ajuda",
        "{persona} pode precisar de ajuda. Alguém pediu para avisar você às {hora}.\n\nLocal: {lugar}\n\n"
        "Diga se você vai ou se não pode, e veja onde é:\n\n{enlace}\n\n"
        "Escrevemos porque você é contato de emergência.\n",
    ),
}
