"""The texts of passkeys."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases
from ficha.web.portal.account import login_phrases, second_factor_phrases

SECOND = second_factor_phrases.PHRASES

PHRASES: Phrases = {
    "passkeys_title": Translated("Llaves de acceso", "Passkeys", "Chaves de acesso"),
    "passkeys_why": Translated(
        "Entre con su huella, su cara o el PIN de su dispositivo. Quien sepa su clave no entra sin la llave.",
        "Log in with your finger, your face or the PIN of your device. Your password alone lets nobody in.",
        "Entre com o seu dedo, o seu rosto ou o PIN do seu dispositivo. Quem souber a sua senha não entra sem a chave.",
    ),
    "none_yet": Translated("Todavía no tiene ninguna.", "You have none yet.", "Ainda não tem nenhuma."),
    "since": Translated("Desde {day}", "Since {day}", "Desde {day}"),
    "used": Translated("usada el {day}", "used on {day}", "usada em {day}"),
    "never_used": Translated("sin usar", "not used yet", "ainda não usada"),
    "remove_button": Translated("Quitar {name}", "Remove {name}", "Tirar {name}"),
    "add_title": Translated("Agregar una llave", "Add a passkey", "Adicionar uma chave"),
    "name": Translated("Nombre, para reconocerla", "A name, to know it by", "Um nome, para reconhecê-la"),
    "name_hint": Translated("Por ejemplo: mi teléfono", "For example: my phone", "Por exemplo: meu telefone"),
    "name_wrong": Translated(
        "Escriba un nombre de hasta 60 letras", "Type a name of up to 60 letters", "Digite um nome de até 60 letras"
    ),
    "go_on": Translated("Continuar", "Continue", "Continuar"),
    "ask_device": Translated("Crear la llave ahora", "Create the passkey now", "Criar a chave agora"),
    "device_lead": Translated(
        "Su dispositivo va a pedirle su huella, su cara o su PIN.",
        "Your device will ask for your finger, your face or your PIN.",
        "O seu dispositivo vai pedir o seu dedo, o seu rosto ou o seu PIN.",
    ),
    "cannot": Translated(
        "Este navegador no puede crear llaves aquí. Pruebe con otro, o use una aplicación de códigos.",
        "This browser cannot create passkeys here. Try another one, or use an app with codes.",
        "Este navegador não pode criar chaves aqui. Tente com outro, ou use um aplicativo de códigos.",
    ),
    "not_done": login_phrases.PHRASES["not_done"],
    "refused": login_phrases.PHRASES["passkey_refused"],
    **{
        name: SECOND[name]
        for name in (
            "clave",
            "clave_wrong",
            "too_many",
            "recovery_title",
            "recovery_lead",
            "kept",
            "back_account",
        )
    },
}
