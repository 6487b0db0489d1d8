"""A forgotten clave."""

from ficha.web.kit.language import Phrase, Phrases

PHRASES: Phrases = {
    "ask_title": Phrase("Olvidé mi clave", "I forgot my password", "Esqueci minha senha"),
    "ask_lead": Phrase(
        "Escriba el correo de su cuenta. Le enviamos un enlace para elegir una clave nueva.",
        "Type the e-mail address of your account. We send you a link to choose a new password.",
        "Digite o e-mail da sua conta. Enviamos um link para escolher uma nova senha.",
    ),
    "correo": Phrase("Correo", "E-mail", "E-mail"),
    "ask_button": Phrase("Enviar el enlace", "Send the link", "Enviar o link"),
    "correo_missing": Phrase("Escriba su correo", "Type your e-mail address", "Digite o seu e-mail"),
    "correo_wrong": Phrase(
        "Escriba un correo completo, como ana@ejemplo.com",
        "Type a whole e-mail address, like ana@example.com",
        "Digite um e-mail completo, como ana@exemplo.com",
    ),
    "too_many": Phrase(
        "Son demasiados intentos seguidos. Espere unos minutos y vuelva a probar",
        "Too many attempts in a row. Wait a few minutes and try again",
        "São muitas tentativas seguidas. Espere alguns minutos e tente de novo",
    ),
    "sent_title": Phrase("Revise su correo", "Check your e-mail", "Confira o seu e-mail"),
    "sent_lead": Phrase(
        "Si hay una cuenta con {correo}, le llegará un enlace en un momento.",
        "If there is an account with {correo}, a link will arrive in a moment.",
        "Se houver uma conta com {correo}, um link chegará em um momento.",
    ),
    "sent_minutes": Phrase(
        "El enlace sirve una sola vez, durante {minutes} minutos.",
        "The link works once, for {minutes} minutes.",
        "O link vale uma única vez, por {minutes} minutos.",
    ),
    "sent_nothing": Phrase("¿No llega nada?", "Nothing arrives?", "Não chega nada?"),
    "sent_spam": Phrase("Mire en el correo no deseado.", "Look in the spam folder.", "Olhe na caixa de spam."),
    "sent_typo": Phrase(
        "Revise que el correo de arriba esté bien escrito.",
        "Check that the address above is spelled right.",
        "Confira se o e-mail acima está escrito certo.",
    ),
    "again": Phrase("Pedir otro enlace", "Ask for another link", "Pedir outro link"),
    "choose_title": Phrase("Elija una clave nueva", "Choose a new password", "Escolha uma nova senha"),
    "clave": Phrase("Clave nueva", "New password", "Nova senha"),
    "clave_hint": Phrase(
        "Entre 10 y 128 caracteres. Tres palabras que solo usted una funcionan bien.",
        "Between 10 and 128 characters. Three words only you would join work well.",
        "Entre 10 e 128 caracteres. Três palavras que só você juntaria funcionam bem.",
    ),
    "clave_show": Phrase("Ver la clave", "Show the password", "Ver a senha"),
    "clave_hide": Phrase("Ocultar la clave", "Hide the password", "Ocultar a senha"),
    "choose_ends": Phrase(
        "Al guardarla se cierran todas las sesiones abiertas.",
        "Saving it closes every open session.",
        "Ao salvar, todas as sessões abertas são encerradas.",
    ),
    "choose_button": Phrase("Guardar la clave", "Save the password", "Salvar a senha"),
    "clave_short": Phrase(
        "La clave debe tener al menos {min_length} caracteres",
        "The password must have at least {min_length} characters",
        "A senha deve ter pelo menos {min_length} caracteres",
    ),
    "clave_long": Phrase(
        "La clave debe tener como máximo {max_length} caracteres",
        "The password must have at most {max_length} characters",
        "A senha deve ter no máximo {max_length} caracteres",
    ),
    "clave_odd": Phrase(
        "La clave lleva caracteres que no se pueden escribir. Elija otra",
        "The password has characters that cannot be typed. Choose another",
        "A senha tem caracteres que não se podem digitar. Escolha outra",
    ),
    "done_title": Phrase("Su clave cambió", "Your password was changed", "A sua senha mudou"),
    "done_lead": Phrase(
        "Desde ahora entre con la clave nueva. Las sesiones que estaban abiertas se cerraron.",
        "From now on, log in with the new password. The sessions that were open have been closed.",
        "A partir de agora, entre com a nova senha. As sessões que estavam abertas foram encerradas.",
    ),
    "dead_title": Phrase("Este enlace ya no sirve", "This link no longer works", "Este link já não funciona"),
    "dead_lead": Phrase(
        "Venció, ya se usó, o se pidió otro después. Su clave no ha cambiado por abrirlo.",
        "It expired, was used already, or another one was asked for later. Opening it changed nothing.",
        "Venceu, já foi usado, ou outro foi pedido depois. Abri-lo não mudou a sua senha.",
    ),
}
