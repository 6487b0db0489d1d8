"""The texts of a record's history."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "history_title": Translated("Historial", "History", "Histórico"),
    "history_lead": Translated(
        "Cada cambio queda guardado. Nada se borra: restaurar agrega una versión nueva.",
        "Every change is kept. Nothing is overwritten: restoring adds a new version.",
        "Cada mudança fica guardada. Nada se apaga: restaurar acrescenta uma versão nova.",
    ),
    "back_record": Translated("Volver a la ficha", "Back to the record", "Voltar à ficha"),
    "back_history": Translated("Todo el historial", "The whole history", "Todo o histórico"),
    "day": Translated("Ver la ficha como era el día", "See the record as it was on", "Ver a ficha como era no dia"),
    "day_wrong": Translated("Escriba un día que ya pasó", "Type a day in the past", "Digite um dia passado"),
    "see_day": Translated("Ver ese día", "See that day", "Ver esse dia"),
    "changes": Translated("Cambios", "Changes", "Mudanças"),
    "no_changes": Translated("Todavía no hay cambios.", "There are no changes yet.", "Ainda não há mudanças."),
    "changed_by": Translated("{who} cambió {when}", "{who} changed {when}", "{who} mudou {when}"),
    "as_then": Translated("Ver la ficha como quedó", "See the record as it became", "Ver a ficha como ficou"),
    "older": Translated("Más antiguos", "Older", "Mais antigos"),
    "as_it_was": Translated("La ficha como era {when}", "The record as it was {when}", "A ficha como era {when}"),
    "was_empty": Translated("La ficha estaba vacía.", "The record was empty.", "A ficha estava vazia."),
    "emptied": Translated("Esta sección estaba vacía.", "This section was empty.", "Esta seção estava vazia."),
    "same": Translated("Igual que hoy", "The same as today", "Igual a hoje"),
    "different": Translated("Hoy es distinto", "Different today", "Hoje é diferente"),
    "restore": Translated("Restaurar {section}", "Restore {section}", "Restaurar {section}"),
    "meanwhile": Translated(
        "Esa sección cambió mientras usted miraba, y nada se restauró. Revise y repita.",
        "That section changed while you were looking, and nothing was restored. Check and try again.",
        "Essa seção mudou enquanto você olhava, e nada foi restaurado. Confira e repita.",
    ),
    "cannot": Translated(
        "Esa versión ya no cumple las reglas de hoy y no se puede restaurar. Cópiela a mano en su sección.",
        "That version no longer fits today's rules and cannot be restored. Copy it by hand into its section.",
        "Essa versão já não segue as regras de hoje e não pode ser restaurada. Copie-a à mão na sua seção.",
    ),
}
