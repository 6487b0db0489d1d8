"""The texts of the first three questions."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases
from ficha.web.portal.forms.form_phrases import DRAFT_PHRASES

PHRASES: Phrases = {
    **DRAFT_PHRASES,
    "first_title": Translated("Lo que puede salvar una vida", "What can save a life", "O que pode salvar uma vida"),
    "first_step": Translated("Paso 2 de 3", "Step 2 of 3", "Passo 2 de 3"),
    "who": Translated("¿De quién es la ficha?", "Whose record is it?", "De quem é a ficha?"),
    "nombres": Translated("Nombres", "Given names", "Nomes"),
    "apellidos": Translated("Apellidos", "Surnames", "Sobrenomes"),
    "allergies": Translated("¿A qué es alérgica?", "Allergic to what?", "A que tem alergia?"),
    "allergy": Translated("Alergia {number}", "Allergy {number}", "Alergia {number}"),
    "allergy_hint": Translated(
        "Penicilina, maní, picaduras…", "Penicillin, peanuts, stings…", "Penicilina, amendoim, picadas…"
    ),
    "no_allergies": Translated("Ninguna conocida", "None known", "Nenhuma conhecida"),
    "medicines": Translated("¿Qué medicinas toma?", "Which medicines?", "Que remédios toma?"),
    "medicine": Translated("Medicina {number}", "Medicine {number}", "Remédio {number}"),
    "no_medicines": Translated("Ninguna", "None", "Nenhum"),
    "contacts": Translated("¿A quién llamamos?", "Whom do we call?", "Quem chamamos?"),
    "contact": Translated("Contacto {number}", "Contact {number}", "Contato {number}"),
    "nombre": Translated("Nombre", "Name", "Nome"),
    "relacion": Translated("Quién es", "Who it is", "Quem é"),
    "relacion_hint": Translated("Madre, esposo, vecina…", "Mother, husband, neighbour…", "Mãe, marido, vizinha…"),
    "cod_telefono": Translated("País", "Country", "País"),
    "telefono": Translated("Teléfono", "Phone", "Telefone"),
    "first_button": Translated("Guardar", "Save", "Salvar"),
    "later": Translated("Más tarde", "Later", "Mais tarde"),
    "which_title": Translated("¿Cuál de estas es?", "Which of these is it?", "Qual destas é?"),
    "which_step": Translated("Paso 3 de 3", "Step 3 of 3", "Passo 3 de 3"),
    "which_lead": Translated(
        "Lo que se elige de la lista se puede leer en otros idiomas.",
        "What is chosen from the list can be read in other languages.",
        "O que se escolhe da lista pode ser lido em outros idiomas.",
    ),
    "as_typed_alergiasa": Translated(
        "«{typed}», y no es una medicina", "“{typed}”, and it is no medicine", "«{typed}», e não é um remédio"
    ),
    "as_typed_alergiasm": Translated(
        "«{typed}», y es una medicina", "“{typed}”, and it is a medicine", "«{typed}», e é um remédio"
    ),
    "as_typed_medicacion": Translated(
        "«{typed}», como lo escribí", "“{typed}”, as I typed it", "«{typed}», como escrevi"
    ),
}
