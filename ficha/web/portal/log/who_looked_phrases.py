"""The texts of who looked, and of "this was not me"."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "looked_title": Translated("Quién miró", "Who looked", "Quem olhou"),
    "looked_lead": Translated(
        "Cada vez que alguien abre o cambia la ficha queda aquí. Las horas son de {zone}.",
        "Each time somebody opens or changes the record, it is noted here. Times are those of {zone}.",
        "Cada vez que alguém abre ou muda a ficha fica aqui. As horas são de {zone}.",
    ),
    "back_record": Translated("Volver a la ficha", "Back to the record", "Voltar à ficha"),
    "show": Translated("Ver", "Show", "Ver"),
    "part_todo": Translated("Todo", "All", "Tudo"),
    "part_otros": Translated("Los demás", "Others", "Os outros"),
    "part_extranos": Translated("Desconocidos", "Strangers", "Desconhecidos"),
    "part_cambios": Translated("Cambios", "Changes", "Mudanças"),
    "part_alarmas": Translated("Alarmas", "Alarms", "Alarmes"),
    "older": Translated("Más antiguos", "Older", "Mais antigos"),
    "nothing": Translated("No hay nada así.", "There is nothing like that.", "Não há nada assim."),
    "from": Translated("desde {origin}", "from {origin}", "de {origin}"),
    "alarm": Translated("Fíjese:", "Take a look:", "Atenção:"),
    "alarms_title": Translated("Fíjese en esto", "Take a look at this", "Preste atenção nisto"),
    "alarms_lead": Translated(
        "En los últimos 30 días hubo alarmas: {number}.",
        "There were alarms in the last 30 days: {number}.",
        "Nos últimos 30 dias houve alarmes: {number}.",
    ),
    "see_alarms": Translated("Ver las alarmas", "See the alarms", "Ver os alarmes"),
    "not_me": Translated(
        "Esto no fui yo, o no lo esperaba", "This was not me, or not expected", "Não fui eu, ou não esperava"
    ),
    "not_me_title": Translated("Cerrar lo que está abierto", "Close what is open", "Fechar o que está aberto"),
    "not_me_lead": Translated(
        "Marque lo que quiere cerrar. Se hace todo a la vez y al instante.",
        "Tick what you want to close. All of it is done together and at once.",
        "Marque o que quer fechar. Tudo é feito de uma vez, na hora.",
    ),
    "about_entry": Translated("Esto pasó:", "This happened:", "Isto aconteceu:"),
    "end_sessions": Translated(
        "Cerrar mis otras sesiones: nadie sigue dentro de mi cuenta",
        "End my other sessions: nobody stays in my account",
        "Encerrar as minhas outras sessões: ninguém fica na minha conta",
    ),
    "stickers": Translated("Etiquetas", "Stickers", "Etiquetas"),
    "lose_sticker": Translated(
        "Marcar {sticker} como perdida: ya no abre nada",
        "Mark {sticker} as lost: it opens nothing any more",
        "Marcar {sticker} como perdida: já não abre nada",
    ),
    "grants": Translated("Personas con acceso", "People with access", "Pessoas com acesso"),
    "withdraw": Translated(
        "Retirar el acceso de {name}", "Withdraw the access of {name}", "Retirar o acesso de {name}"
    ),
    "invited": Translated("quien invitó: {address}", "who you invited: {address}", "quem convidou: {address}"),
    "close": Translated("Cerrar lo marcado", "Close what is ticked", "Fechar o marcado"),
    "nothing_ticked": Translated(
        "No marcó nada, y nada cambió.", "Nothing was ticked, and nothing changed.", "Nada foi marcado, e nada mudou."
    ),
    "done_title": Translated("Hecho", "Done", "Feito"),
    "done_sessions": Translated(
        "Sus otras sesiones terminaron.", "Your other sessions are ended.", "As suas outras sessões terminaram."
    ),
    "done_stickers": Translated(
        "Etiquetas que ya no abren nada: {number}.",
        "Stickers that open nothing any more: {number}.",
        "Etiquetas que já não abrem nada: {number}.",
    ),
    "done_fresh": Translated(
        "La ficha tiene un código nuevo, {code}. Imprima su etiqueta.",
        "The record has a new code, {code}. Print its sticker.",
        "A ficha tem um código novo, {code}. Imprima a etiqueta.",
    ),
    "done_grants": Translated(
        "Accesos retirados: {number}.", "Accesses withdrawn: {number}.", "Acessos retirados: {number}."
    ),
    "change_clave": Translated("Cambie también su clave", "Change your password too", "Mude também a sua senha"),
}
