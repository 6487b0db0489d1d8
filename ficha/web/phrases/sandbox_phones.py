"""The phones of the sandbox."""

from ficha.web.language import Phrases, Said

PHRASES: Phrases = {
    "phones": Said("Teléfonos", "Phones", "Telefones"),
    "phones_silent": Said(
        "Nadie responde donde debería estar el WhatsApp de pruebas. Enciéndalo con `ficha sandbox` y recargue. "
        "`ficha serve` trae uno, salvo con `--no-sandbox` o si su puerto está ocupado.",
        "Nobody answers where the test WhatsApp should be. Start it with `ficha sandbox` and reload. "
        "`ficha serve` brings one, except with `--no-sandbox` or when its port is taken.",
        "Ninguém responde onde deveria estar o WhatsApp de testes. Ligue-o com `ficha sandbox` e recarregue. "
        "`ficha serve` traz um, exceto com `--no-sandbox` ou se a porta estiver ocupada.",
    ),
    "phones_elsewhere": Said(
        "Los mensajes salen por la plataforma configurada en `FICHA_WHATSAPP_BASE_URL` y no se ven aquí.",
        "Messages leave through the platform set in `FICHA_WHATSAPP_BASE_URL` and are not seen here.",
        "As mensagens saem pela plataforma configurada em `FICHA_WHATSAPP_BASE_URL` e não aparecem aqui.",
    ),
    "quiet": Said("Todo en calma", "All quiet", "Tudo calmo"),
    "quiet_how": Said(
        "Nadie ha escrito ni recibido nada. Escriba aquí abajo como si fuera una persona, o envíe un mensaje desde la "
        "terminal y recargue.",
        "Nobody has written or received anything. Write below as if you were a person, or send a message from the "
        "terminal and reload.",
        "Ninguém escreveu nem recebeu nada. Escreva aqui embaixo como se fosse uma pessoa, ou envie uma mensagem pelo "
        "terminal e recarregue.",
    ),
    "quiet_terminal": Said(
        "Con las personas de la demostración (`ficha serve --demo`)",
        "With the demo people (`ficha serve --demo`)",
        "Com as pessoas da demonstração (`ficha serve --demo`)",
    ),
    "more_phones": Said(
        "Hay {count} teléfonos más, sin novedades recientes.",
        "There are {count} more phones, without recent news.",
        "Há mais {count} telefones, sem novidades recentes.",
    ),
    "older": Said(
        "Anteriores, sin mostrar: {count}", "Earlier ones, not shown: {count}", "Anteriores, ocultas: {count}"
    ),
    "window_open": Said(
        "Se le puede escribir libremente hasta", "Can be written to freely until", "Pode-se escrever livremente até"
    ),
    "window_closed": Said(
        "Solo plantillas: no ha escrito en las últimas 24 horas.",
        "Templates only: has not written in the last 24 hours.",
        "Só modelos: não escreveu nas últimas 24 horas.",
    ),
    "stopped": Said("No quiere publicidad.", "Wants no advertising.", "Não quer publicidade."),
    "failing": Said(
        "Los mensajes nuevos fallan ({code}).", "New messages fail ({code}).", "As mensagens novas falham ({code})."
    ),
    "screen": Said("Chat de {name}", "Chat of {name}", "Conversa de {name}"),
    "template": Said("plantilla", "template", "modelo"),
    "answers": Said("Responde a", "Answers", "Responde a"),
    "place": Said("Ubicación", "Location", "Localização"),
    "open_file": Said("Abrir", "Open", "Abrir"),
    "details": Said("Detalle", "Details", "Detalhe"),
    "state_accepted": Said("aceptado", "accepted", "aceita"),
    "state_sent": Said("enviado", "sent", "enviada"),
    "state_delivered": Said("entregado", "delivered", "entregue"),
    "state_read": Said("leído", "read", "lida"),
    "state_played": Said("escuchado", "played", "ouvida"),
    "state_failed": Said("falló", "failed", "falhou"),
    "kind_image": Said("imagen", "image", "imagem"),
    "kind_video": Said("video", "video", "vídeo"),
    "kind_audio": Said("audio", "audio", "áudio"),
    "kind_document": Said("documento", "document", "documento"),
    "kind_sticker": Said("sticker", "sticker", "figurinha"),
    "answer_as": Said("Responder como {name}", "Answer as {name}", "Responder como {name}"),
    "send": Said("Enviar", "Send", "Enviar"),
    "more_to_do": Said(
        "Ubicación, lectura y entregas", "Location, reading and deliveries", "Localização, leitura e entregas"
    ),
    "share_place": Said("Compartir una ubicación", "Share a location", "Compartilhar uma localização"),
    "latitud": Said("Latitud", "Latitude", "Latitude"),
    "longitud": Said("Longitud", "Longitude", "Longitude"),
    "share": Said("Compartir", "Share", "Compartilhar"),
    "open_chat": Said("Abrir el chat y leer todo", "Open the chat and read all", "Abrir a conversa e ler tudo"),
    "fate": Said("Los próximos mensajes", "The next messages", "As próximas mensagens"),
    "fate_arrive": Said("Llegan", "Arrive", "Chegam"),
    "fate_change": Said("Cambiar", "Change", "Mudar"),
    "fail_why": Said("Hacer que falle", "Make it fail", "Fazer falhar"),
    "fail": Said("Que falle", "Fail it", "Falhar"),
    "code_131026": Said("No tiene WhatsApp", "Has no WhatsApp", "Não tem WhatsApp"),
    "code_131047": Said("Pasaron más de 24 horas", "More than 24 hours went by", "Passaram mais de 24 horas"),
    "code_131049": Said("La plataforma lo retuvo", "The platform held it back", "A plataforma reteve"),
    "code_131000": Said("Algo falló", "Something failed", "Algo falhou"),
    "new": Said("Alguien nuevo escribe", "Somebody new writes", "Alguém novo escreve"),
    "number_label": Said("Número", "Number", "Número"),
    "number_hint": Said(
        "Con + y código de país. Si no muestra su número, un id como VE.1234.",
        "With + and country code. For somebody who shows no number, an id like VE.1234.",
        "Com + e código do país. Para quem não mostra o número, um id como VE.1234.",
    ),
    "name_label": Said("Nombre", "Name", "Nome"),
    "text_label": Said("Mensaje", "Message", "Mensagem"),
    "number_wrong": Said(
        "Escriba el número con + y código de país, como +58 412 555 0101.",
        "Write the number with + and country code, like +58 412 555 0101.",
        "Escreva o número com + e código do país, como +55 11 5555 0101.",
    ),
    "name_long": Said("El nombre es demasiado largo.", "The name is too long.", "O nome é longo demais."),
    "text_missing": Said("Escriba un mensaje.", "Write a message.", "Escreva uma mensagem."),
    "text_long": Said(
        "El mensaje pasa de 4096 caracteres.",
        "The message is over 4096 characters.",
        "A mensagem passa de 4096 caracteres.",
    ),
    "latitud_wrong": Said(
        "La latitud es un número entre -90 y 90.",
        "Latitude is a number between -90 and 90.",
        "A latitude é um número entre -90 e 90.",
    ),
    "longitud_wrong": Said(
        "La longitud es un número entre -180 y 180.",
        "Longitude is a number between -180 and 180.",
        "A longitude é um número entre -180 e 180.",
    ),
    "declined": Said(
        "El WhatsApp de pruebas no lo aceptó: {why}",
        "The test WhatsApp did not take it: {why}",
        "O WhatsApp de testes não aceitou: {why}",
    ),
}
