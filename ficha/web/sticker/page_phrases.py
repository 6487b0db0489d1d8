"""The texts of the responder page, the page of a typed code and the pages of a sticker that opens nothing."""

from ficha.fmd.responder.phrases import NUMBER_UNKNOWN
from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases, texts_by_language

PHRASES: Phrases = {
    "language": Translated("Idioma", "Language", "Idioma"),
    "record": Translated("Ficha de emergencia", "Emergency record", "Ficha de emergência"),
    "photo_of": Translated("Foto de {name}", "Photo of {name}", "Foto de {name}"),
    "nameless": Translated("Nombre no disponible", "Name not available", "Nome não disponível"),
    "speaks": Translated("habla {languages}", "speaks {languages}", "fala {languages}"),
    "language_of": Translated("idioma: {languages}", "language: {languages}", "idioma: {languages}"),
    "jump_to_call": Translated("Llamar", "Call", "Ligar"),
    "stop": Translated("Alto. Lea esto primero", "Stop. Read this first", "Pare. Leia isto primeiro"),
    # One for each reason why there is no sign: see NoSigns.
    "no_signs_judged": Translated(
        "Sin alertas graves registradas; puede tenerlas.",
        "No serious alerts recorded; there may be some.",
        "Sem alertas graves registrados; pode haver.",
    ),
    "no_signs_written": Translated(
        "Sin alertas graves en los datos con código. Lea también lo escrito: no está evaluado.",
        "No serious alerts in the coded data. Read what is written too: it is not assessed.",
        "Sem alertas graves nos dados com código. Leia também o que está escrito: não foi avaliado.",
    ),
    "no_signs_reserved": Translated(
        "Sin alertas graves en lo que se puede mostrar. Hay datos que aquí no se ven.",
        "No serious alerts in what can be shown. There is data that is not shown here.",
        "Sem alertas graves no que pode ser mostrado. Há dados que não aparecem aqui.",
    ),
    "no_signs_nothing_recorded": Translated(
        "No hay alergias, medicinas ni enfermedades registradas: no se sabe si tiene alguna.",
        "No allergies, medicines or conditions are recorded: it is not known whether there are any.",
        "Não há alergias, remédios nem doenças registrados: não se sabe se há.",
    ),
    "unjudged": Translated(
        "<b>Sin evaluar, puede ser importante:</b> {names}",
        "<b>Not assessed, may be important:</b> {names}",
        "<b>Não avaliado, pode ser importante:</b> {names}",
    ),
    "more_signs": Translated("Y {count} más: {names}", "And {count} more: {names}", "E mais {count}: {names}"),
    "unreadable": Translated(
        "No se pudo leer: {parts}. Puede faltar algo importante.",
        "Could not be read: {parts}. Something important may be missing.",
        "Não foi possível ler: {parts}. Pode faltar algo importante.",
    ),
    "consent_unreadable": Translated(
        "No se pudo leer qué permite mostrar la persona, y por eso no se muestra su ficha. Llame y avise a la familia.",
        "We could not read what the person allows to be shown, so the record is not shown. Call and alert the family.",
        "Não foi possível ler o que a pessoa permite mostrar; por isso a ficha não aparece. Ligue e avise a família.",
    ),
    "to_do": Translated("Qué hacer", "What to do", "O que fazer"),
    "own_words": Translated(
        "Palabras de la persona o de su familia.",
        "In the words of the person or the family.",
        "Palavras da pessoa ou da família.",
    ),
    "own_words_in": Translated(
        "Palabras de la persona o de su familia, en {language}.",
        "In the words of the person or the family, in {language}.",
        "Palavras da pessoa ou da família, em {language}.",
    ),
    "advice": Translated(
        "Consejos generales de primeros auxilios",
        "General first-aid advice",
        "Conselhos gerais de primeiros socorros",
    ),
    "own_plan_first": Translated(
        "Lo que escribió la persona o su familia va primero.",
        "What the person or the family wrote comes first.",
        "O que a pessoa ou a família escreveu vem primeiro.",
    ),
    "dont": Translated("No:", "Do not:", "Não:"),
    "staff": Translated("Personal de salud:", "Health staff:", "Equipe de saúde:"),
    "call": Translated("Llamar", "Call", "Ligar"),
    "call_whom": Translated("Llamar a", "Call", "Ligar para"),
    "call_emergency": Translated("Llamar a emergencias", "Call emergency services", "Ligar para a emergência"),
    "alert": Translated("Avisar a la familia", "Alert the family", "Avisar a família"),
    "alert_how": Translated("les llega un aviso ahora", "they get an alert now", "recebem um aviso agora"),
    "looking": Translated("Buscando su ubicación…", "Looking for your position…", "Procurando a sua localização…"),
    "nobody": Translated(
        "No hay a quién avisar. Llame al {number}.",
        "There is nobody to alert. Call {number}.",
        "Não há a quem avisar. Ligue para {number}.",
    ),
    "alert_staff": Translated("Avisar al equipo de guardia", "Alert the team on call", "Avisar a equipe de plantão"),
    "alert_staff_how": Translated("del servicio Ficha", "of the Ficha service", "do serviço Ficha"),
    "number_unknown": NUMBER_UNKNOWN,
    "position_sent": Translated(
        "Ubicación enviada {accuracy}", "Position sent {accuracy}", "Localização enviada {accuracy}"
    ),
    "landmark_sent": Translated("Lugar enviado: {words}.", "Place sent: {words}.", "Lugar enviado: {words}."),
    "landmark": Translated("Dónde está: una referencia", "Where it is: a landmark", "Onde está: uma referência"),
    "send_position": Translated("Enviar mi ubicación", "Send my position", "Enviar a minha localização"),
    "relay": Translated("Hablar con la familia", "Talk to the family", "Falar com a família"),
    "relay_why": Translated(
        "Llega a los contactos avisados, que le responden aquí. No ven su número, salvo que lo deje.",
        "It reaches the contacts we alerted, who answer here. They do not see your number unless you leave it.",
        "Chega aos contatos avisados, que respondem aqui. Eles não veem o seu número, a menos que você o deixe.",
    ),
    "relay_words": Translated("Su mensaje", "Your message", "Sua mensagem"),
    "relay_phone": Translated(
        "Su teléfono, si quiere que lo llamen", "Your phone, if they may call you", "Seu telefone, se quiser que liguem"
    ),
    "relay_send": Translated("Enviar a la familia", "Send to the family", "Enviar à família"),
    "relay_write": Translated(
        "Escribir a la familia o dejar su teléfono",
        "Write to the family or leave your phone number",
        "Escrever à família ou deixar seu telefone",
    ),
    "relay_full": Translated(
        "Ya no caben más mensajes. Llame por teléfono.",
        "There is no room for more messages. Please call.",
        "Não cabem mais mensagens. Ligue por telefone.",
    ),
    "relay_lost": Translated(
        "Sin conexión: el mensaje no ha salido todavía. Seguimos intentándolo mientras esta página esté abierta.",
        "No connection: the message has not gone out yet. We keep trying while this page is open.",
        "Sem conexão: a mensagem ainda não saiu. Continuamos tentando enquanto esta página estiver aberta.",
    ),
    "relay_no_phone": Translated(
        "A ese número no se puede llamar. Escríbalo con su prefijo, por ejemplo +58 412 555 1111.",
        "That number cannot be called. Write it with its country code, for example +58 412 555 1111.",
        "Não é possível ligar para esse número. Escreva com o código do país, por exemplo +58 412 555 1111.",
    ),
    "relay_too_many": Translated(
        "Son demasiados mensajes seguidos. Espere un minuto.",
        "That is too many messages in a row. Wait a minute.",
        "São mensagens demais seguidas. Espere um minuto.",
    ),
    "alerting": Translated("Avisando…", "Alerting…", "Avisando…"),
    "alert_underway": Translated(
        "Esta parte se actualiza sola. No cierre la página.",
        "This part updates by itself. Keep the page open.",
        "Esta parte se atualiza sozinha. Não feche a página.",
    ),
    "italics": Translated(
        "En cursiva, lo que escribió la persona o su familia, tal cual.",
        "In italics: written by the person or the family, left as it is.",
        "Em itálico: o que a pessoa ou a família escreveu, sem mudanças.",
    ),
    "italics_in": Translated(
        "En cursiva, lo que escribió la persona o su familia, tal cual, en {language}.",
        "In italics: written by the person or the family, left as it is, in {language}.",
        "Em itálico: o que a pessoa ou a família escreveu, sem mudanças, em {language}.",
    ),
    "missing": Translated(
        "No aparece aquí: {parts}.",
        "Not shown here: {parts}.",
        "Não aparece aqui: {parts}.",
    ),
    "more": Translated("Ver más datos", "See more data", "Ver mais dados"),
    "more_opens": Translated("Abre: {parts}.", "It opens: {parts}.", "Abre: {parts}."),
    "more_why": Translated(
        "Para personal de salud. Pide su nombre y el motivo. Se abre 60 minutos y la familia lo sabrá.",
        "For health staff. It asks for your name and the reason. It opens for 60 minutes and the family will know.",
        "Para profissionais de saúde. Pede seu nome e o motivo. Abre por 60 minutos e a família saberá.",
    ),
    "more_who": Translated("Su nombre o credencial", "Your name or badge", "Seu nome ou credencial"),
    "more_reason": Translated("Motivo", "Reason", "Motivo"),
    "more_open": Translated("Abrir más datos", "Open more data", "Abrir mais dados"),
    "opened_until": Translated(
        "Está viendo más datos, hasta las {time}. La familia lo sabe.",
        "You are seeing more data, until {time}. The family knows.",
        "Você está vendo mais dados, até as {time}. A família sabe.",
    ),
    "trouble": Translated("Hay un problema", "There is a problem", "Há um problema"),
    "code": Translated("Código", "Code", "Código"),
    "read_at": Translated(
        "Leída a las {time}. Esta lectura quedó guardada y la verá la familia.",
        "Read at {time}. This reading was saved and the family will see it.",
        "Lida às {time}. Esta consulta fica registrada e a família a verá.",
    ),
    # The pages of a typed code and of a sticker that opens nothing.
    "helping": Translated("Usted está ayudando a {name}", "You are helping {name}", "Você está ajudando {name}"),
    "helping_somebody": Translated(
        "Usted está ayudando a alguien", "You are helping somebody", "Você está ajudando alguém"
    ),
    "typed_why": Translated(
        "Con el código escrito no se muestran datos médicos. Para verlos, escanee el QR de la etiqueta.",
        "A typed code shows no medical data. To see it, scan the QR on the tag.",
        "O código digitado não mostra dados médicos. Para vê-los, escaneie o QR da etiqueta.",
    ),
    "proof": Translated(
        "Hay muchas peticiones ahora. Llame a emergencias. La suya sale sola en unos segundos; si no, espere {seconds}"
        " segundos y pulse de nuevo.",
        "There are many requests now. Call emergency services. Yours leaves by itself in a few seconds; if not,"
        " wait {seconds} seconds and press again.",
        "Há muitos pedidos agora. Ligue para a emergência. O seu sai sozinho em alguns segundos; se não, espere"
        " {seconds} segundos e toque de novo.",
    ),
    # Of a typed code nobody is told whether it is somebody's: these hold whichever it is.
    "alert_if": Translated(
        "si el código es correcto y hay a quién avisar, le llega",
        "if the code is right and there is somebody to alert, they get it",
        "se o código estiver certo e houver a quem avisar, recebe",
    ),
    "relayed": Translated("Aviso solicitado", "Alert requested", "Aviso solicitado"),
    "relayed_why": Translated(
        "Si el código es correcto y hay a quién avisar, recibirá el aviso. Aquí no podemos decirle si llegó:"
        " llame también a emergencias. Quédese con la persona si puede.",
        "If the code is right and there is somebody to alert, they will get the alert. We cannot tell you here whether"
        " it arrived: call emergency services too. Stay with the person if you can.",
        "Se o código estiver certo e houver a quem avisar, receberá o aviso. Aqui não podemos dizer se chegou:"
        " ligue também para a emergência. Fique com a pessoa, se puder.",
    ),
    # A sticker that opens nothing, by why it does not.
    "unknown": Translated("No reconocemos este QR", "We do not recognise this QR", "Não reconhecemos este QR"),
    "unknown_why": Translated(
        "No abre ninguna ficha. Pruebe otra vez; si la persona lleva otra etiqueta u otro carnet, escanéelo.",
        "It opens no record. Scan it again; if the person carries another sticker or card, scan that one.",
        "Não abre nenhuma ficha. Escaneie de novo; se a pessoa leva outra etiqueta ou outro cartão, escaneie esse.",
    ),
    "ended": Translated("Este QR ya no sirve", "This QR no longer works", "Este QR já não funciona"),
    "ended_why": Translated(
        "Se marcó como perdido, se retiró o se cambió por otro. No muestra datos y desde aquí no se puede avisar a la"
        " familia. Si la persona lleva otra etiqueta u otro carnet, escanéelo.",
        "It was marked as lost, retired or replaced. It shows no data, and the family cannot be alerted from here. If"
        " the person carries another sticker or card, scan that one.",
        "Foi marcado como perdido, retirado ou trocado por outro. Não mostra dados e daqui não se pode avisar a"
        " família. Se a pessoa leva outra etiqueta ou outro cartão, escaneie esse.",
    ),
    "new": Translated("Etiqueta nueva", "New sticker", "Etiqueta nova"),
    "new_why": Translated(
        "Todavía no pertenece a nadie: no hay datos que mostrar ni familia a la que avisar.",
        "It does not belong to anybody yet: there is no data to show and no family to alert.",
        "Ainda não pertence a ninguém: não há dados para mostrar nem família para avisar.",
    ),
    "join": Translated(
        "Es mía: crear mi ficha con esta etiqueta",
        "It is mine: make my record with this sticker",
        "É minha: criar a minha ficha com esta etiqueta",
    ),
    "unconfirmed": Translated(
        "Esta etiqueta todavía no está activa", "This sticker is not active yet", "Esta etiqueta ainda não está ativa"
    ),
    "unconfirmed_why": Translated(
        "Falta confirmarla. Hasta entonces este QR no muestra nada.",
        "It has yet to be confirmed. Until then this QR shows nothing.",
        "Falta confirmá-la. Até lá este QR não mostra nada.",
    ),
}

TEXTS = texts_by_language(PHRASES)
