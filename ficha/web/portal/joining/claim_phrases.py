"""The texts of the page that confirms a sticker which was claimed by its code."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "confirm_title": Translated("¿Tiene usted la etiqueta?", "Do you have the sticker?", "A etiqueta está com você?"),
    "confirm_lead": Translated(
        "Con su cuenta se pidió una etiqueta por su código. Si la tiene usted, confírmelo y su QR funcionará.",
        "A sticker was asked for by its code with your account. If you have it, confirm it and its QR begins to work.",
        "Com a sua conta foi pedida uma etiqueta pelo código. Se ela está com você, confirme e o QR funcionará.",
    ),
    "confirm_button": Translated("Sí, la tengo", "Yes, I have it", "Sim, está comigo"),
    "done_title": Translated("Su etiqueta funciona", "Your sticker works", "A sua etiqueta funciona"),
    "done_lead": Translated("Ya abren: {codes}", "These open now: {codes}", "Já abrem: {codes}"),
    "done_nothing": Translated(
        "No había ninguna etiqueta por confirmar.",
        "There was no sticker left to confirm.",
        "Não havia nenhuma etiqueta a confirmar.",
    ),
    "dead_title": Translated("Este enlace ya no sirve", "This link no longer works", "Este link não vale mais"),
    "dead_lead": Translated(
        "Se usó o venció. Escanee el QR de la etiqueta al registrarla, o pídala otra vez por su código.",
        "It was used or is too old. Scan the sticker's QR when you register it, or ask for it by its code again.",
        "Foi usado ou venceu. Escaneie o QR da etiqueta ao registrá-la, ou peça-a de novo pelo código.",
    ),
}
