"""The texts of the family's cards and of one record's page."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "family_title": Translated("Las fichas de su familia", "Your family's records", "As fichas da sua família"),
    "nobody": Translated("Ficha sin nombre", "Record without a name", "Ficha sem nome"),
    "complete": Translated("Completa al {number} %", "{number} % complete", "{number} % completa"),
    "via_owner": Translated("Suya", "Yours", "Sua"),
    "via_guardian": Translated("Usted representa a esta persona", "You stand in for her or him", "Você representa"),
    "via_delegate": Translated("Le dieron acceso", "You were given access", "Deram-lhe acesso"),
    "fresh_green": Translated("Al día", "Up to date", "Em dia"),
    "fresh_amber": Translated("Hay datos por confirmar", "Some facts need confirming", "Há dados por confirmar"),
    "fresh_red": Translated("Hay datos viejos", "Some facts are old", "Há dados antigos"),
    "fresh_none": Translated("Sin datos todavía", "No facts yet", "Ainda sem dados"),
    "stickers": Translated("Etiquetas", "Stickers", "Etiquetas"),
    "next": Translated("Lo más útil ahora", "Most useful now", "O mais útil agora"),
    "next_name": Translated("Escriba los apellidos", "Add the surnames", "Escreva os sobrenomes"),
    "next_contact": Translated("Agregue a quién llamar", "Add whom to call", "Adicione quem chamar"),
    "next_medicine_allergies": Translated(
        "Diga si hay alergias a medicinas",
        "Say whether there are allergies to medicines",
        "Diga se há alergias a remédios",
    ),
    "next_allergies": Translated(
        "Diga si hay otras alergias", "Say whether there are other allergies", "Diga se há outras alergias"
    ),
    "next_medicines": Translated("Diga qué medicinas toma", "Say which medicines are taken", "Diga que remédios toma"),
    "next_since_when": Translated(
        "¿Desde cuándo toma el anticoagulante?", "Since when the blood thinner?", "Desde quando toma o anticoagulante?"
    ),
    "next_old_medicines": Translated(
        "¿Siguen igual las medicinas?", "Are the medicines still the same?", "Os remédios continuam iguais?"
    ),
    "next_never_scanned": Translated(
        "Nadie ha escaneado la etiqueta: pruebe con un simulacro",
        "Nobody has scanned the sticker: try a drill",
        "Ninguém escaneou a etiqueta: teste com uma simulação",
    ),
    "photo_of": Translated("Foto de {name}", "Photo of {name}", "Foto de {name}"),
    "last_opened": Translated("Abierta el {day}", "Opened on {day}", "Aberta em {day}"),
    "never_opened": Translated("Nadie la ha abierto", "Nobody has opened it", "Ninguém a abriu"),
    "next_health": Translated("Agregue enfermedades", "Add conditions", "Adicione doenças"),
    "next_blood": Translated("Agregue el grupo sanguíneo", "Add the blood group", "Adicione o grupo sanguíneo"),
    "next_birth": Translated("Agregue la fecha de nacimiento", "Add the date of birth", "Adicione o nascimento"),
    "next_waiting": Translated(
        "Confirme a quién entrega la ficha",
        "Confirm to whom you hand the record over",
        "Confirme a quem você entrega a ficha",
    ),
    "next_held": Translated(
        "La ficha ya es suya: elija quién más puede abrirla",
        "The record is yours now: choose who else may open it",
        "A ficha já é sua: escolha quem mais pode abri-la",
    ),
    "handed_over": Translated(
        "La ficha ya no es suya: la entregó.",
        "The record is no longer yours: you handed it over.",
        "A ficha já não é sua: você a entregou.",
    ),
    "open": Translated("Abrir la ficha", "Open the record", "Abrir a ficha"),
    "another": Translated("Agregar a otra persona", "Add another person", "Adicionar outra pessoa"),
    "account": Translated("Mi cuenta", "My account", "Minha conta"),
    "logout": Translated("Salir", "Log out", "Sair"),
    "ready": Translated("Guardado. Ya protege.", "Saved. It already protects.", "Salvo. Já protege."),
    "saved": Translated("Guardado", "Saved", "Salvo"),
    "unconfirmed": Translated(
        "Le enviamos un correo: abra su enlace para activar la etiqueta.",
        "We sent you a mail: open its link to activate the sticker.",
        "Enviamos um e-mail: abra o link para ativar a etiqueta.",
    ),
    "people": Translated("Personas", "People", "Pessoas"),
    "drill": Translated("Simulacro", "Drill", "Simulação"),
    "looked": Translated("Quién miró", "Who looked", "Quem olhou"),
    "no_code": Translated(
        "Su última etiqueta terminó: nadie puede abrir esta ficha.",
        "Its last sticker has ended: nobody can open this record.",
        "A sua última etiqueta terminou: ninguém pode abrir esta ficha.",
    ),
    "give_code": Translated("Darle un código nuevo", "Give it a new code", "Dar um código novo"),
    "more_sections": Translated("Otras secciones", "Other sections", "Outras seções"),
    "see": Translated("Ver como la ven otros", "See as others see", "Ver como os outros veem"),
    "who_sees": Translated("Quién ve qué", "Who sees what", "Quem vê o quê"),
    "reminders": Translated("Mantenerla al día", "Keep it true", "Mantê-la em dia"),
    "history": Translated("Historial", "History", "Histórico"),
    "sections": Translated("Secciones", "Sections", "Seções"),
    "empty": Translated("Sin datos", "No data", "Sem dados"),
    "filled": Translated("Con datos", "Has data", "Com dados"),
    "back_family": Translated("Todas las fichas", "All records", "Todas as fichas"),
    "other_title": Translated("Agregar a otra persona", "Add another person", "Adicionar outra pessoa"),
    "nombres": Translated("Nombres", "Given names", "Nomes"),
    "relacion": Translated("¿Quién es usted para ella?", "Who are you to her or him?", "Quem é você para ela?"),
    "template": Translated("Tipo de ficha", "Kind of record", "Tipo de ficha"),
    "code": Translated("Código de la etiqueta, si tiene", "Code of the sticker, if any", "Código da etiqueta, se tem"),
    "code_wrong": Translated(
        "Ese código no existe o ya pertenece a una ficha",
        "That code does not exist or belongs to a record",
        "Esse código não existe ou já pertence a uma ficha",
    ),
    "nombres_wrong": Translated("Escriba el nombre", "Type the name", "Digite o nome"),
    "too_many_records": Translated(
        "Su cuenta llegó al máximo de fichas",
        "Your account has as many records as it may",
        "A sua conta chegou ao máximo",
    ),
    "other_button": Translated("Crear la ficha", "Create the record", "Criar a ficha"),
}
