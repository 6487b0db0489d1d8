"""The texts of the sandbox page's phones."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "phones": Translated("Teléfonos", "Phones", "Telefones"),
    "phones_unreachable": Translated(
        "Nadie responde donde debería estar el WhatsApp de pruebas. Enciéndalo con `ficha sandbox` y recargue. "
        "`ficha serve` trae uno, salvo con `--no-sandbox` o si su puerto está ocupado.",
        "Nobody answers where the test WhatsApp should be. Start it with `ficha sandbox` and reload. "
        "`ficha serve` brings one, except with `--no-sandbox` or when its port is taken.",
        "Ninguém responde onde deveria estar o WhatsApp de testes. Ligue-o com `ficha sandbox` e recarregue. "
        "`ficha serve` traz um, exceto com `--no-sandbox` ou se a porta estiver ocupada.",
    ),
    "phones_elsewhere": Translated(
        "Los mensajes salen por la plataforma configurada en `FICHA_WHATSAPP_BASE_URL` y no se ven aquí.",
        "Messages leave through the platform set in `FICHA_WHATSAPP_BASE_URL` and are not seen here.",
        "As mensagens saem pela plataforma configurada em `FICHA_WHATSAPP_BASE_URL` e não aparecem aqui.",
    ),
    "no_messages": Translated("Todo en calma", "All quiet", "Tudo calmo"),
    "no_messages_how": Translated(
        "Nadie ha escrito ni recibido nada. Escriba aquí abajo como si fuera una persona, o envíe un mensaje desde la "
        "terminal y recargue.",
        "Nobody has written or received anything. Write below as if you were a person, or send a message from the "
        "terminal and reload.",
        "Ninguém escreveu nem recebeu nada. Escreva aqui embaixo como se fosse uma pessoa, ou envie uma mensagem pelo "
        "terminal e recarregue.",
    ),
    "no_messages_terminal": Translated(
        "Con las personas de la demostración (`ficha serve --demo`)",
        "With the demo people (`ficha serve --demo`)",
        "Com as pessoas da demonstração (`ficha serve --demo`)",
    ),
    "more_phones": Translated(
        "Hay {count} teléfonos más, sin novedades recientes.",
        "There are {count} more phones, without recent news.",
        "Há mais {count} telefones, sem novidades recentes.",
    ),
    "older": Translated(
        "Anteriores, sin mostrar: {count}", "Earlier ones, not shown: {count}", "Anteriores, ocultas: {count}"
    ),
    "window_open": Translated(
        "Se le puede escribir libremente hasta", "Can be written to freely until", "Pode-se escrever livremente até"
    ),
    "window_closed": Translated(
        "Solo plantillas: no ha escrito en las últimas 24 horas.",
        "Templates only: has not written in the last 24 hours.",
        "Só modelos: não escreveu nas últimas 24 horas.",
    ),
    "stopped": Translated("No quiere publicidad.", "Wants no advertising.", "Não quer publicidade."),
    "failing": Translated(
        "Los mensajes nuevos fallan ({code}).", "New messages fail ({code}).", "As mensagens novas falham ({code})."
    ),
    "screen": Translated("Chat de {name}", "Chat of {name}", "Conversa de {name}"),
    "template": Translated("plantilla", "template", "modelo"),
    "answers": Translated("Responde a", "Answers", "Responde a"),
    "location": Translated("Ubicación", "Location", "Localização"),
    "open_file": Translated("Abrir", "Open", "Abrir"),
    "details": Translated("Detalle", "Details", "Detalhe"),
    "state_accepted": Translated("aceptado", "accepted", "aceita"),
    "state_sent": Translated("enviado", "sent", "enviada"),
    "state_delivered": Translated("entregado", "delivered", "entregue"),
    "state_read": Translated("leído", "read", "lida"),
    "state_played": Translated("escuchado", "played", "ouvida"),
    "state_failed": Translated("falló", "failed", "falhou"),
    "kind_image": Translated("imagen", "image", "imagem"),
    "kind_video": Translated("video", "video", "vídeo"),
    "kind_audio": Translated("audio", "audio", "áudio"),
    "kind_document": Translated("documento", "document", "documento"),
    "kind_sticker": Translated("sticker", "sticker", "figurinha"),
    "answer_as": Translated("Responder como {name}", "Answer as {name}", "Responder como {name}"),
    "send": Translated("Enviar", "Send", "Enviar"),
    "more_to_do": Translated(
        "Ubicación, lectura y entregas", "Location, reading and deliveries", "Localização, leitura e entregas"
    ),
    "share_location": Translated("Compartir una ubicación", "Share a location", "Compartilhar uma localização"),
    "latitud": Translated("Latitud", "Latitude", "Latitude"),
    "longitud": Translated("Longitud", "Longitude", "Longitude"),
    "share": Translated("Compartir", "Share", "Compartilhar"),
    "open_chat": Translated("Abrir el chat y leer todo", "Open the chat and read all", "Abrir a conversa e ler tudo"),
    "next_messages": Translated("Los próximos mensajes", "The next messages", "As próximas mensagens"),
    "next_messages_arrive": Translated("Llegan", "Arrive", "Chegam"),
    "next_messages_change": Translated("Cambiar", "Change", "Mudar"),
    "fail_why": Translated("Hacer que falle", "Make it fail", "Fazer falhar"),
    "fail": Translated("Que falle", "Fail it", "Falhar"),
    "code_131026": Translated("No tiene WhatsApp", "Has no WhatsApp", "Não tem WhatsApp"),
    "code_131047": Translated("Pasaron más de 24 horas", "More than 24 hours went by", "Passaram mais de 24 horas"),
    "code_131049": Translated("La plataforma lo retuvo", "The platform held it back", "A plataforma reteve"),
    "code_131000": Translated("Algo falló", "Something failed", "Algo falhou"),
    "new": Translated("Alguien nuevo escribe", "Somebody new writes", "Alguém novo escreve"),
    "number_label": Translated("Número", "Number", "Número"),
    "number_hint": Translated(
        "Con + y código de país. Si no muestra su número, un id como VE.1234.",
        "With + and country code. For somebody who shows no number, an id like VE.1234.",
        "Com + e código do país. Para quem não mostra o número, um id como VE.1234.",
    ),
    "name_label": Translated("Nombre", "Name", "Nome"),
    "text_label": Translated("Mensaje", "Message", "Mensagem"),
    "number_wrong": Translated(
        "Escriba el número con + y código de país, como +58 412 555 0101.",
        "Write the number with + and country code, like +58 412 555 0101.",
        "Escreva o número com + e código do país, como +55 11 5555 0101.",
    ),
    "name_long": Translated("El nombre es demasiado largo.", "The name is too long.", "O nome é longo demais."),
    "text_missing": Translated("Escriba un mensaje.", "Write a message.", "Escreva uma mensagem."),
    "text_long": Translated(
        "El mensaje pasa de 4096 caracteres.",
        "The message is over 4096 characters.",
        "A mensagem passa de 4096 caracteres.",
    ),
    "latitud_wrong": Translated(
        "La latitud es un número entre -90 y 90.",
        "Latitude is a number between -90 and 90.",
        "A latitude é um número entre -90 e 90.",
    ),
    "longitud_wrong": Translated(
        "La longitud es un número entre -180 y 180.",
        "Longitude is a number between -180 and 180.",
        "A longitude é um número entre -180 e 180.",
    ),
    "refused": Translated(
        "El WhatsApp de pruebas no lo aceptó: {why}",
        "The test WhatsApp did not take it: {why}",
        "O WhatsApp de testes não aceitou: {why}",
    ),
}
