"""The mails of notices, in the owner's language. They say nothing about health."""

from ficha.accounts.accounts import Idioma
from ficha.accounts.mail_texts import MailText

READ = {
    Idioma.ES: MailText(
        "Alguien abrió la ficha de {persona}",
        "Hola, {nombre}.\n\nAlguien abrió la ficha de emergencia de {persona} a las {hora}, desde {origen}.\n\n"
        "Quién vio qué, y cuándo, está en el registro de accesos de la ficha. Si la etiqueta se perdió, márquela "
        "como perdida y dejará de abrir al instante: {enlace}\n",
    ),
    Idioma.EN: MailText(
        "Somebody opened the record of {persona}",
        "Hello, {nombre}.\n\nSomebody opened the emergency record of {persona} at {hora}, from {origen}.\n\n"
        "Who saw what, and when, is in the record's access log. If the sticker was lost, mark it as lost and it "
        "stops opening at once: {enlace}\n",
    ),
    Idioma.PT: MailText(
        "Alguém abriu a ficha de {persona}",
        "Olá, {nombre}.\n\nAlguém abriu a ficha de emergência de {persona} às {hora}, a partir de {origen}.\n\n"
        "Quem viu o quê, e quando, está no registro de acessos da ficha. Se a etiqueta foi perdida, marque-a como "
        "perdida e ela deixa de abrir na hora: {enlace}\n",
    ),
}

GLASS = {
    Idioma.ES: MailText(
        "Alguien pidió ver más datos de {persona}",
        "Hola, {nombre}.\n\nA las {hora}, desde {origen}, alguien que se identificó como «{quien}» pidió ver los datos "
        "reservados de la ficha de {persona}. Los puede ver durante una hora.\n\n"
        "El motivo que dio está en el registro de accesos de la ficha. Si no lo espera, marque la etiqueta como "
        "perdida y dejará de abrir al instante: {enlace}\n",
    ),
    Idioma.EN: MailText(
        "Somebody asked to see more of the record of {persona}",
        "Hello, {nombre}.\n\nAt {hora}, from {origen}, somebody who gave the name “{quien}” asked to see the "
        "reserved part of the record of {persona}. They can see it for one hour.\n\n"
        "The reason given is in the record's access log. If you do not expect this, mark the sticker as lost and it "
        "stops opening at once: {enlace}\n",
    ),
    Idioma.PT: MailText(
        "Alguém pediu para ver mais dados de {persona}",
        "Olá, {nombre}.\n\nÀs {hora}, a partir de {origen}, alguém que se identificou como “{quien}” pediu para ver "
        "os dados reservados da ficha de {persona}. Pode vê-los durante uma hora.\n\n"
        "O motivo está no registro de acessos da ficha. Se você não espera isto, marque a etiqueta como perdida e "
        "ela deixa de abrir na hora: {enlace}\n",
    ),
}
