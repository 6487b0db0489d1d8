"""The texts of who looked."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

# By the action in the log: the sentence that tells it.
ACTIONS = {
    "record.read": "read",
    "record.exists": "read",
    "record.listed": "listed",
    "record.changed": "changed",
    "record.created": "created",
    "record.handed_over": "handed_over",
    "log.read": "log_read",
    "access.offered": "offered",
    "access.granted": "granted",
    "access.withdrawn": "withdrawn",
    "code.claimed": "claimed",
    "code.confirmed": "claimed",
    "code.lost": "lost",
    "code.retired": "retired",
    "code.new_tag": "new_tag",
}

PHRASES: Phrases = {
    "looked_title": Translated("Quién miró", "Who looked", "Quem olhou"),
    "looked_lead": Translated(
        "Cada vez que alguien abre o cambia la ficha queda aquí. La hora es la de UTC.",
        "Each time somebody opens or changes the record, it is noted here. Times are UTC.",
        "Cada vez que alguém abre ou muda a ficha fica aqui. A hora é a de UTC.",
    ),
    "back_record": Translated("Volver a la ficha", "Back to the record", "Voltar à ficha"),
    "only_others": Translated("Ver solo a los demás", "Show only others", "Ver só os outros"),
    "all": Translated("Ver todo", "Show all", "Ver tudo"),
    "older": Translated("Más antiguos", "Older", "Mais antigos"),
    "nothing": Translated("Nadie más ha mirado.", "Nobody else has looked.", "Ninguém mais olhou."),
    "from": Translated("desde {origin}", "from {origin}", "de {origin}"),
    "you": Translated("Usted", "You", "Você"),
    "tag": Translated("Quien escaneó la etiqueta", "Whoever scanned the sticker", "Quem escaneou a etiqueta"),
    "glass": Translated("Quien dio su nombre y un motivo", "Whoever gave name and reason", "Quem deu nome e motivo"),
    "via_owner": Translated("La persona titular", "The owner", "A pessoa titular"),
    "via_guardian": Translated("Un representante", "A guardian", "Um representante"),
    "via_delegate": Translated("Alguien con acceso", "Somebody with access", "Alguém com acesso"),
    "via_institution": Translated("La institución", "The institution", "A instituição"),
    "service": Translated("El servicio", "The service", "O serviço"),
    "somebody": Translated("Alguien", "Somebody", "Alguém"),
    "read": Translated("{who} vio la ficha", "{who}: saw the record", "{who} viu a ficha"),
    "listed": Translated("{who} vio la tarjeta", "{who}: saw the card", "{who} viu o cartão"),
    "changed": Translated("{who} cambió la ficha", "{who}: changed the record", "{who} mudou a ficha"),
    "created": Translated("{who} creó la ficha", "{who}: created the record", "{who} criou a ficha"),
    "handed_over": Translated("{who} recibió la ficha", "{who}: took the record over", "{who} recebeu a ficha"),
    "log_read": Translated("{who} miró este registro", "{who}: looked at this log", "{who} olhou este registro"),
    "offered": Translated("{who} ofreció acceso", "{who}: offered access", "{who} ofereceu acesso"),
    "granted": Translated("{who} aceptó el acceso", "{who}: accepted access", "{who} aceitou o acesso"),
    "withdrawn": Translated("{who} retiró un acceso", "{who}: withdrew access", "{who} retirou um acesso"),
    "claimed": Translated("{who} agregó una etiqueta", "{who}: added a sticker", "{who} adicionou uma etiqueta"),
    "lost": Translated(
        "{who} marcó una etiqueta como perdida",
        "{who}: marked a sticker as lost",
        "{who} marcou uma etiqueta como perdida",
    ),
    "retired": Translated("{who} retiró una etiqueta", "{who}: retired a sticker", "{who} retirou uma etiqueta"),
    "new_tag": Translated("{who} hizo un QR nuevo", "{who}: made a new QR", "{who} fez um novo QR"),
    "other": Translated("{who} hizo algo más", "{who}: did something else", "{who} fez outra coisa"),
}
