"""The texts of setting up a second factor."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases
from ficha.web.portal.account import account_phrases, login_phrases

PHRASES: Phrases = {
    "second_factor": Translated("Segundo factor", "Second factor", "Segundo fator"),
    "why": Translated(
        "Además de la clave, al entrar se pide un código de una aplicación en su teléfono.",
        "Besides the password, logging in asks for a code of an app on your phone.",
        "Além da senha, ao entrar pede-se um código de um aplicativo no seu telefone.",
    ),
    "demanded": Translated(
        "Este servicio pide un segundo factor a quien lo administra. Active uno para seguir.",
        "This service asks whoever runs it for a second factor. Turn one on to go on.",
        "Este serviço pede um segundo fator a quem o administra. Ative um para continuar.",
    ),
    "or_passkey": Translated(
        "O use una llave de acceso: su huella, su cara o un PIN",
        "Or use a passkey: your finger, your face or a PIN",
        "Ou use uma chave de acesso: o seu dedo, o seu rosto ou um PIN",
    ),
    "is_on": Translated("Está activo", "It is on", "Está ativo"),
    "begin": Translated("Activarlo", "Turn it on", "Ativar"),
    "remove": Translated("Quitarlo", "Turn it off", "Tirar"),
    "scan": Translated(
        "1. Escanee este QR con su aplicación, o escriba la clave secreta.",
        "1. Scan this QR with your app, or type the secret key.",
        "1. Escaneie este QR com o seu aplicativo, ou digite a chave secreta.",
    ),
    "secret": Translated("Clave secreta", "Secret key", "Chave secreta"),
    "qr_alt": Translated("QR para la aplicación", "QR for the app", "QR para o aplicativo"),
    "first_code": Translated(
        "2. Escriba el código que muestra", "2. Type the code that it shows", "2. Digite o código que mostra"
    ),
    "confirm": Translated("Confirmar", "Confirm", "Confirmar"),
    "clave": account_phrases.PHRASES["clave"],
    "clave_wrong": account_phrases.PHRASES["clave_wrong"],
    "second_wrong": login_phrases.PHRASES["second_wrong"],
    "too_many": login_phrases.PHRASES["too_many"],
    "recovery_title": Translated(
        "Guarde estos códigos de recuperación", "Keep these recovery codes", "Guarde estes códigos de recuperação"
    ),
    "recovery_lead": Translated(
        "Cada uno sirve una vez, si pierde su teléfono. No se vuelven a mostrar.",
        "Each works once, if you lose your phone. They are not shown again.",
        "Cada um vale uma vez, se perder o telefone. Não são mostrados de novo.",
    ),
    "kept": Translated("Ya los guardé", "I kept them", "Já guardei"),
    "back_account": Translated("Mi cuenta", "My account", "Minha conta"),
}
