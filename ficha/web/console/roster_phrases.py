"""The texts of the pages about rosters that are uploaded."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "rosters_of": Translated("Nóminas de {institution}", "Rosters of {institution}", "Listas de {institution}"),
    "rosters_none": Translated("No se ha subido ninguna.", "None has been uploaded.", "Nenhuma foi enviada."),
    "rosters": Translated("Nóminas subidas", "Uploaded rosters", "Listas enviadas"),
    "roster_new": Translated("Subir una nómina", "Upload a roster", "Enviar uma lista"),
    "field_nomina": Translated("Archivo CSV o XLSX", "CSV or XLSX file", "Arquivo CSV ou XLSX"),
    "hint_nomina": Translated(
        "Con los nombres de las columnas arriba. Primero se prueba: nada cambia hasta que usted lo confirme.",
        "With the names of the columns on top. It is tried first: nothing changes until you confirm it.",
        "Com os nomes das colunas em cima. Primeiro é testada: nada muda até você confirmar.",
    ),
    "roster_try": Translated("Subir y probar", "Upload and try", "Enviar e testar"),
    "roster_title": Translated(
        "Nómina {id} de {institution}", "Roster {id} of {institution}", "Lista {id} de {institution}"
    ),
    "number": Translated("Número", "Number", "Número"),
    "state": Translated("Estado", "State", "Estado"),
    "rows": Translated("Filas", "Rows", "Linhas"),
    "created": Translated("Subida", "Uploaded", "Enviada"),
    "ended": Translated("Terminó", "Ended", "Terminou"),
    "row": Translated("Fila", "Row", "Linha"),
    "external_id": Translated("Su nombre para la persona", "Its name for the person", "Seu nome para a pessoa"),
    "outcome": Translated("Qué pasa", "What happens", "O que acontece"),
    "why": Translated("Por qué", "Why", "Por quê"),
    "state_checking": Translated("se está probando", "being tried", "em teste"),
    "state_checked": Translated("probada, falta confirmar", "tried, to be confirmed", "testada, falta confirmar"),
    "state_importing": Translated("se está importando", "being imported", "em importação"),
    "state_done": Translated("importada", "imported", "importada"),
    "state_unreadable": Translated("no se puede leer", "cannot be read", "não pode ser lida"),
    "outcome_created": Translated("nuevas", "new", "novas"),
    "outcome_changed": Translated("cambian", "changed", "mudam"),
    "outcome_unchanged": Translated("siguen igual", "unchanged", "continuam iguais"),
    "outcome_doubtful": Translated("con duda", "doubtful", "com dúvida"),
    "outcome_refused": Translated("rechazadas", "refused", "recusadas"),
    "row_created": Translated("nueva", "new", "nova"),
    "row_changed": Translated("cambia", "changes", "muda"),
    "row_unchanged": Translated("sigue igual", "unchanged", "continua igual"),
    "row_doubtful": Translated("con duda", "doubtful", "com dúvida"),
    "row_refused": Translated("rechazada", "refused", "recusada"),
    "rows_need": Translated(
        "Filas que necesitan a alguien", "Rows that need somebody", "Linhas que precisam de alguém"
    ),
    "rows_none": Translated("Ninguna.", "None.", "Nenhuma."),
    "ignored": Translated(
        "Columnas que no se leen: {names}", "Columns that are not read: {names}", "Colunas que não são lidas: {names}"
    ),
    "comes_again": Translated(
        "Esta página se actualiza sola. También puede cerrarla: el trabajo sigue.",
        "This page comes again by itself. You may also close it: the work goes on.",
        "Esta página se atualiza sozinha. Você também pode fechá-la: o trabalho continua.",
    ),
    "look_again": Translated("Actualizar", "Look again", "Atualizar"),
    "roster_import": Translated("Importar", "Import", "Importar"),
    "roster_asks": Translated(
        "Es una prueba: nada ha cambiado. Al importar se cumplen todas las filas menos las rechazadas y las dudosas.",
        "This is a trial: nothing has changed. Importing carries out every row but the refused and the doubtful ones.",
        "Isto é um teste: nada mudou. Ao importar, cumprem-se todas as linhas menos as recusadas e as duvidosas.",
    ),
    "see_doubts": Translated("Decidir las dudas", "Decide the doubts", "Decidir as dúvidas"),
}
