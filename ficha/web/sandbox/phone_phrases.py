"""The phones of the sandbox."""

from ficha.web.kit.language import Phrase, Phrases

PHRASES: Phrases = {
    "phones": Phrase("Teléfonos", "Phones", "Telefones"),
    "phones_silent": Phrase(
        "Nadie responde donde debería estar el WhatsApp de pruebas. Enciéndalo con `ficha sandbox` y recargue. "
        "`ficha serve` trae uno, salvo con `--no-sandbox` o si su puerto está ocupado.",
        "Nobody answers where the test WhatsApp should be. Start it with `ficha sandbox` and reload. "
        "`ficha serve` brings one, except with `--no-sandbox` or when its port is taken.",
        "Ninguém responde onde deveria estar o WhatsApp de testes. Ligue-o com `ficha sandbox` e recarregue. "
        "`ficha serve` traz um, exceto com `--no-sandbox` ou se a porta estiver ocupada.",
    ),
    "phones_elsewhere": Phrase(
        "Los mensajes salen por la plataforma configurada en `FICHA_WHATSAPP_BASE_URL` y no se ven aquí.",
        "Messages leave through the platform set in `FICHA_WHATSAPP_BASE_URL` and are not seen here.",
        "As mensagens saem pela plataforma configurada em `FICHA_WHATSAPP_BASE_URL` e não aparecem aqui.",
    ),
    "quiet": Phrase("Todo en calma", "All quiet", "Tudo calmo"),
    "quiet_how": Phrase(
        "Nadie ha escrito ni recibido nada. Escriba aquí abajo como si fuera una persona, o envíe un mensaje desde la "
        "terminal y recargue.",
        "Nobody has written or received anything. Write below as if you were a person, or send a message from the "
        "terminal and reload.",
        "Ninguém escreveu nem recebeu nada. Escreva aqui embaixo como se fosse uma pessoa, ou envie uma mensagem pelo "
        "terminal e recarregue.",
    ),
    "quiet_terminal": Phrase(
        "Con las personas de la demostración (`ficha serve --demo`)",
        "With the demo people (`ficha serve --demo`)",
        "Com as pessoas da demonstração (`ficha serve --demo`)",
    ),
    "more_phones": Phrase(
        "Hay {count} teléfonos más, sin novedades recientes.",
        "There are {count} more phones, without recent news.",
        "Há mais {count} telefones, sem novidades recentes.",
    ),
    "older": Phrase(
        "Anteriores, sin mostrar: {count}", "Earlier ones, not shown: {count}", "Anteriores, ocultas: {count}"
    ),
    "window_open": Phrase(
        "Se le puede escribir libremente hasta", "Can be written to freely until", "Pode-se escrever livremente até"
    ),
    "window_closed": Phrase(
        "Solo plantillas: no ha escrito en las últimas 24 horas.",
        "Templates only: has not written in the last 24 hours.",
        "Só modelos: não escreveu nas últimas 24 horas.",
    ),
    "stopped": Phrase("No quiere publicidad.", "Wants no advertising.", "Não quer publicidade."),
    "failing": Phrase(
        "Los mensajes nuevos fallan ({code}).", "New messages fail ({code}).", "As mensagens novas falham ({code})."
    ),
    "screen": Phrase("Chat de {name}", "Chat of {name}", "Conversa de {name}"),
    "template": Phrase("plantilla", "template", "modelo"),
    "answers": Phrase("Responde a", "Answers", "Responde a"),
    "place": Phrase("Ubicación", "Location", "Localização"),
    "open_file": Phrase("Abrir", "Open", "Abrir"),
    "details": Phrase("Detalle", "Details", "Detalhe"),
    "state_accepted": Phrase("aceptado", "accepted", "aceita"),
    "state_sent": Phrase("enviado", "sent", "enviada"),
    "state_delivered": Phrase("entregado", "delivered", "entregue"),
    "state_read": Phrase("leído", "read", "lida"),
    "state_played": Phrase("escuchado", "played", "ouvida"),
    "state_failed": Phrase("falló", "failed", "falhou"),
    "kind_image": Phrase("imagen", "image", "imagem"),
    "kind_video": Phrase("video", "video", "vídeo"),
    "kind_audio": Phrase("audio", "audio", "áudio"),
    "kind_document": Phrase("documento", "document", "documento"),
    "kind_sticker": Phrase("sticker", "sticker", "figurinha"),
    "answer_as": Phrase("Responder como {name}", "Answer as {name}", "Responder como {name}"),
    "send": Phrase("Enviar", "Send", "Enviar"),
    "more_to_do": Phrase(
        "Ubicación, lectura y entregas", "Location, reading and deliveries", "Localização, leitura e entregas"
    ),
    "share_place": Phrase("Compartir una ubicación", "Share a location", "Compartilhar uma localização"),
    "latitud": Phrase("Latitud", "Latitude", "Latitude"),
    "longitud": Phrase("Longitud", "Longitude", "Longitude"),
    "share": Phrase("Compartir", "Share", "Compartilhar"),
    "open_chat": Phrase("Abrir el chat y leer todo", "Open the chat and read all", "Abrir a conversa e ler tudo"),
    "fate": Phrase("Los próximos mensajes", "The next messages", "As próximas mensagens"),
    "fate_arrive": Phrase("Llegan", "Arrive", "Chegam"),
    "fate_change": Phrase("Cambiar", "Change", "Mudar"),
    "fail_why": Phrase("Hacer que falle", "Make it fail", "Fazer falhar"),
    "fail": Phrase("Que falle", "Fail it", "Falhar"),
    "code_131026": Phrase("No tiene WhatsApp", "Has no WhatsApp", "Não tem WhatsApp"),
    "code_131047": Phrase("Pasaron más de 24 horas", "More than 24 hours went by", "Passaram mais de 24 horas"),
    "code_131049": Phrase("La plataforma lo retuvo", "The platform held it back", "A plataforma reteve"),
    "code_131000": Phrase("Algo falló", "Something failed", "Algo falhou"),
    "new": Phrase("Alguien nuevo escribe", "Somebody new writes", "Alguém novo escreve"),
    "number_label": Phrase("Número", "Number", "Número"),
    "number_hint": Phrase(
        "Con + y código de país. Si no muestra su número, un id como VE.1234.",
        "With + and country code. For somebody who shows no number, an id like VE.1234.",
        "Com + e código do país. Para quem não mostra o número, um id como VE.1234.",
    ),
    "name_label": Phrase("Nombre", "Name", "Nome"),
    "text_label": Phrase("Mensaje", "Message", "Mensagem"),
    "number_wrong": Phrase(
        "Escriba el número con + y código de país, como +58 412 555 0101.",
        "Write the number with + and country code, like +58 412 555 0101.",
        "Escreva o número com + e código do país, como +55 11 5555 0101.",
    ),
    "name_long": Phrase("El nombre es demasiado largo.", "The name is too long.", "O nome é longo demais."),
    "text_missing": Phrase("Escriba un mensaje.", "Write a message.", "Escreva uma mensagem."),
    "text_long": Phrase(
        "El mensaje pasa de 4096 caracteres.",
        "The message is over 4096 characters.",
        "A mensagem passa de 4096 caracteres.",
    ),
    "latitud_wrong": Phrase(
        "La latitud es un número entre -90 y 90.",
        "Latitude is a number between -90 and 90.",
        "A latitude é um número entre -90 e 90.",
    ),
    "longitud_wrong": Phrase(
        "La longitud es un número entre -180 y 180.",
        "Longitude is a number between -180 and 180.",
        "A longitude é um número entre -180 e 180.",
    ),
    "declined": Phrase(
        "El WhatsApp de pruebas no lo aceptó: {why}",
        "The test WhatsApp did not take it: {why}",
        "O WhatsApp de testes não aceitou: {why}",
    ),
}
