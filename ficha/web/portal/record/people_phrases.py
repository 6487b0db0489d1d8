"""The texts of the page of a record's people."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "people_title": Translated("Personas", "People", "Pessoas"),
    "back_record": Translated("Volver a la ficha", "Back to the record", "Voltar à ficha"),
    "done_guardado": Translated("Guardado", "Saved", "Salvo"),
    "done_invitado": Translated(
        "Invitación enviada. El acceso empieza cuando la persona acepta.",
        "Invitation sent. Access begins when the person accepts.",
        "Convite enviado. O acesso começa quando a pessoa aceita.",
    ),
    "done_retirado": Translated("Acceso retirado", "Access withdrawn", "Acesso retirado"),
    "done_sigue": Translated("Sigue teniendo acceso", "The access goes on", "O acesso continua"),
    "done_lleno": Translated(
        "La cuenta de quien la recibe llegó al máximo de fichas. Pídale que borre o entregue una.",
        "The account of whoever receives it has as many records as it may. Ask for one to be erased or handed over.",
        "A conta de quem a recebe chegou ao máximo de fichas. Peça que apague ou entregue uma.",
    ),
    "done_cambio": Translated(
        "Alguien cambió esto mientras tanto. Revise cómo está ahora.",
        "Somebody changed this meanwhile. Check how it is now.",
        "Alguém mudou isto enquanto isso. Veja como está agora.",
    ),
    "done_limite": Translated(
        "Son demasiadas por hoy. Pruebe mañana.", "That is too many for today. Try tomorrow.", "São demais por hoje."
    ),
    "contacts": Translated("A quién avisamos", "Whom we alert", "Quem avisamos"),
    "contacts_lead": Translated(
        "En este orden, uno tras otro, hasta que alguien responda.",
        "In this order, one after another, until somebody answers.",
        "Nesta ordem, um depois do outro, até alguém responder.",
    ),
    "no_contacts": Translated(
        "Todavía no hay nadie a quien avisar.", "There is nobody to alert yet.", "Ainda não há quem avisar."
    ),
    "edit_contacts": Translated("Agregar o cambiar contactos", "Add or change contacts", "Adicionar ou mudar contatos"),
    "up": Translated("Avisar antes a {name}", "Alert {name} sooner", "Avisar {name} antes"),
    "down": Translated("Avisar después a {name}", "Alert {name} later", "Avisar {name} depois"),
    "language_channels": Translated("Idioma y avisos", "Language and alerts", "Idioma e avisos"),
    "idioma": Translated("Le escribimos en", "We write in", "Escrevemos em"),
    "not_said": Translated("El idioma de la ficha", "The record's language", "O idioma da ficha"),
    "canales": Translated("Le avisamos", "We alert", "Avisamos"),
    "save_for": Translated("Guardar: {name}", "Save: {name}", "Salvar: {name}"),
    "no_way": Translated(
        "No hay cómo avisarle: falta un número o un correo.",
        "There is no way to alert: a number or an e-mail is missing.",
        "Não há como avisar: falta um número ou um e-mail.",
    ),
    "test": Translated("Probar si le llega", "Try whether it arrives", "Testar se chega"),
    "test_why": Translated(
        "Le enviamos un mensaje que dice que es una prueba y que no pasa nada.",
        "We send a message that says it is a test and that nothing has happened.",
        "Enviamos uma mensagem que diz que é um teste e que não aconteceu nada.",
    ),
    "test_button": Translated("Enviar una prueba {how}", "Send a test {how}", "Enviar um teste {how}"),
    "drill": Translated("Hacer un simulacro", "Try a drill", "Fazer uma simulação"),
    "drill_small": Translated(
        "Vea a quién llegaríamos y qué falta. No se avisa a nadie.",
        "See whom we would reach and what is missing. Nobody is alerted.",
        "Veja quem alcançaríamos e o que falta. Ninguém é avisado.",
    ),
    "access": Translated("Quién más puede abrirla", "Who else may open it", "Quem mais pode abri-la"),
    "no_access": Translated("Nadie más.", "Nobody else.", "Ninguém mais."),
    "kind_delegate": Translated("La puede leer", "May read it", "Pode ler"),
    "kind_delegate_edits": Translated("La puede leer y cambiar", "May read and change it", "Pode ler e mudar"),
    "kind_guardian": Translated("Representa a la persona", "Stands in for the person", "Representa a pessoa"),
    "kind_owner": Translated("Recibirá la ficha", "Will receive the record", "Receberá a ficha"),
    "invited": Translated("Invitación sin aceptar", "Invitation not accepted yet", "Convite ainda não aceito"),
    "until": Translated("Hasta el {day}", "Until {day}", "Até {day}"),
    "withdraw": Translated("Retirar", "Withdraw", "Retirar"),
    "withdraw_button": Translated("Retirar a {name}", "Withdraw {name}", "Retirar {name}"),
    "invite": Translated("Invitar a alguien", "Invite somebody", "Convidar alguém"),
    "correo": Translated("Su correo", "E-mail", "E-mail"),
    "cod_telefono": Translated("País", "Country", "País"),
    "telefono": Translated("O su WhatsApp", "Or WhatsApp", "Ou WhatsApp"),
    "tipo": Translated("Qué podrá hacer", "What she or he may do", "O que poderá fazer"),
    "offer_lee": Translated("Leerla", "Read it", "Ler"),
    "offer_edita": Translated("Leerla y cambiarla", "Read and change it", "Ler e mudar"),
    "offer_representa": Translated(
        "Representar a la persona en todo", "Stand in for the person in all", "Representar a pessoa em tudo"
    ),
    "offer_recibe": Translated(
        "Recibir la ficha: será suya cuando usted lo confirme",
        "Receive the record: it will be theirs once you confirm it",
        "Receber a ficha: será dela quando você confirmar",
    ),
    "handing": Translated("Entrega de la ficha", "Handing the record over", "Entrega da ficha"),
    "handing_lead": Translated(
        "{name} aceptó recibir la ficha. ¿Es la persona a quien quiere entregarla?",
        "{name} accepted the record. Is this the person to whom you want to hand it over?",
        "{name} aceitou receber a ficha. É a pessoa a quem você quer entregá-la?",
    ),
    "handing_means": Translated(
        "Si confirma, la ficha pasa a ser de esa persona para siempre. Terminan las invitaciones y el acceso de todos, "
        "también el suyo, hasta que esa persona decida quién sigue.",
        "If you confirm, the record is that person's for good. All invitations and everybody's access end, yours too, "
        "until that person decides who stays.",
        "Se confirmar, a ficha passa a ser dessa pessoa para sempre. Terminam os convites e o acesso de todos, também "
        "o seu, até que essa pessoa decida quem continua.",
    ),
    "handing_owner": Translated(
        "Solo la persona titular puede confirmarlo.",
        "Only the owner may confirm it.",
        "Só a pessoa titular pode confirmar.",
    ),
    "confirm_button": Translated("Entregarla a {name}", "Hand it over to {name}", "Entregá-la a {name}"),
    "refuse_button": Translated("No entregarla", "Do not hand it over", "Não entregá-la"),
    "held": Translated("Quién podía abrirla antes", "Who could open it before", "Quem podia abri-la antes"),
    "held_lead": Translated(
        "La ficha ya es suya y por ahora estas personas no pueden abrirla. Elija quién sigue.",
        "The record is yours now, and for the moment these people cannot open it. Choose who stays.",
        "A ficha já é sua e por enquanto estas pessoas não podem abri-la. Escolha quem continua.",
    ),
    "keep_button": Translated("Que siga {name}", "Let {name} stay", "Deixar {name} continuar"),
    "drop_button": Translated("No, que {name} no siga", "No, {name} does not stay", "Não, {name} não continua"),
    "hasta": Translated("Hasta qué día", "Until which day", "Até que dia"),
    "hasta_hint": Translated(
        "Año-mes-día, como 2027-12-31", "Year-month-day, like 2027-12-31", "Ano-mês-dia, como 2027-12-31"
    ),
    "invite_button": Translated("Enviar la invitación", "Send the invitation", "Enviar o convite"),
    "correo_wrong": Translated(
        "Escriba un correo o un número de WhatsApp",
        "Type an e-mail address or a WhatsApp number",
        "Digite um e-mail ou um número do WhatsApp",
    ),
    "telefono_wrong": Translated(
        "Ese número no existe en ese país. Revíselo",
        "That number does not exist in that country. Check it",
        "Esse número não existe nesse país. Confira-o",
    ),
    "one_way": Translated(
        "Escriba el correo o el número, no los dos",
        "Type the e-mail address or the number, not both",
        "Digite o e-mail ou o número, não os dois",
    ),
    "hasta_wrong": Translated(
        "Escriba un día después de hoy y antes de diez años",
        "Type a day after today and within ten years",
        "Digite um dia depois de hoje e antes de dez anos",
    ),
    "tipo_wrong": Translated(
        "Solo la persona titular puede pasar la ficha",
        "Only the owner may hand the record over",
        "Só a pessoa titular pode passar a ficha",
    ),
    "institutions": Translated("Instituciones", "Institutions", "Instituições"),
    "no_institutions": Translated(
        "Ninguna institución la inscribió.", "No institution enrolled the person.", "Nenhuma instituição inscreveu."
    ),
    "sees_nothing": Translated("No ve nada", "Sees nothing", "Não vê nada"),
    "sees": Translated(
        "Ve lo que vería quien atiende una emergencia",
        "Sees what a responder in an emergency would see",
        "Vê o que veria quem atende uma emergência",
    ),
    "sees_edits": Translated("Ve y puede cambiar", "Sees and may change", "Vê e pode mudar"),
    "decided": Translated(
        "Decidido el {day}, con el texto {version}",
        "Decided on {day}, by text {version}",
        "Decidido em {day}, texto {version}",
    ),
    "undecided": Translated("Sin decidir", "Not decided", "Não decidido"),
    "may_see": Translated("Qué puede ver {name}", "What {name} may see", "O que {name} pode ver"),
    "decide_button": Translated("Guardar la decisión", "Save the decision", "Salvar a decisão"),
}
