"""The texts of the banner above the family's pages, and of the family's page of an emergency."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "alert": Translated("Emergencia", "Emergency", "Emergência"),
    "alert_of": Translated("Emergencia: {name}", "Emergency: {name}", "Emergência: {name}"),
    "alert_open": Translated("Nadie viene todavía", "Nobody is on the way yet", "Ninguém vem ainda"),
    "alert_answered": Translated("Alguien va en camino", "Somebody is on the way", "Alguém está a caminho"),
    "alert_see": Translated("Ver la emergencia", "See the emergency", "Ver a emergência"),
    "opened": Translated(
        "Alguien abrió una ficha ahora.", "Somebody opened a record just now.", "Alguém abriu uma ficha agora."
    ),
    "opened_of": Translated(
        "Alguien abrió ahora la ficha de {name}.",
        "Somebody opened the record of {name} just now.",
        "Alguém abriu agora a ficha de {name}.",
    ),
    "opened_see": Translated("Ver quién miró", "See who looked", "Ver quem olhou"),
    "no_news": Translated("Todavía a nadie.", "Nobody yet.", "Ninguém ainda."),
    "back_family": Translated("Todas las fichas", "All records", "Todas as fichas"),
    "help": Translated("{name} puede necesitar ayuda", "{name} may need help", "{name} pode precisar de ajuda"),
    "help_nameless": Translated(
        "Alguien de su familia puede necesitar ayuda",
        "Somebody in your family may need help",
        "Alguém da sua família pode precisar de ajuda",
    ),
    "where": Translated("Dónde", "Where", "Onde"),
    "map": Translated("Abrir el mapa", "Open the map", "Abrir o mapa"),
    "where_unknown": Translated(
        "Quien avisó no envió la ubicación.",
        "Whoever alerted sent no position.",
        "Quem avisou não enviou a localização.",
    ),
    "since": Translated("Desde", "Since", "Desde"),
    "with_whom": Translated("Con quién está", "Who is there", "Com quem está"),
    "with_tag": Translated(
        "Con alguien que escaneó su etiqueta.",
        "Somebody who scanned the sticker.",
        "Com alguém que escaneou a etiqueta.",
    ),
    "who_alerted": Translated("Quién avisó", "Who raised the alert", "Quem avisou"),
    "with_typed": Translated(
        "Alguien que escribió el código de la etiqueta.",
        "Somebody who typed the code of the sticker.",
        "Alguém que digitou o código da etiqueta.",
    ),
    "with_bearer": Translated(
        "Alguien que puede abrir la ficha, con su cuenta.",
        "Somebody who may open the record, with an account.",
        "Alguém que pode abrir a ficha, com a sua conta.",
    ),
    "news": Translated("A quién avisamos", "Whom we alerted", "Quem avisamos"),
    "coming": Translated("Voy en camino", "I am on my way", "Estou a caminho"),
    "close": Translated("Terminar la emergencia", "End the emergency", "Encerrar a emergência"),
    "resolved_button": Translated("Ya está bien atendida", "It is over and cared for", "Já está bem atendida"),
    "canceled_button": Translated("Fue una falsa alarma", "It was a false alarm", "Foi um alarme falso"),
    "close_why": Translated(
        "Ya no se avisará a nadie más. No se puede deshacer.",
        "Nobody else will be alerted. This cannot be undone.",
        "Ninguém mais será avisado. Não se pode desfazer.",
    ),
}
