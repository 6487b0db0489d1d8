"""The texts of the drill and its report."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

DURATIONS: Phrases = {
    "at_once": Translated("enseguida", "at once", "na hora"),
    "seconds": Translated("a los {n} s", "after {n} s", "depois de {n} s"),
    "minutes": Translated("a los {n} min", "after {n} min", "depois de {n} min"),
}

PHRASES: Phrases = {
    "drill_title": Translated("Simulacro", "Drill", "Simulação"),
    "back_people": Translated("Volver a las personas", "Back to the people", "Voltar às pessoas"),
    "drill_lead": Translated(
        "Hacemos como si alguien hubiera escaneado la etiqueta. No se avisa a nadie.",
        "We act as if somebody had scanned the sticker. Nobody is alerted.",
        "Fazemos como se alguém tivesse escaneado a etiqueta. Ninguém é avisado.",
    ),
    "drill_button": Translated("Hacer el simulacro", "Start the drill", "Fazer a simulação"),
    "drill_again": Translated("Hacer otro simulacro", "Do another drill", "Fazer outra simulação"),
    "before": Translated("Simulacros anteriores", "Earlier drills", "Simulações anteriores"),
    "report_title": Translated("Informe del simulacro", "Report of the drill", "Relatório da simulação"),
    "done_prueba": Translated(
        "Prueba en camino. Recargue la página para ver si llegó.",
        "The test is on its way. Load the page again to see whether it arrived.",
        "Teste a caminho. Recarregue a página para ver se chegou.",
    ),
    "done_limite": Translated(
        "Ya se enviaron las pruebas permitidas por hoy.",
        "As many tests as allowed were sent today.",
        "Já foram enviados os testes permitidos por hoje.",
    ),
    "done_no": Translated(
        "Esa prueba ya se envió, o el contacto cambió. Haga otro simulacro.",
        "That test was sent already, or the contact changed. Do another drill.",
        "Esse teste já foi enviado, ou o contato mudou. Faça outra simulação.",
    ),
    "who_reached": Translated("A quién llegaríamos", "Whom we would reach", "Quem alcançaríamos"),
    "reach_none": Translated(
        "A nadie: agregue contactos con número o correo.",
        "Nobody: add contacts with a number or an e-mail.",
        "Ninguém: adicione contatos com número ou e-mail.",
    ),
    "reach_some": Translated(
        "Personas a las que llegaríamos: {n}", "People we would reach: {n}", "Pessoas que alcançaríamos: {n}"
    ),
    "tried": Translated("Se le avisa {when}, {how}", "Alerted {when}, {how}", "Avisado {when}, {how}"),
    "skipped": Translated("No se le avisa {how}", "Not alerted {how}", "Não é avisado {how}"),
    "why_sin_direccion": Translated(
        "falta el número o el correo", "the number or e-mail is missing", "falta o número ou o e-mail"
    ),
    "why_no_acepta": Translated(
        "pidió no recibir avisos de esta persona",
        "asked for no alerts about this person",
        "pediu para não receber avisos",
    ),
    "why_sin_confirmar": Translated("nunca nos respondió", "never answered us", "nunca nos respondeu"),
    "why_contacto_de_baja": Translated(
        "pidió no recibir nuestros mensajes", "stopped our messages", "pediu para não receber as nossas mensagens"
    ),
    "why_no_disponible": Translated(
        "no activó las notificaciones en ningún dispositivo",
        "has turned notifications on on no device",
        "não ativou as notificações em nenhum dispositivo",
    ),
    "why_other": Translated("no se pudo enviar", "it could not be sent", "não foi possível enviar"),
    "staff_last": Translated(
        "Si nadie responde, {when} avisamos a nuestro equipo de guardia.",
        "If nobody answers, {when} we alert our team on call.",
        "Se ninguém responder, {when} avisamos a nossa equipe de plantão.",
    ),
    "no_team": Translated(
        "Si nadie responde, no hay nadie más a quien avisar.",
        "If nobody answers, there is nobody else to alert.",
        "Se ninguém responder, não há mais ninguém a quem avisar.",
    ),
    "test_button": Translated("Enviar una prueba {how}", "Send a test {how}", "Enviar um teste {how}"),
    "test_why": Translated(
        "El mensaje dice que es una prueba y que no pasa nada.",
        "The message says that it is a test and that nothing has happened.",
        "A mensagem diz que é um teste e que não aconteceu nada.",
    ),
    "tested_queued": Translated("Prueba en camino", "Test on its way", "Teste a caminho"),
    "tested_sent": Translated("Prueba enviada", "Test sent", "Teste enviado"),
    "tested_delivered": Translated("La prueba llegó", "The test arrived", "O teste chegou"),
    "tested_read": Translated("Leyó la prueba", "Read the test", "Leu o teste"),
    "tested_failed": Translated("La prueba no llegó", "The test did not arrive", "O teste não chegou"),
    "tested_answered": Translated("Respondió a la prueba", "Answered the test", "Respondeu ao teste"),
    "stranger_saw": Translated("Qué vio un desconocido", "What a stranger saw", "O que viu um desconhecido"),
    "stranger_signs": Translated("Advertencias", "Warnings", "Advertências"),
    "stranger_nothing": Translated("Ninguna advertencia", "No warnings", "Nenhuma advertência"),
    "stranger_contacts": Translated("A quién llamar", "Whom to call", "Quem chamar"),
    "stranger_facts": Translated("Datos: {n}", "Facts: {n}", "Dados: {n}"),
    "missing_title": Translated("Qué faltó", "What was missing", "O que faltou"),
    "nothing_missing": Translated("Nada de lo que revisamos.", "Nothing of what we check.", "Nada do que verificamos."),
    "hidden_position": Translated(
        "La ficha no comparte la ubicación con la familia.",
        "The record does not share the position with the family.",
        "A ficha não compartilha a localização com a família.",
    ),
}
