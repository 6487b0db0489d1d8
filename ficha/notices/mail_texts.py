"""The mails of notices, in the owner's language. They say nothing about health."""

from ficha.accounts.accounts import Idioma
from ficha.accounts.mail_texts import MailText
from ficha.fmd.translations import Translated
from ficha.notices.notices import ReaderKind
from ficha.products.codes import TagEnd

READ = {
    Idioma.ES: MailText(
        "Alguien abrió la ficha de {persona}",
        "Hola, {nombre}.\n\nAlguien abrió la ficha de emergencia de {persona} a las {hora}, desde {origen}.\n\n"
        "Quién vio qué, y cuándo: {accesos}\n\nSi la etiqueta se perdió, márquela como perdida y dejará de abrir al "
        "instante: {perdida}\n",
    ),
    Idioma.EN: MailText(
        "Somebody opened the record of {persona}",
        "Hello, {nombre}.\n\nSomebody opened the emergency record of {persona} at {hora}, from {origen}.\n\n"
        "Who saw what, and when: {accesos}\n\nIf the sticker was lost, mark it as lost and it stops opening at once: "
        "{perdida}\n",
    ),
    Idioma.PT: MailText(
        "Alguém abriu a ficha de {persona}",
        "Olá, {nombre}.\n\nAlguém abriu a ficha de emergência de {persona} às {hora}, a partir de {origen}.\n\n"
        "Quem viu o quê, e quando: {accesos}\n\nSe a etiqueta foi perdida, marque-a como perdida e ela deixa de abrir "
        "na hora: {perdida}\n",
    ),
}

GLASS = {
    Idioma.ES: MailText(
        "Alguien pidió ver más datos de {persona}",
        "Hola, {nombre}.\n\nDesde {origen} alguien pidió ver los datos reservados de la ficha de {persona}. Los puede "
        "ver durante una hora. Esto escribió, y nadie lo ha comprobado:\n\n{quienes}\n\n"
        "Si no lo espera, marque la etiqueta como perdida y dejará de abrir al instante: {perdida}\n\n"
        "Quién vio qué, y cuándo: {accesos}\n",
    ),
    Idioma.EN: MailText(
        "Somebody asked to see more of the record of {persona}",
        "Hello, {nombre}.\n\nFrom {origen} somebody asked to see the reserved part of the record of {persona}, and can "
        "see it for one hour. This was written, and nobody has checked it:\n\n{quienes}\n\n"
        "If you do not expect this, mark the sticker as lost and it stops opening at once: {perdida}\n\n"
        "Who saw what, and when: {accesos}\n",
    ),
    Idioma.PT: MailText(
        "Alguém pediu para ver mais dados de {persona}",
        "Olá, {nombre}.\n\nA partir de {origen} alguém pediu para ver os dados reservados da ficha de {persona}. Pode "
        "vê-los durante uma hora. Isto foi escrito, e ninguém o verificou:\n\n{quienes}\n\n"
        "Se você não espera isto, marque a etiqueta como perdida e ela deixa de abrir na hora: {perdida}\n\n"
        "Quem viu o quê, e quando: {accesos}\n",
    ),
}

STAFF = {
    Idioma.ES: MailText(
        "Nuestro equipo abrió un mensaje sobre {persona}",
        "Hola, {nombre}.\n\nUna persona de nuestro equipo abrió un mensaje sobre {persona}:\n\n{quienes}\n\n"
        "También está en el registro de accesos de la ficha. Si tiene preguntas, escríbanos: {enlace}\n",
    ),
    Idioma.EN: MailText(
        "Our staff opened a message about {persona}",
        "Hello, {nombre}.\n\nSomebody of our staff opened a message about {persona}:\n\n{quienes}\n\n"
        "It is also in the record's access log. If you have questions, write to us: {enlace}\n",
    ),
    Idioma.PT: MailText(
        "A nossa equipe abriu uma mensagem sobre {persona}",
        "Olá, {nombre}.\n\nUma pessoa da nossa equipe abriu uma mensagem sobre {persona}:\n\n{quienes}\n\n"
        "Também está no registro de acessos da ficha. Se tiver perguntas, escreva para nós: {enlace}\n",
    ),
}

NOTE = {
    Idioma.ES: MailText(
        "Nuestro equipo leyó una nota sobre una emergencia de {persona}",
        "Hola, {nombre}.\n\nUna persona de nuestro equipo leyó una nota que el equipo escribió sobre una emergencia "
        "de {persona}:\n\n{quienes}\n\n"
        "También está en el registro de accesos de la ficha. Si tiene preguntas, escríbanos: {enlace}\n",
    ),
    Idioma.EN: MailText(
        "Our staff read a note about an emergency of {persona}",
        "Hello, {nombre}.\n\nSomebody of our staff read a note that our staff wrote about an emergency of {persona}:"
        "\n\n{quienes}\n\n"
        "It is also in the record's access log. If you have questions, write to us: {enlace}\n",
    ),
    Idioma.PT: MailText(
        "A nossa equipe leu uma nota sobre uma emergência de {persona}",
        "Olá, {nombre}.\n\nUma pessoa da nossa equipe leu uma nota que a equipe escreveu sobre uma emergência de "
        "{persona}:\n\n{quienes}\n\n"
        "Também está no registro de acessos da ficha. Se tiver perguntas, escreva para nós: {enlace}\n",
    ),
}

ENDED = {
    Idioma.ES: MailText(
        "Alguien escaneó {etiqueta}",
        "Hola, {nombre}.\n\nA las {hora}, desde {origen}, alguien escaneó {etiqueta}, de {persona}. No vio ningún "
        "dato, y no avisamos a nadie más que a usted.\n\n"
        "Si sigue pasando, se lo diremos como mucho una vez al día. Sus etiquetas están en su cuenta: {enlace}\n",
    ),
    Idioma.EN: MailText(
        "Somebody scanned {etiqueta}",
        "Hello, {nombre}.\n\nAt {hora}, from {origen}, somebody scanned {etiqueta}, of {persona}. They saw no data, "
        "and we told nobody but you.\n\n"
        "If it goes on, we tell you once a day at most. Your stickers are in your account: {enlace}\n",
    ),
    Idioma.PT: MailText(
        "Alguém escaneou {etiqueta}",
        "Olá, {nombre}.\n\nÀs {hora}, a partir de {origen}, alguém escaneou {etiqueta}, de {persona}. Não viu nenhum "
        "dado, e não avisamos ninguém além de você.\n\n"
        "Se continuar, avisaremos no máximo uma vez por dia. Suas etiquetas estão na sua conta: {enlace}\n",
    ),
}
MOVED = {
    Idioma.ES: MailText(
        "Un contacto de emergencia de {persona} cambió de número",
        "Hola, {nombre}.\n\nWhatsApp nos avisó a las {hora} que un contacto de emergencia de {persona} ({contacto}) "
        "cambió de número. No sabemos si ese número nuevo es el que debemos avisar, así que no avisamos allí.\n\n"
        "Pregúntele y corrija el contacto en la ficha; luego envíele un mensaje de prueba: {enlace}\n",
    ),
    Idioma.EN: MailText(
        "An emergency contact of {persona} has another number",
        "Hello, {nombre}.\n\nWhatsApp told us at {hora} that an emergency contact of {persona} ({contacto}) has "
        "another number. We do not know whether that is the one to alert, so we alert nobody there.\n\n"
        "Ask, and correct the contact in the record; then send a test message: {enlace}\n",
    ),
    Idioma.PT: MailText(
        "Um contato de emergência de {persona} mudou de número",
        "Olá, {nombre}.\n\nO WhatsApp nos avisou às {hora} que um contato de emergência de {persona} ({contacto}) "
        "mudou de número. Não sabemos se esse número novo é o que devemos avisar, então não avisamos ninguém lá.\n\n"
        "Pergunte e corrija o contato na ficha; depois envie uma mensagem de teste: {enlace}\n",
    ),
}
# What was scanned. A carnet that was revoked is retired too.
ENDS = {
    TagEnd.LOST: Translated(
        "una etiqueta marcada como perdida", "a sticker marked as lost", "uma etiqueta marcada como perdida"
    ),
    TagEnd.RETIRED: Translated(
        "una etiqueta o un carnet que ya no se usa",
        "a sticker or card that is no longer used",
        "uma etiqueta ou um cartão que já não se usa",
    ),
    TagEnd.REPLACED: Translated(
        "una etiqueta cambiada por otra", "a sticker that was replaced", "uma etiqueta trocada por outra"
    ),
}

# When, who and why, one line for each.
READER = Translated("{}: «{}». Motivo: {}", "{}: “{}”. Reason: {}", "{}: “{}”. Motivo: {}")
TEXTS = {
    ReaderKind.TAG: READ,
    ReaderKind.GLASS: GLASS,
    ReaderKind.STAFF: STAFF,
    ReaderKind.NOTE: NOTE,
    ReaderKind.ENDED: ENDED,
    ReaderKind.MOVED: MOVED,
}
