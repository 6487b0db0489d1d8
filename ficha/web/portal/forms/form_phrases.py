"""The texts of the forms. Labels and options come from the models."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

DRAFT_PHRASES: Phrases = {
    "draft_there": Translated(
        "En este dispositivo quedó algo que usted escribió aquí y no guardó.",
        "This device kept something that you typed here and did not save.",
        "Este dispositivo guardou algo que você escreveu aqui e não salvou.",
    ),
    "draft_take": Translated("Recuperarlo", "Bring it back", "Recuperar"),
    "draft_drop": Translated("Descartarlo", "Discard it", "Descartar"),
}

PHRASES: Phrases = {
    **DRAFT_PHRASES,
    "back_record": Translated("Volver a la ficha", "Back to the record", "Voltar à ficha"),
    "saved": Translated("Guardado", "Saved", "Salvo"),
    "save": Translated("Guardar", "Save", "Salvar"),
    "still_true": Translated(
        "Todo sigue igual: confirmar hoy", "All still true: confirm today", "Tudo continua igual: confirmar hoje"
    ),
    "add": Translated("Agregar", "Add", "Adicionar"),
    "remove": Translated("Quitar", "Remove", "Tirar"),
    "up": Translated("Subir", "Move up", "Subir"),
    "down": Translated("Bajar", "Move down", "Descer"),
    "search": Translated("Buscar en la lista", "Search the list", "Buscar na lista"),
    "found": Translated("¿Cuál de estas es?", "Which of these is it?", "Qual destas é?"),
    "as_typed": Translated("«{typed}», como lo escribí", "“{typed}”, as I typed it", "«{typed}», como escrevi"),
    "coded_as": Translated("De la lista", "From the list", "Da lista"),
    "yes": Translated("Sí", "Yes", "Sim"),
    "no": Translated("No", "No", "Não"),
    "not_said": Translated("Sin decir", "Not said", "Sem dizer"),
    "default_door": Translated("Lo usual", "The usual", "O usual"),
    "unit": Translated("Unidad", "Unit", "Unidade"),
    "when_confirmed": Translated(
        "Cuándo y quién lo confirmó", "When and by whom it was confirmed", "Quando e por quem foi confirmado"
    ),
    "date_hint": Translated(
        "El año basta: 2019, 2019-03 o 31/03/2019",
        "The year is enough: 2019, 2019-03 or 31/03/2019",
        "O ano basta: 2019, 2019-03 ou 31/03/2019",
    ),
    "tags_hint": Translated("Uno por línea", "One per line", "Um por linha"),
    "merged_title": Translated(
        "Otra persona cambió esto mientras usted escribía",
        "Somebody else changed this while you were typing",
        "Outra pessoa mudou isto enquanto você escrevia",
    ),
    "merged_lead": Translated(
        "Juntamos ambos cambios. Revise y guarde otra vez; todavía no se guardó lo suyo.",
        "Both changes are joined below. Check and save again; yours is not saved yet.",
        "Juntamos as duas mudanças. Confira e salve de novo; a sua ainda não foi salva.",
    ),
    "clash": Translated(
        "{label}: la otra persona escribió «{theirs}»",
        "{label}: the other person wrote “{theirs}”",
        "{label}: a outra pessoa escreveu «{theirs}»",
    ),
    "beside": Translated(
        "Así la ve quien escanea, con lo guardado",
        "What whoever scans sees, as saved",
        "Assim vê quem escaneia, como salvo",
    ),
    "read_only": Translated(
        "Usted puede ver esta ficha, pero no cambiarla.",
        "You can see this record, but not change it.",
        "Você pode ver esta ficha, mas não mudá-la.",
    ),
}
