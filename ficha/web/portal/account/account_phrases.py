"""The texts of the account's own pages."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases
from ficha.web.portal.account import clave_phrases, login_phrases, verification_phrases

PHRASES: Phrases = {
    "push_title": Translated("Notificaciones", "Notifications", "Notificações"),
    "account_title": Translated("Mi cuenta", "My account", "Minha conta"),
    "back_family": Translated("Todas las fichas", "All records", "Todas as fichas"),
    "saved": Translated("Guardado", "Saved", "Salvo"),
    "save": Translated("Guardar", "Save", "Salvar"),
    "mail_language": Translated("Idioma de los correos", "Language of our mails", "Idioma dos e-mails"),
    "sessions": Translated("Sesiones abiertas", "Open sessions", "Sessões abertas"),
    "since": Translated("Abierta", "Opened", "Aberta"),
    "this_one": Translated("Esta", "This one", "Esta"),
    "last_used": Translated("usada", "used", "usada"),
    "end_one": Translated("Cerrar esta", "Close this one", "Fechar esta"),
    "end_others": Translated("Cerrar las demás", "Close the others", "Fechar as outras"),
    "clave_title": Translated("Cambiar la clave", "Change the password", "Mudar a senha"),
    "clave": Translated("Su clave actual", "Your present password", "A sua senha atual"),
    "clave_nueva": Translated("Clave nueva", "New password", "Nova senha"),
    "clave_wrong": Translated("La clave no es correcta", "The password is not right", "A senha não está correta"),
    "clave_hint": clave_phrases.PHRASES["clave_hint"],
    "clave_short": clave_phrases.PHRASES["clave_short"],
    "clave_long": clave_phrases.PHRASES["clave_long"],
    "clave_odd": clave_phrases.PHRASES["clave_odd"],
    "clave_ends": Translated(
        "Se cierran las demás sesiones.", "The other sessions are closed.", "As outras sessões são encerradas."
    ),
    "too_many": login_phrases.PHRASES["too_many"],
    "second_factor": Translated("Segundo factor", "Second factor", "Segundo fator"),
    **{name: verification_phrases.PHRASES[name] for name in ("verify_title", "verified", "not_verified")},
    "passkeys_title": Translated("Llaves de acceso", "Passkeys", "Chaves de acesso"),
    "erase_title": Translated("Borrar mi cuenta", "Delete my account", "Apagar a minha conta"),
    "erase_lead": Translated(
        "Se borran para siempre su cuenta y sus fichas. Sus etiquetas dejan de servir.",
        "Your account and your records are deleted for good. Your stickers stop working.",
        "A sua conta e as suas fichas são apagadas para sempre. As suas etiquetas deixam de servir.",
    ),
    "export": Translated(
        "Descargar antes todo lo de {code}", "First download all of {code}", "Baixar antes tudo de {code}"
    ),
    "erase_button": Translated("Borrar para siempre", "Delete for good", "Apagar para sempre"),
}
