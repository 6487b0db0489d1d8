"""The texts of the help desk on the sandbox page."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "desk": Translated("Mesa de ayuda", "Help desk", "Central de ajuda"),
    "desk_none": Translated(
        "Nadie ha escrito todavía. Escriba desde un teléfono para abrir una conversación.",
        "Nobody has written yet. Write from a phone to open a conversation.",
        "Ninguém escreveu ainda. Escreva de um telefone para abrir uma conversa.",
    ),
    "desk_elsewhere": Translated(
        "Las conversaciones van a otra plataforma, o a ninguna, y no se muestran aquí.",
        "Conversations go to another platform, or to none, and are not shown here.",
        "As conversas vão para outra plataforma, ou para nenhuma, e não são mostradas aqui.",
    ),
    "desk_talk": Translated("Conversación {number}", "Conversation {number}", "Conversa {number}"),
    "desk_open": Translated("abierta", "open", "aberta"),
    "desk_resolved": Translated("resuelta", "resolved", "resolvida"),
    "desk_pending": Translated("pendiente", "pending", "pendente"),
    "desk_snoozed": Translated("pospuesta", "snoozed", "adiada"),
    "desk_note": Translated("Nota privada", "Private note", "Nota privada"),
    "desk_answer": Translated("Responder como agente", "Answer as the agent", "Responder como agente"),
    "desk_send": Translated("Responder", "Answer", "Responder"),
    "desk_keep": Translated("Guardar como nota", "Keep as a note", "Guardar como nota"),
    "desk_resolve": Translated("Resolver", "Resolve", "Resolver"),
    "desk_reopen": Translated("Reabrir", "Reopen", "Reabrir"),
}
