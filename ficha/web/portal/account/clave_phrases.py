"""The texts of the pages of a forgotten clave."""

from ficha.fmd.translations import Translated
from ficha.web.kit.language import Phrases

PHRASES: Phrases = {
    "ask_title": Translated("Olvidé mi clave", "I forgot my password", "Esqueci minha senha"),
    "ask_lead": Translated(
        "Escriba el correo de su cuenta. Le enviamos un enlace para elegir una clave nueva.",
        "Type the e-mail address of your account. We send you a link to choose a new password.",
        "Digite o e-mail da sua conta. Enviamos um link para escolher uma nova senha.",
    ),
    "correo": Translated("Correo", "E-mail", "E-mail"),
    "ask_button": Translated("Enviar el enlace", "Send the link", "Enviar o link"),
    "correo_missing": Translated("Escriba su correo", "Type your e-mail address", "Digite o seu e-mail"),
    "correo_wrong": Translated(
        "Escriba un correo completo, como ana@ejemplo.com",
        "Type a whole e-mail address, like ana@example.com",
        "Digite um e-mail completo, como ana@exemplo.com",
    ),
    "too_many": Translated(
        "Son demasiados intentos seguidos. Espere unos minutos y vuelva a probar",
        "Too many attempts in a row. Wait a few minutes and try again",
        "São muitas tentativas seguidas. Espere alguns minutos e tente de novo",
    ),
    "sent_title": Translated("Revise su correo", "Check your e-mail", "Confira o seu e-mail"),
    "sent_lead": Translated(
        "Si hay una cuenta con {correo}, le llegará un enlace en un momento.",
        "If there is an account with {correo}, a link will arrive in a moment.",
        "Se houver uma conta com {correo}, um link chegará em um momento.",
    ),
    "sent_minutes": Translated(
        "El enlace sirve una sola vez, durante {minutes} minutos.",
        "The link works once, for {minutes} minutes.",
        "O link vale uma única vez, por {minutes} minutos.",
    ),
    "sent_nothing": Translated("¿No llega nada?", "Nothing arrives?", "Não chega nada?"),
    "sent_spam": Translated("Mire en el correo no deseado.", "Look in the spam folder.", "Olhe na caixa de spam."),
    "sent_typo": Translated(
        "Revise que el correo de arriba esté bien escrito.",
        "Check that the address above is spelled right.",
        "Confira se o e-mail acima está escrito certo.",
    ),
    "again": Translated("Pedir otro enlace", "Ask for another link", "Pedir outro link"),
    "choose_title": Translated("Elija una clave nueva", "Choose a new password", "Escolha uma nova senha"),
    "clave": Translated("Clave nueva", "New password", "Nova senha"),
    "clave_hint": Translated(
        "Entre 10 y 128 caracteres. Tres palabras que solo usted una funcionan bien.",
        "Between 10 and 128 characters. Three words only you would join work well.",
        "Entre 10 e 128 caracteres. Três palavras que só você juntaria funcionam bem.",
    ),
    "clave_show": Translated("Ver la clave", "Show the password", "Ver a senha"),
    "clave_hide": Translated("Ocultar la clave", "Hide the password", "Ocultar a senha"),
    "choose_ends": Translated(
        "Al guardarla se cierran todas las sesiones abiertas.",
        "Saving it closes every open session.",
        "Ao salvar, todas as sessões abertas são encerradas.",
    ),
    "choose_button": Translated("Guardar la clave", "Save the password", "Salvar a senha"),
    "clave_short": Translated(
        "La clave debe tener al menos {min_length} caracteres",
        "The password must have at least {min_length} characters",
        "A senha deve ter pelo menos {min_length} caracteres",
    ),
    "clave_long": Translated(
        "La clave debe tener como máximo {max_length} caracteres",
        "The password must have at most {max_length} characters",
        "A senha deve ter no máximo {max_length} caracteres",
    ),
    "clave_odd": Translated(
        "La clave lleva caracteres que no se pueden escribir. Elija otra",
        "The password has characters that cannot be typed. Choose another",
        "A senha tem caracteres que não se podem digitar. Escolha outra",
    ),
    "done_title": Translated("Su clave cambió", "Your password was changed", "A sua senha mudou"),
    "done_lead": Translated(
        "Desde ahora entre con la clave nueva. Las sesiones que estaban abiertas se cerraron.",
        "From now on, log in with the new password. The sessions that were open have been closed.",
        "A partir de agora, entre com a nova senha. As sessões que estavam abertas foram encerradas.",
    ),
    "dead_title": Translated("Este enlace ya no sirve", "This link no longer works", "Este link já não funciona"),
    "dead_lead": Translated(
        "Venció, ya se usó, o se pidió otro después. Su clave no ha cambiado por abrirlo.",
        "It expired, was used already, or another one was asked for later. Opening it changed nothing.",
        "Venceu, já foi usado, ou outro foi pedido depois. Abri-lo não mudou a sua senha.",
    ),
}
