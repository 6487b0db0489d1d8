"""The texts of proving one's correo and phone."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases
from ficha.web.portal.account import login_phrases

PHRASES: Phrases = {
    "verify_title": Translated("Verificar correo y teléfono", "Verify e-mail and phone", "Verificar e-mail e telefone"),
    "verify_lead": Translated(
        "Así sabemos que los avisos sobre sus fichas le llegan a usted.",
        "So we know that news about your records reaches you.",
        "Assim sabemos que os avisos sobre as suas fichas chegam a você.",
    ),
    "correo": login_phrases.PHRASES["correo"],
    "telefono": Translated("Teléfono", "Phone", "Telefone"),
    "verified": Translated("Verificado", "Verified", "Verificado"),
    "not_verified": Translated("Sin verificar", "Not verified", "Não verificado"),
    "send_correo": Translated(
        "Enviarme un código por correo", "Send me a code by e-mail", "Enviar-me um código por e-mail"
    ),
    "send_telefono": Translated(
        "Enviarme un código por WhatsApp", "Send me a code by WhatsApp", "Enviar-me um código por WhatsApp"
    ),
    "sent_correo": Translated(
        "El código va en camino. Revise su correo.",
        "The code is on its way. Look into your mailbox.",
        "O código está a caminho. Veja o seu e-mail.",
    ),
    "sent_telefono": Translated(
        "El código va en camino por WhatsApp; si no puede llegar, va por correo.",
        "The code is on its way by WhatsApp; if it cannot get there, it goes by e-mail.",
        "O código está a caminho por WhatsApp; se não puder chegar, vai por e-mail.",
    ),
    "code": Translated("Código de seis cifras", "Code of six digits", "Código de seis dígitos"),
    "confirm": Translated("Confirmar", "Confirm", "Confirmar"),
    "code_wrong": Translated(
        "El código no es correcto o ya venció. Revíselo o pida uno nuevo",
        "The code is wrong or has expired. Check it or ask for a new one",
        "O código não está correto ou venceu. Confira ou peça um novo",
    ),
    "too_many": login_phrases.PHRASES["too_many"],
    "back_account": Translated("Mi cuenta", "My account", "Minha conta"),
}
