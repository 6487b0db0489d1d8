"""The texts of a record's stickers."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "stickers_title": Translated("Etiquetas", "Stickers", "Etiquetas"),
    "back_record": Translated("Volver a la ficha", "Back to the record", "Voltar à ficha"),
    "state_claimed": Translated(
        "Lista; la ficha está vacía", "Ready; the record is empty", "Pronta; a ficha está vazia"
    ),
    "state_active": Translated("En uso", "In use", "Em uso"),
    "state_lost": Translated("Perdida: no abre nada", "Lost: it opens nothing", "Perdida: não abre nada"),
    "state_retired": Translated("Retirada: no abre nada", "Retired: it opens nothing", "Retirada: não abre nada"),
    "unconfirmed": Translated(
        "Por confirmar: abra el enlace del correo",
        "To be confirmed: open the link in the mail",
        "Por confirmar: abra o link do e-mail",
    ),
    "since": Translated("Desde {day}", "Since {day}", "Desde {day}"),
    "lost": Translated("La perdí", "I lost it", "Perdi"),
    "lost_why": Translated(
        "Quien la encuentre ya no verá nada. No se puede deshacer.",
        "Whoever finds it will see nothing any more. This cannot be undone.",
        "Quem a encontrar já não verá nada. Não se pode desfazer.",
    ),
    "lost_button": Translated("Marcar {code} como perdida", "Mark {code} as lost", "Marcar {code} como perdida"),
    "retire": Translated("Ya no la uso", "I no longer use it", "Não uso mais"),
    "retire_button": Translated("Retirar {code}", "Retire {code}", "Retirar {code}"),
    "tag": Translated(
        "Imprimir otra con este código", "Print another with this code", "Imprimir outra com este código"
    ),
    "tag_why": Translated(
        "La etiqueta impresa antes deja de abrir.",
        "The sticker printed before stops opening.",
        "A etiqueta impressa antes deixa de abrir.",
    ),
    "tag_button": Translated("Hacer un QR nuevo para {code}", "New QR for {code}", "Novo QR para {code}"),
    "tag_title": Translated("El QR nuevo de {code}", "The new QR of {code}", "O novo QR de {code}"),
    "tag_lead": Translated(
        "Imprima esta página ahora: el QR no se vuelve a mostrar.",
        "Print this page now: the QR is not shown again.",
        "Imprima esta página agora: o QR não é mostrado de novo.",
    ),
    "ended": Translated("Ya no sirven", "No longer in use", "Já não servem"),
}
