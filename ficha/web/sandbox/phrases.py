"""The sandbox."""

from ficha.web.kit.language import Phrase, Phrases

PHRASES: Phrases = {
    "title": Phrase("Banco de pruebas", "Sandbox", "Banco de testes"),
    "lead": Phrase(
        "Lo que habría llegado a las personas se queda aquí.",
        "What would have reached people stays here.",
        "O que teria chegado às pessoas fica aqui.",
    ),
    "reload": Phrase("Recargar", "Reload", "Recarregar"),
    "news": Phrase("Hay novedades. Recargar", "There is news. Reload", "Há novidades. Recarregar"),
    "mail": Phrase("Correo", "Mail", "Correio"),
    "mail_none": Phrase(
        "Todavía no se ha enviado ningún correo. Pida una clave nueva para ver uno.",
        "No mail has been sent yet. Ask for a new password to see one.",
        "Nenhum e-mail foi enviado ainda. Peça uma nova senha para ver um.",
    ),
    "mail_smtp": Phrase(
        "El correo sale por el servidor SMTP configurado y no se guarda aquí.",
        "Mail leaves through the configured SMTP server and is not kept here.",
        "O correio sai pelo servidor SMTP configurado e não fica guardado aqui.",
    ),
    "ask_clave": Phrase("Pedir una clave nueva", "Ask for a new password", "Pedir uma nova senha"),
    "raw": Phrase("Fuente", "Source", "Fonte"),
    "jobs": Phrase("Trabajos", "Jobs", "Trabalhos"),
    "jobs_none": Phrase("Nada espera.", "Nothing waits.", "Nada espera."),
    "jobs_waiting": Phrase("Esperan", "Waiting", "Em espera"),
    "jobs_behind": Phrase(
        "El más antiguo espera hace {seconds} s.",
        "The oldest has waited for {seconds} s.",
        "O mais antigo espera há {seconds} s.",
    ),
    "kind": Phrase("Trabajo", "Job", "Trabalho"),
    "count": Phrase("Cuántos", "How many", "Quantos"),
    "dead": Phrase("Se rindieron", "Gave up", "Desistiram"),
    "dead_none": Phrase("Ninguno se rindió.", "None gave up.", "Nenhum desistiu."),
    "dead_how": Phrase(
        "Para intentarlo de nuevo: `ficha jobs retry <número>`, o `ficha jobs retry --all`.",
        "To try again: `ficha jobs retry <id>`, or `ficha jobs retry --all`.",
        "Para tentar de novo: `ficha jobs retry <número>`, ou `ficha jobs retry --all`.",
    ),
    "number": Phrase("Número", "Id", "Número"),
    "attempts": Phrase("Intentos", "Attempts", "Tentativas"),
    "error": Phrase("Error", "Error", "Erro"),
    "died": Phrase("Cuándo", "When", "Quando"),
}
