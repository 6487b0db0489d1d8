"""The texts of the sandbox page and of its mails and jobs."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "title": Translated("Banco de pruebas", "Sandbox", "Banco de testes"),
    "lead": Translated(
        "Lo que habría llegado a las personas se queda aquí.",
        "What would have reached people stays here.",
        "O que teria chegado às pessoas fica aqui.",
    ),
    "reload": Translated("Recargar", "Reload", "Recarregar"),
    "news": Translated("Hay novedades. Recargar", "There is news. Reload", "Há novidades. Recarregar"),
    "mail": Translated("Correo", "Mail", "Correio"),
    "mail_none": Translated(
        "Todavía no se ha enviado ningún correo. Pida una clave nueva para ver uno.",
        "No mail has been sent yet. Ask for a new password to see one.",
        "Nenhum e-mail foi enviado ainda. Peça uma nova senha para ver um.",
    ),
    "mail_smtp": Translated(
        "El correo sale por el servidor SMTP configurado y no se guarda aquí.",
        "Mail leaves through the configured SMTP server and is not kept here.",
        "O correio sai pelo servidor SMTP configurado e não fica guardado aqui.",
    ),
    "ask_clave": Translated("Pedir una clave nueva", "Ask for a new password", "Pedir uma nova senha"),
    "raw": Translated("Fuente", "Source", "Fonte"),
    "jobs": Translated("Trabajos", "Jobs", "Trabalhos"),
    "jobs_none": Translated("Nada espera.", "Nothing waits.", "Nada espera."),
    "jobs_waiting": Translated("Esperan", "Waiting", "Em espera"),
    "jobs_behind": Translated(
        "El más antiguo espera hace {seconds} s.",
        "The oldest has waited for {seconds} s.",
        "O mais antigo espera há {seconds} s.",
    ),
    "kind": Translated("Trabajo", "Job", "Trabalho"),
    "count": Translated("Cuántos", "How many", "Quantos"),
    "dead": Translated("Se rindieron", "Gave up", "Desistiram"),
    "dead_none": Translated("Ninguno se rindió.", "None gave up.", "Nenhum desistiu."),
    "dead_how": Translated(
        "Para intentarlo de nuevo: `ficha jobs retry <número>`, o `ficha jobs retry --all`.",
        "To try again: `ficha jobs retry <id>`, or `ficha jobs retry --all`.",
        "Para tentar de novo: `ficha jobs retry <número>`, ou `ficha jobs retry --all`.",
    ),
    "number": Translated("Número", "Id", "Número"),
    "attempts": Translated("Intentos", "Attempts", "Tentativas"),
    "error": Translated("Error", "Error", "Erro"),
    "died": Translated("Cuándo", "When", "Quando"),
}
