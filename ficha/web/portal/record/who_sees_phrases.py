"""The texts of who sees what: the consequence stands in each choice."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "who_sees_title": Translated("Quién ve qué", "Who sees what", "Quem vê o quê"),
    "who_sees_lead": Translated(
        "Lo que esconda no ayudará a quien la atienda en una emergencia.",
        "What you hide will not help whoever treats you in an emergency.",
        "O que esconder não ajudará quem atender numa emergência.",
    ),
    "back_record": Translated("Volver a la ficha", "Back to the record", "Voltar à ficha"),
    "saved": Translated("Guardado", "Saved", "Salvo"),
    "save": Translated("Guardar", "Save", "Salvar"),
    "meanwhile": Translated(
        "Alguien cambió esto mientras usted elegía, y nada se guardó. Revise y guarde otra vez.",
        "Somebody changed this while you were choosing, and nothing was saved. Check and save again.",
        "Alguém mudou isto enquanto você escolhia, e nada foi salvo. Confira e salve de novo.",
    ),
    "too_many": Translated(
        "Son demasiadas decisiones sobre datos sueltos: elija la sección entera.",
        "These are too many decisions about single facts: choose the whole section.",
        "São decisões demais sobre dados avulsos: escolha a seção inteira.",
    ),
    "section": Translated("Toda la sección", "The whole section", "A seção inteira"),
    "now": Translated("Ahora: {words}", "Now: {words}", "Agora: {words}"),
    "as_usual": Translated("Lo usual: {words}", "The usual: {words}", "O usual: {words}"),
    "as_section": Translated("Como la sección", "As the section", "Como a seção"),
    "door_R": Translated(
        "La ve cualquiera que escanee la etiqueta",
        "Anybody who scans the sticker sees it",
        "Qualquer um que escanear a etiqueta vê",
    ),
    "door_B": Translated(
        "La ve quien dé nombre y motivo, y quien tenga acceso; usted recibe aviso",
        "Seen by who gives a name and a reason, or has access; you are told",
        "Vê quem der nome e motivo, e quem tiver acesso; você é avisado",
    ),
    "door_P": Translated(
        "No la ve nadie más, tampoco en una emergencia",
        "Nobody else sees it, not in an emergency either",
        "Ninguém mais vê, nem numa emergência",
    ),
    "no_data": Translated(
        "La ficha todavía no tiene datos.", "The record has no data yet.", "A ficha ainda não tem dados."
    ),
    "see": Translated("Ver como la ven otros", "See as others see", "Ver como os outros veem"),
}
