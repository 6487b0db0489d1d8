"""The texts of a sticker that is marked lost by a mailed link."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "lost_title": Translated("Perdí una etiqueta", "I lost a sticker", "Perdi uma etiqueta"),
    "lost_lead": Translated(
        "Le enviamos un enlace para apagarla, sin entrar en su cuenta.",
        "We mail you a link to switch it off, without logging in.",
        "Enviamos um link para desligá-la, sem entrar na sua conta.",
    ),
    "which": Translated(
        "Su correo, o el código de la etiqueta",
        "Your e-mail, or the sticker's code",
        "O seu e-mail, ou o código da etiqueta",
    ),
    "which_missing": Translated(
        "Escriba su correo o el código", "Type your e-mail or the code", "Digite o seu e-mail ou o código"
    ),
    "too_many": Translated(
        "Demasiados intentos. Espere un momento.",
        "Too many attempts. Wait a moment.",
        "Muitas tentativas. Espere um momento.",
    ),
    "send": Translated("Enviar el enlace", "Send the link", "Enviar o link"),
    "sent_title": Translated("Revise su correo", "Check your mail", "Confira o seu e-mail"),
    "sent_lead": Translated(
        "Si hay una cuenta así, enviamos el enlace a su correo. Sirve {minutes} minutos.",
        "If there is such an account, we sent the link to its mailbox. It works for {minutes} minutes.",
        "Se há uma conta assim, enviamos o link para o e-mail dela. Vale por {minutes} minutos.",
    ),
    "mark_title": Translated("¿Cuál se perdió?", "Which one is lost?", "Qual se perdeu?"),
    "mark_lead": Translated(
        "Quien la encuentre ya no verá nada. No se puede deshacer.",
        "Whoever finds it will see nothing any more. This cannot be undone.",
        "Quem a encontrar já não verá nada. Não se pode desfazer.",
    ),
    "mark": Translated("Marcar como perdida", "Mark as lost", "Marcar como perdida"),
    "none_ticked": Translated("Marque una etiqueta", "Tick a sticker", "Marque uma etiqueta"),
    "no_stickers": Translated(
        "Esta cuenta no tiene etiquetas en uso.",
        "This account has no stickers in use.",
        "Esta conta não tem etiquetas em uso.",
    ),
    "done_title": Translated("Ya no abre nada", "It opens nothing any more", "Já não abre nada"),
    "done_lead": Translated(
        "Apagadas: {codes}. La ficha sigue guardada.",
        "Switched off: {codes}. The record is kept.",
        "Desligadas: {codes}. A ficha continua guardada.",
    ),
    "dead_title": Translated("Ese enlace ya no sirve", "That link no longer works", "Esse link já não vale"),
    "again": Translated("Pedir otro enlace", "Ask for another link", "Pedir outro link"),
}
