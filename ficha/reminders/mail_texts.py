"""The mail and the message of a reminder, in the owner's language. They name a section, and say nothing of what is in
it."""

from ficha.accounts.accounts import Idioma
from ficha.accounts.mail_texts import MailText
from ficha.fmd.translations import Translated

REMINDER = {
    Idioma.ES: MailText(
        "¿Sigue igual la ficha de {persona}?",
        "Hola, {nombre}.\n\nLo más antiguo de la ficha de {persona} está en la sección «{seccion}». ¿Sigue igual?\n\n"
        "Responda sí o no aquí, sin entrar en su cuenta. El enlace sirve una vez, durante 30 días:\n\n{enlace}\n\n"
        "En la misma página puede dejar de recibir estos correos.\n",
    ),
    Idioma.EN: MailText(
        "Is the record of {persona} still right?",
        "Hello, {nombre}.\n\nWhat is oldest in the record of {persona} is in the section “{seccion}”. Is it still "
        "right?\n\nAnswer yes or no here, without logging in. The link works once, for 30 days:\n\n{enlace}\n\n"
        "On the same page you can stop these mails.\n",
    ),
    Idioma.PT: MailText(
        "A ficha de {persona} continua certa?",
        "Olá, {nombre}.\n\nO mais antigo da ficha de {persona} está na seção “{seccion}”. Continua certo?\n\n"
        "Responda sim ou não aqui, sem entrar na sua conta. O link vale uma vez, por 30 dias:\n\n{enlace}\n\n"
        "Na mesma página pode deixar de receber estes e-mails.\n",
    ),
}

THANKS = Translated(
    "Gracias: queda confirmado con la fecha de hoy.",
    "Thank you: it is confirmed as of today.",
    "Obrigado: fica confirmado com a data de hoje.",
)
CORRECT = Translated("Corríjalo aquí: {}", "Correct it here: {}", "Corrija aqui: {}")
