"""The texts of a record's stickers."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "stickers_title": Translated("Etiquetas", "Stickers", "Etiquetas"),
    "back_record": Translated("Volver a la ficha", "Back to the record", "Voltar à ficha"),
    "state_claimed": Translated(
        "Lista; la ficha está vacía", "Ready; the record is empty", "Pronta; a ficha está vazia"
    ),
    "state_active": Translated("En uso", "In use", "Em uso"),
    "state_lost": Translated("Perdida: no abre nada", "Lost: it opens nothing", "Perdida: não abre nada"),
    "state_retired": Translated("Retirada: no abre nada", "Retired: it opens nothing", "Retirada: não abre nada"),
    "unconfirmed": Translated(
        "Por confirmar: abra el enlace del correo",
        "To be confirmed: open the link in the mail",
        "Por confirmar: abra o link do e-mail",
    ),
    "since": Translated("Desde {day}", "Since {day}", "Desde {day}"),
    "lost": Translated("La perdí", "I lost it", "Perdi"),
    "lost_why": Translated(
        "Quien la encuentre ya no verá nada. No se puede deshacer.",
        "Whoever finds it will see nothing any more. This cannot be undone.",
        "Quem a encontrar já não verá nada. Não se pode desfazer.",
    ),
    "lost_button": Translated("Marcar {code} como perdida", "Mark {code} as lost", "Marcar {code} como perdida"),
    "retire": Translated("Ya no la uso", "I no longer use it", "Não uso mais"),
    "retire_button": Translated("Retirar {code}", "Retire {code}", "Retirar {code}"),
    "tag": Translated(
        "Imprimir otra con este código", "Print another with this code", "Imprimir outra com este código"
    ),
    "tag_why": Translated(
        "La etiqueta impresa antes deja de abrir.",
        "The sticker printed before stops opening.",
        "A etiqueta impressa antes deixa de abrir.",
    ),
    "tag_button": Translated("Hacer un QR nuevo para {code}", "New QR for {code}", "Novo QR para {code}"),
    "tag_title": Translated("El QR nuevo de {code}", "The new QR of {code}", "O novo QR de {code}"),
    "tag_lead": Translated(
        "Imprima esta página ahora: el QR no se vuelve a mostrar.",
        "Print this page now: the QR is not shown again.",
        "Imprima esta página agora: o QR não é mostrado de novo.",
    ),
    "replace": Translated("Reemplazarla por otra", "Replace it with another", "Substituir por outra"),
    "replace_why": Translated(
        "La de ahora deja de abrir y la ficha recibe un código nuevo para imprimir.",
        "The one you have stops opening, and the record gets a new code to print.",
        "A de agora deixa de abrir e a ficha recebe um código novo para imprimir.",
    ),
    "replace_button": Translated("Reemplazar {code}", "Replace {code}", "Substituir {code}"),
    "name": Translated("Ponerle nombre", "Give it a name", "Dar um nome"),
    "name_why": Translated(
        "Dónde está: casco, billetera, silla. Solo usted lo ve.",
        "Where it is: helmet, wallet, chair. Only you see it.",
        "Onde está: capacete, carteira, cadeira. Só você vê.",
    ),
    "name_button": Translated("Guardar el nombre de {code}", "Save the name of {code}", "Salvar o nome de {code}"),
    "last_scan": Translated("Última vez escaneada: {when}", "Last scanned: {when}", "Última leitura: {when}"),
    "never_scanned": Translated("Nunca escaneada", "Never scanned", "Nunca escaneada"),
    "lost_without_login": Translated(
        "¿Perdió una y no tiene aquí su cuenta? También por correo, desde cualquier teléfono:",
        "Lost one and not logged in? It works by mail too, from any phone:",
        "Perdeu uma e não tem aqui a sua conta? Também por e-mail, de qualquer telefone:",
    ),
    "lost_page": Translated("Perdí una etiqueta", "I lost a sticker", "Perdi uma etiqueta"),
    "download_link": Translated("Descargar el QR", "Download the QR", "Baixar o QR"),
    "offline_title": Translated(
        "¿También sin red? Un QR con sus datos",
        "Without a network too? A QR with your data",
        "Também sem rede? Um QR com seus dados",
    ),
    "offline_why": Translated(
        "Ese QR lleva dentro lo más urgente de la ficha, como es hoy, y se lee sin conexión. Si cambia, haga otro.",
        "That QR holds what is most urgent in the record, as it is today, and is read without a network. If that"
        " changes, make another.",
        "Esse QR leva dentro o mais urgente da ficha, como é hoje, e é lido sem conexão. Se mudar, faça outro.",
    ),
    "offline_warning": Translated(
        "Cualquiera que lo vea o lo fotografíe puede leer esos datos, aunque después marque la etiqueta como perdida. "
        "Lo impreso no se puede retirar.",
        "Whoever sees or photographs it can read that data, even after you mark the sticker as lost. "
        "What is printed cannot be taken back.",
        "Quem o vir ou fotografar pode ler esses dados, mesmo que depois você marque a etiqueta como perdida. "
        "O que foi impresso não pode ser retirado.",
    ),
    "offline_formats": Translated(
        "En las formas más pequeñas ese QR no se leería bien.",
        "On the smaller shapes that QR would not be read well.",
        "Nas formas menores esse QR não seria bem lido.",
    ),
    "offline_accept": Translated(
        "Entiendo que cualquiera podrá leer estos datos",
        "I understand that anybody will be able to read this data",
        "Entendo que qualquer pessoa poderá ler estes dados",
    ),
    "offline_button": Translated(
        "Descargar la página con ese QR", "Download the page with that QR", "Baixar a página com esse QR"
    ),
    "download_hybrid": Translated("Descargar solo ese QR", "Download that QR alone", "Baixar só esse QR"),
    "sheet_title": Translated("Página para imprimir", "Page to print", "Página para imprimir"),
    "sheet_format": Translated("Forma", "Shape", "Forma"),
    "sheet_button": Translated("Descargar la página", "Download the page", "Baixar a página"),
    "format_wallet": Translated("Billetera", "Wallet", "Carteira"),
    "format_round": Translated("Redonda", "Round", "Redonda"),
    "format_band": Translated("Pulsera", "Band", "Pulseira"),
    "format_bike": Translated("Bicicleta", "Bike", "Bicicleta"),
    "format_helmet": Translated("Casco", "Helmet", "Capacete"),
    "back_stickers": Translated("Volver a las etiquetas", "Back to the stickers", "Voltar às etiquetas"),
    "ended": Translated("Ya no sirven", "No longer in use", "Já não servem"),
}
