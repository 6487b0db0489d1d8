"""The mails of an emergency, in the reader's language. They say who, when and where, and nothing about health."""

from ficha.accounts.accounts import Idioma
from ficha.accounts.letters import Letter

ALERT = {
    Idioma.ES: Letter(
        "{persona} puede necesitar ayuda",
        "{persona} puede necesitar ayuda. Alguien pidió avisarle a las {hora}.\n\nLugar: {lugar}\n\n"
        "Diga si va o si no puede, y vea dónde es:\n\n{enlace}\n\n"
        "Le escribimos porque usted es su contacto de emergencia.\n",
    ),
    Idioma.EN: Letter(
        "{persona} may need help",
        "{persona} may need help. Somebody asked us to tell you at {hora}.\n\nPlace: {lugar}\n\n"
        "Say whether you are going or cannot, and see where it is:\n\n{enlace}\n\n"
        "We write to you because you are an emergency contact.\n",
    ),
    Idioma.PT: Letter(
        "{persona} pode precisar de ajuda",
        "{persona} pode precisar de ajuda. Alguém pediu para avisar você às {hora}.\n\nLocal: {lugar}\n\n"
        "Diga se você vai ou se não pode, e veja onde é:\n\n{enlace}\n\n"
        "Escrevemos porque você é contato de emergência.\n",
    ),
}

READ = {
    Idioma.ES: Letter(
        "Alguien abrió la ficha de {persona}",
        "Hola, {nombre}.\n\nAlguien abrió la ficha de emergencia de {persona} a las {hora}, desde {origen}.\n\n"
        "Quién vio qué, y cuándo, está en el registro de accesos de la ficha. Si la etiqueta se perdió, márquela "
        "como perdida y dejará de abrir al instante: {enlace}\n",
    ),
    Idioma.EN: Letter(
        "Somebody opened the record of {persona}",
        "Hello, {nombre}.\n\nSomebody opened the emergency record of {persona} at {hora}, from {origen}.\n\n"
        "Who saw what, and when, is in the record's access log. If the sticker was lost, mark it as lost and it "
        "stops opening at once: {enlace}\n",
    ),
    Idioma.PT: Letter(
        "Alguém abriu a ficha de {persona}",
        "Olá, {nombre}.\n\nAlguém abriu a ficha de emergência de {persona} às {hora}, a partir de {origen}.\n\n"
        "Quem viu o quê, e quando, está no registro de acessos da ficha. Se a etiqueta foi perdida, marque-a como "
        "perdida e ela deixa de abrir na hora: {enlace}\n",
    ),
}

GLASS = {
    Idioma.ES: Letter(
        "Alguien pidió ver más datos de {persona}",
        "Hola, {nombre}.\n\nA las {hora}, desde {origen}, alguien que se identificó como «{quien}» pidió ver los datos "
        "reservados de la ficha de {persona}. Los puede ver durante una hora.\n\n"
        "El motivo que dio está en el registro de accesos de la ficha. Si no lo espera, marque la etiqueta como "
        "perdida y dejará de abrir al instante: {enlace}\n",
    ),
    Idioma.EN: Letter(
        "Somebody asked to see more of the record of {persona}",
        "Hello, {nombre}.\n\nAt {hora}, from {origen}, somebody who gave the name “{quien}” asked to see the "
        "reserved part of the record of {persona}. They can see it for one hour.\n\n"
        "The reason given is in the record's access log. If you do not expect this, mark the sticker as lost and it "
        "stops opening at once: {enlace}\n",
    ),
    Idioma.PT: Letter(
        "Alguém pediu para ver mais dados de {persona}",
        "Olá, {nombre}.\n\nÀs {hora}, a partir de {origen}, alguém que se identificou como “{quien}” pediu para ver "
        "os dados reservados da ficha de {persona}. Pode vê-los durante uma hora.\n\n"
        "O motivo está no registro de acessos da ficha. Se você não espera isto, marque a etiqueta como perdida e "
        "ela deixa de abrir na hora: {enlace}\n",
    ),
}
