"""The texts of what waits for somebody: the first page, emergencies, jobs and alarms."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

HOME: Phrases = {
    "home_lead": Translated(
        "Lo que espera a alguien, lo más urgente primero.",
        "What waits for somebody, the most urgent first.",
        "O que espera alguém, o mais urgente primeiro.",
    ),
    "home_emergencies": Translated(
        "Emergencias sin respuesta de la familia",
        "Emergencies that no family has answered",
        "Emergências sem resposta da família",
    ),
    "home_service_alarms": Translated("Alarmas del servicio", "Alarms of the service", "Alarmes do serviço"),
    "home_dead_jobs": Translated("Trabajos muertos", "Dead jobs", "Tarefas mortas"),
    "home_waiting_jobs": Translated("Trabajos en espera", "Waiting jobs", "Tarefas em espera"),
    "home_guessing": Translated(
        "Alarmas de acceso de las últimas 24 horas",
        "Access alarms of the last 24 hours",
        "Alarmes de acesso das últimas 24 horas",
    ),
}

EMERGENCIES: Phrases = {
    "emergencies_lead": Translated(
        "Pasaron a nosotros porque nadie de la familia respondió. La que más espera va primero.",
        "They came to us because nobody of the family answered. The one that has waited longest is first.",
        "Passaram a nós porque ninguém da família respondeu. A que mais espera vem primeiro.",
    ),
    "emergencies_none": Translated(
        "Ninguna emergencia nos espera.", "No emergency waits for us.", "Nenhuma emergência nos espera."
    ),
    "which": Translated("Cuáles", "Which", "Quais"),
    "under_way": Translated("En curso", "Under way", "Em curso"),
    "ended": Translated("Terminadas", "Ended", "Terminadas"),
    "number": Translated("Número", "Number", "Número"),
    "state": Translated("Estado", "State", "Estado"),
    "since": Translated("Nos espera desde", "Waits for us since", "Espera desde"),
    "opened": Translated("Abierta", "Opened", "Aberta"),
    "scans": Translated("Escaneos", "Scans", "Leituras"),
    "ladder": Translated("Última gestión", "Last step", "Último passo"),
    "steps": Translated("Avisos a la familia", "Alerts to the family", "Avisos à família"),
    "state_open": Translated("abierta", "open", "aberta"),
    "state_acknowledged": Translated("atendida", "acknowledged", "atendida"),
    "state_resolved": Translated("resuelta", "resolved", "resolvida"),
    "state_canceled": Translated("cancelada", "canceled", "cancelada"),
    "channel_whatsapp": Translated("WhatsApp", "WhatsApp", "WhatsApp"),
    "channel_correo": Translated("correo", "e-mail", "e-mail"),
    "channel_push": Translated("aviso al teléfono", "push", "notificação"),
    "channel_staff": Translated("personal", "staff", "equipe"),
    "step_queued": Translated("en cola", "queued", "na fila"),
    "step_sending": Translated("enviándose", "being sent", "sendo enviado"),
    "step_accepted": Translated("aceptado", "accepted", "aceito"),
    "step_sent": Translated("enviado", "sent", "enviado"),
    "step_delivered": Translated("entregado", "delivered", "entregue"),
    "step_read": Translated("leído", "read", "lido"),
    "step_failed": Translated("falló", "failed", "falhou"),
    "step_skipped": Translated("omitido", "skipped", "omitido"),
    "step_simulated": Translated("simulado", "simulated", "simulado"),
    "emergency": Translated("Emergencia {id}", "Emergency {id}", "Emergência {id}"),
    "look_is_noted": Translated(
        "Que usted abrió esta página queda anotado en el registro de la ficha.",
        "That you opened this page is written into the record's log.",
        "Que você abriu esta página fica anotado no registro da ficha.",
    ),
    "see_details": Translated("Abrir: queda anotado", "Open: it is noted", "Abrir: fica anotado"),
    "place_known": Translated("Dónde", "Where", "Onde"),
    "place_unknown": Translated(
        "Nadie envió una ubicación.", "Nobody sent a position.", "Ninguém enviou uma localização."
    ),
    "place_age": Translated(
        "hace {minutes} min, ±{meters} m", "{minutes} min ago, ±{meters} m", "há {minutes} min, ±{meters} m"
    ),
    "open_map": Translated("Abrir el mapa", "Open the map", "Abrir o mapa"),
    "step": Translated("Paso", "Step", "Passo"),
    "whom": Translated("A quién", "Whom", "A quem"),
    "channel": Translated("Por", "By", "Por"),
    "answer": Translated("Respuesta", "Answer", "Resposta"),
    "answer_voy": Translated("viene", "is coming", "vem"),
    "answer_no_puedo": Translated("no puede", "cannot", "não pode"),
    "answer_dudosa": Translated("no está claro", "unclear", "não está claro"),
    "steps_none": Translated("Todavía no se avisó a nadie.", "Nobody was alerted yet.", "Ainda não se avisou ninguém."),
}

JOBS: Phrases = {
    "jobs_lead": Translated(
        "Lo que el servicio hace por su cuenta: mensajes, correos, avisos.",
        "What the service does by itself: messages, mails, notices.",
        "O que o serviço faz sozinho: mensagens, e-mails, avisos.",
    ),
    "jobs_behind": Translated(
        "El más atrasado espera hace {seconds} s.",
        "The oldest that is due has waited for {seconds} s.",
        "O mais atrasado espera há {seconds} s.",
    ),
    "jobs_waiting": Translated("En espera", "Waiting", "Em espera"),
    "jobs_none": Translated("Nada espera.", "Nothing waits.", "Nada espera."),
    "jobs_failing": Translated("Fallan", "Failing", "Falham"),
    "dead": Translated("Trabajos muertos", "Dead jobs", "Tarefas mortas"),
    "dead_none": Translated("Ningún trabajo murió.", "No job died.", "Nenhuma tarefa morreu."),
    "kind": Translated("Tipo", "Kind", "Tipo"),
    "attempts": Translated("Intentos", "Attempts", "Tentativas"),
    "error": Translated("Error", "Error", "Erro"),
    "died": Translated("Murió", "Died", "Morreu"),
    "retry": Translated("Reintentar", "Try again", "Tentar de novo"),
    "discard": Translated("Descartar", "Discard", "Descartar"),
    "discard_ask": Translated(
        "¿Descartar el trabajo {id} ({kind})?", "Discard job {id} ({kind})?", "Descartar a tarefa {id} ({kind})?"
    ),
    "discard_how": Translated(
        "Lo que debía hacer no se hará: un aviso o un mensaje puede no llegar nunca.",
        "What it was to do will not be done: a notice or a message may never arrive.",
        "O que devia fazer não será feito: um aviso ou uma mensagem pode nunca chegar.",
    ),
    "done_retried": Translated("Se volverá a intentar.", "It will be tried again.", "Será tentado de novo."),
    "done_discarded": Translated("Se descartó.", "It was discarded.", "Foi descartada."),
    "done_gone": Translated(
        "Ese trabajo ya no estaba entre los muertos.",
        "That job was no longer among the dead.",
        "Essa tarefa já não estava entre as mortas.",
    ),
}

ALARMS: Phrases = {
    "alarms_lead": Translated(
        "Lo que debe preocupar: del servicio, de quien adivina códigos, y de quien abre fichas.",
        "What should worry us: about the service, about who guesses codes, and about who opens records.",
        "O que deve preocupar: do serviço, de quem adivinha códigos e de quem abre fichas.",
    ),
    "service_alarms": Translated("Del servicio", "Of the service", "Do serviço"),
    "service_about": Translated("Dónde mirar", "Where to look", "Onde olhar"),
    "service_alarms_none": Translated(
        "El servicio trabaja bien.", "The service works well.", "O serviço funciona bem."
    ),
    "alarm_jobs_fail": Translated(
        "Trabajos que fallan una y otra vez", "Jobs that keep failing", "Tarefas que falham sempre"
    ),
    "alarm_notifications_wait": Translated(
        "Avisos de WhatsApp sin procesar",
        "Notifications of WhatsApp that wait",
        "Notificações do WhatsApp sem processar",
    ),
    "guessing_alarms": Translated("Códigos adivinados", "Guessed codes", "Códigos adivinhados"),
    "guessing_none": Translated("Nadie adivina códigos.", "Nobody guesses codes.", "Ninguém adivinha códigos."),
    "guessing_codes.decoy_touched": Translated(
        "Alguien escribió un código señuelo", "Somebody typed a decoy code", "Alguém digitou um código isca"
    ),
    "guessing_codes.typed_by_one_address": Translated(
        "Una dirección escribió códigos de varias personas",
        "One address typed the codes of several people",
        "Um endereço digitou códigos de várias pessoas",
    ),
    "openings": Translated("Fichas abiertas con nombre", "Records opened by name", "Fichas abertas com nome"),
    "openings_none": Translated(
        "Nadie rompió el vidrio ni abrió mensajes.",
        "Nobody broke the glass or opened messages.",
        "Ninguém quebrou o vidro nem abriu mensagens.",
    ),
    "how": Translated("Cómo", "How", "Como"),
    "how_glass": Translated("rompió el vidrio", "broke the glass", "quebrou o vidro"),
    "how_staff": Translated("personal abrió un mensaje", "staff opened a message", "a equipe abriu uma mensagem"),
    "record": Translated("Ficha", "Record", "Ficha"),
    "when": Translated("Cuándo", "When", "Quando"),
    "what": Translated("Qué", "What", "O quê"),
    "told": Translated("Titular avisado", "Owner told", "Titular avisado"),
}

MESSAGES: Phrases = {
    "message_title": Translated("Mensaje {id}", "Message {id}", "Mensagem {id}"),
    "kind": Translated("Qué es", "What it is", "O que é"),
    "writer": Translated("Quién escribe", "Who writes", "Quem escreve"),
    "writer_ours": Translated("nuestro servicio", "our service", "o nosso serviço"),
    "writer_theirs": Translated("la persona", "the person", "a pessoa"),
    "at": Translated("Fecha", "Date", "Data"),
    "reserved": Translated(
        "Este mensaje trata de la ficha o la emergencia de alguien. Diga para qué lo necesita: queda escrito en el "
        "registro de esa ficha, y se le avisa a su dueño.",
        "This message is about somebody's record or emergency. Say what you need it for: that is kept in the log of "
        "the record, and its owner is told.",
        "Esta mensagem trata da ficha ou da emergência de alguém. Diga para que precisa dela: fica escrito no registro "
        "da ficha, e o dono é avisado.",
    ),
    "field_motivo": Translated("Motivo", "Reason", "Motivo"),
    "hint_motivo": Translated(
        "Al menos diez letras, en una línea.",
        "At least ten letters, in one line.",
        "Pelo menos dez letras, em uma linha.",
    ),
    "open_it": Translated("Abrir el mensaje", "Open the message", "Abrir a mensagem"),
    "says": Translated("Lo que dice", "What it says", "O que diz"),
    "says_nothing": Translated("Ya no queda nada de él.", "Nothing of it is left.", "Não resta nada dela."),
    "get_file": Translated("Descargar el archivo", "Download the file", "Baixar o arquivo"),
    "done_opened": Translated("Quedó anotado.", "It was noted.", "Ficou anotado."),
}
