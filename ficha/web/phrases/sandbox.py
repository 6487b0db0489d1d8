"""The sandbox."""

from ficha.web.language import Phrases, Said

PHRASES: Phrases = {
    "title": Said("Banco de pruebas", "Sandbox", "Banco de testes"),
    "lead": Said(
        "Lo que habría llegado a las personas se queda aquí.",
        "What would have reached people stays here.",
        "O que teria chegado às pessoas fica aqui.",
    ),
    "reload": Said("Recargar", "Reload", "Recarregar"),
    "news": Said("Hay novedades. Recargar", "There is news. Reload", "Há novidades. Recarregar"),
    "mail": Said("Correo", "Mail", "Correio"),
    "mail_none": Said(
        "Todavía no se ha enviado ningún correo. Pida una clave nueva para ver uno.",
        "No mail has been sent yet. Ask for a new password to see one.",
        "Nenhum e-mail foi enviado ainda. Peça uma nova senha para ver um.",
    ),
    "mail_smtp": Said(
        "El correo sale por el servidor SMTP configurado y no se guarda aquí.",
        "Mail leaves through the configured SMTP server and is not kept here.",
        "O correio sai pelo servidor SMTP configurado e não fica guardado aqui.",
    ),
    "ask_clave": Said("Pedir una clave nueva", "Ask for a new password", "Pedir uma nova senha"),
    "raw": Said("Fuente", "Source", "Fonte"),
    "jobs": Said("Trabajos", "Jobs", "Trabalhos"),
    "jobs_none": Said("Nada espera.", "Nothing waits.", "Nada espera."),
    "jobs_waiting": Said("Esperan", "Waiting", "Em espera"),
    "jobs_behind": Said(
        "El más antiguo espera hace {seconds} s.",
        "The oldest has waited for {seconds} s.",
        "O mais antigo espera há {seconds} s.",
    ),
    "kind": Said("Trabajo", "Job", "Trabalho"),
    "count": Said("Cuántos", "How many", "Quantos"),
    "dead": Said("Se rindieron", "Gave up", "Desistiram"),
    "dead_none": Said("Ninguno se rindió.", "None gave up.", "Nenhum desistiu."),
    "dead_how": Said(
        "Para intentarlo de nuevo: `ficha jobs retry <número>`, o `ficha jobs retry --all`.",
        "To try again: `ficha jobs retry <id>`, or `ficha jobs retry --all`.",
        "Para tentar de novo: `ficha jobs retry <número>`, ou `ficha jobs retry --all`.",
    ),
    "number": Said("Número", "Id", "Número"),
    "attempts": Said("Intentos", "Attempts", "Tentativas"),
    "error": Said("Error", "Error", "Erro"),
    "died": Said("Cuándo", "When", "Quando"),
}
