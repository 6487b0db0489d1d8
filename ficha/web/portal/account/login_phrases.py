"""The texts of logging in and out."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "login_title": Translated("Entrar", "Log in", "Entrar"),
    "correo": Translated("Correo", "E-mail", "E-mail"),
    "clave": Translated("Clave", "Password", "Senha"),
    "login_button": Translated("Entrar", "Log in", "Entrar"),
    "forgot": Translated("Olvidé mi clave", "I forgot my password", "Esqueci minha senha"),
    "wrong": Translated(
        "El correo o la clave no son correctos",
        "The e-mail address or the password is not right",
        "O e-mail ou a senha não estão corretos",
    ),
    "too_many": Translated(
        "Son demasiados intentos seguidos. Espere unos minutos y vuelva a probar",
        "Too many attempts in a row. Wait a few minutes and try again",
        "São muitas tentativas seguidas. Espere alguns minutos e tente de novo",
    ),
    "page_too_old": Translated(
        "La página estuvo abierta mucho tiempo. Escriba su clave otra vez",
        "The page was open for a long time. Type your password again",
        "A página ficou aberta muito tempo. Digite a sua senha outra vez",
    ),
    "second_title": Translated("Un paso más", "One more step", "Mais um passo"),
    "second_code": Translated("Código de su aplicación", "Code of your app", "Código do seu aplicativo"),
    "second_hint": Translated(
        "Seis cifras, o uno de sus códigos de recuperación",
        "Six digits, or one of your recovery codes",
        "Seis dígitos, ou um dos seus códigos de recuperação",
    ),
    "second_wrong": Translated(
        "Ese código no es correcto o ya se usó. Escriba el que muestra ahora",
        "That code is wrong or was used already. Type the one it shows now",
        "Esse código está errado ou já foi usado. Digite o que mostra agora",
    ),
    "recovery_code": Translated(
        "O uno de sus códigos de recuperación", "Or one of your recovery codes", "Ou um dos seus códigos de recuperação"
    ),
    "login_passkey": Translated("Entrar con llave de acceso", "Log in with a passkey", "Entrar com chave de acesso"),
    "passkey_refused": Translated(
        "La llave de acceso no fue aceptada. Intente otra vez",
        "The passkey was not accepted. Try again",
        "A chave de acesso não foi aceita. Tente outra vez",
    ),
    "not_done": Translated(
        "El dispositivo no terminó. Intente otra vez.",
        "The device did not finish. Try again.",
        "O dispositivo não terminou. Tente outra vez.",
    ),
    "logout_title": Translated("¿Salir de su cuenta?", "Log out?", "Sair da sua conta?"),
    "logout_lead": Translated(
        "Este dispositivo olvida lo que guardó de Ficha. Su ficha y sus etiquetas siguen funcionando.",
        "This device forgets what it kept of Ficha. Your record and your stickers keep working.",
        "Este dispositivo esquece o que guardou do Ficha. A sua ficha e as suas etiquetas continuam funcionando.",
    ),
    "logout_button": Translated("Salir", "Log out", "Sair"),
}
