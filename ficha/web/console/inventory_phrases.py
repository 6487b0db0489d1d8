"""The texts of the pages about codes and batches."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

STATES: Phrases = {
    "state": Translated("Estado", "State", "Estado"),
    "became_printed": Translated("impreso", "printed", "impresso"),
    "became_shipped": Translated("enviado", "shipped", "enviado"),
    "became_claimed": Translated("con dueño", "claimed", "com dono"),
    "became_void": Translated("anulado", "void", "anulado"),
    "batch": Translated("Lote", "Batch", "Lote"),
    "issued": Translated("Emitido", "Issued", "Emitido"),
    "claimed": Translated("Con dueño desde", "Claimed", "Com dono desde"),
    "ended": Translated("Terminado", "Ended", "Terminado"),
    "ship": Translated("Marcar como enviado", "Mark as shipped", "Marcar como enviado"),
    "void": Translated("Anular", "Void", "Anular"),
    "done_shipped": Translated("Se anotó como enviado.", "It was noted as shipped.", "Foi anotado como enviado."),
    "done_voided": Translated("Se anuló.", "It was voided.", "Foi anulado."),
}

CODES: Phrases = {
    **STATES,
    "codes_lead": Translated(
        "Cada código, y qué fue de él. De quién es no se dice aquí.",
        "Every code, and what became of it. Whose it is is not told here.",
        "Cada código, e o que foi dele. De quem é não se diz aqui.",
    ),
    "codes_none": Translated("Todavía no hay códigos.", "There are no codes yet.", "Ainda não há códigos."),
    "codes_search": Translated("Primeras letras", "First letters", "Primeiras letras"),
    "code": Translated("Código", "Code", "Código"),
    "history": Translated("Qué pasó con él", "What happened to it", "O que aconteceu com ele"),
    "when": Translated("Cuándo", "When", "Quando"),
    "who": Translated("Quién", "Who", "Quem"),
    "void_ask": Translated("¿Anular el código {code}?", "Void the code {code}?", "Anular o código {code}?"),
    "void_how": Translated(
        "Nadie podrá usar esa etiqueta, y el código no se emite otra vez.",
        "Nobody will be able to use that sticker, and the code is not issued again.",
        "Ninguém poderá usar essa etiqueta, e o código não é emitido de novo.",
    ),
}

BATCHES: Phrases = {
    **STATES,
    "batches_lead": Translated(
        "Códigos hechos juntos para imprimirlos.",
        "Codes made together to be printed.",
        "Códigos feitos juntos para imprimir.",
    ),
    "batches_none": Translated("Todavía no hay lotes.", "There are no batches yet.", "Ainda não há lotes."),
    "new": Translated("Nuevo lote", "New batch", "Novo lote"),
    "number": Translated("Número", "Number", "Número"),
    "label": Translated("Para qué", "What for", "Para quê"),
    "made": Translated("Códigos", "Codes", "Códigos"),
    "made_at": Translated("Hecho", "Made", "Feito"),
    "made_by": Translated("Por", "By", "Por"),
    "tags": Translated("Marcas", "Tags", "Marcas"),
    "tags_kept": Translated("guardadas hasta {until}", "kept until {until}", "guardadas até {until}"),
    "tags_gone": Translated("destruidas", "destroyed", "destruídas"),
    "field_count": Translated("Cuántos códigos", "How many codes", "Quantos códigos"),
    "field_label": Translated("Para qué", "What for", "Para quê"),
    "hint_label": Translated("Como Colegio San José.", "Such as Colegio San José.", "Como Colegio San José."),
    "batch_title": Translated("Lote {id}", "Batch {id}", "Lote {id}"),
    "count": Translated("Cuántos", "How many", "Quantos"),
    "by_state": Translated("Qué fue de sus códigos", "What became of its codes", "O que foi dos seus códigos"),
    "see_codes": Translated("Ver sus códigos", "See its codes", "Ver seus códigos"),
    "void_ask": Translated("¿Anular el lote {id}?", "Void batch {id}?", "Anular o lote {id}?"),
    "void_how": Translated(
        "Lo que nadie ha reclamado de este lote no servirá nunca, y sus marcas se destruyen.",
        "What nobody has claimed of this batch will never be of use, and its tags are destroyed.",
        "O que ninguém reclamou deste lote nunca servirá, e suas marcas são destruídas.",
    ),
    "csv": Translated("CSV de sus códigos", "CSV of its codes", "CSV dos seus códigos"),
    "print": Translated("Imprimir", "Print", "Imprimir"),
    "print_how": Translated(
        "Los pliegos y el CSV con marcas llevan el secreto de cada etiqueta: solo para quien imprime. Cuando todo esté "
        "bien impreso, confírmelo: las marcas se destruyen y nadie puede imprimirlas otra vez.",
        "The sheets and the CSV with tags hold the secret of each sticker: only for who prints. When all is printed "
        "well, confirm it: the tags are destroyed, and nobody can print them again.",
        "As folhas e o CSV com marcas levam o segredo de cada etiqueta: só para quem imprime. Quando tudo estiver bem "
        "impresso, confirme: as marcas são destruídas e ninguém pode imprimi-las de novo.",
    ),
    "csv_tags": Translated("CSV con marcas", "CSV with tags", "CSV com marcas"),
    "field_pliego": Translated("Pliego, de {parts}", "Sheet, of {parts}", "Folha, de {parts}"),
    "field_formato": Translated("Formato", "Format", "Formato"),
    "field_papel": Translated("Papel", "Paper", "Papel"),
    "get_sheet": Translated("Descargar pliego", "Download sheet", "Baixar folha"),
    "confirm": Translated("Confirmar la impresión", "Confirm the print", "Confirmar a impressão"),
    "confirm_ask": Translated(
        "¿Está bien impreso todo el lote {id}?", "Is all of batch {id} printed well?", "O lote {id} está bem impresso?"
    ),
    "confirm_how": Translated(
        "Sus marcas se destruyen: nadie podrá imprimir estas etiquetas otra vez.",
        "Its tags are destroyed: nobody will be able to print these stickers again.",
        "Suas marcas são destruídas: ninguém poderá imprimir estas etiquetas de novo.",
    ),
    "done_confirmed": Translated(
        "Se confirmó; las marcas se destruyeron.",
        "Confirmed; the tags were destroyed.",
        "Confirmado; as marcas foram destruídas.",
    ),
    "format_round": Translated("redonda", "round", "redonda"),
    "format_band": Translated("pulsera", "wristband", "pulseira"),
    "format_bike": Translated("bicicleta", "bicycle", "bicicleta"),
    "format_helmet": Translated("casco", "helmet", "capacete"),
    "format_wallet": Translated("billetera", "wallet", "carteira"),
    "done_made": Translated("Se hizo el lote.", "The batch was made.", "O lote foi feito."),
}
