"""The mails that accounts send, in the reader's language. They say what to do and nothing about health."""

from dataclasses import dataclass

from ficha.accounts.accounts import Idioma
from ficha.core.plain_names import plain_name


@dataclass(frozen=True)
class MailText:
    subject: str
    text: str

    def filled(self, **values: str) -> "MailText":
        return MailText(self.subject.format(**values), self.text.format(**values))


ACCOUNT_HOLDER = {Idioma.ES: "titular de la cuenta", Idioma.EN: "account holder", Idioma.PT: "titular da conta"}


def greeted(nombre: str, idioma: str) -> str:
    """How a mail calls the person of an account: anybody may have typed anything as a name."""
    return plain_name(nombre) or ACCOUNT_HOLDER[Idioma(idioma)]


CODE = {
    Idioma.ES: MailText(
        "{codigo} es su código de Ficha",
        "Hola, {nombre}.\n\nSu código es {codigo}. Sirve durante {minutos} minutos.\n\n"
        "Si usted no lo pidió, no haga nada: nadie puede usarlo sin su sesión.\n",
    ),
    Idioma.EN: MailText(
        "{codigo} is your Ficha code",
        "Hello, {nombre}.\n\nYour code is {codigo}. It works for {minutos} minutes.\n\n"
        "If you did not ask for it, do nothing: nobody can use it without your session.\n",
    ),
    Idioma.PT: MailText(
        "{codigo} é o seu código do Ficha",
        "Olá, {nombre}.\n\nO seu código é {codigo}. Vale por {minutos} minutos.\n\n"
        "Se você não pediu, não faça nada: ninguém pode usá-lo sem a sua sessão.\n",
    ),
}

RECOVERY = {
    Idioma.ES: MailText(
        "Elija una clave nueva",
        "Hola, {nombre}.\n\nPara elegir una clave nueva, abra este enlace durante los próximos {minutos} minutos:\n\n"
        "{enlace}\n\nSi usted no lo pidió, ignore este mensaje: su clave sigue siendo la misma.\n",
    ),
    Idioma.EN: MailText(
        "Choose a new password",
        "Hello, {nombre}.\n\nTo choose a new password, open this link within the next {minutos} minutes:\n\n"
        "{enlace}\n\nIf you did not ask for it, ignore this message: your password has not changed.\n",
    ),
    Idioma.PT: MailText(
        "Escolha uma nova senha",
        "Olá, {nombre}.\n\nPara escolher uma nova senha, abra este link nos próximos {minutos} minutos:\n\n"
        "{enlace}\n\nSe você não pediu, ignore esta mensagem: a sua senha continua a mesma.\n",
    ),
}

CLAVE_CHANGED = {
    Idioma.ES: MailText(
        "Su clave cambió",
        "Hola, {nombre}.\n\nLa clave de su cuenta acaba de cambiar y se cerraron las demás sesiones.\n\n"
        "Si no fue usted, pida una clave nueva ahora mismo: {enlace}\n",
    ),
    Idioma.EN: MailText(
        "Your password was changed",
        "Hello, {nombre}.\n\nThe password of your account was just changed and other sessions were closed.\n\n"
        "If it was not you, ask for a new password right now: {enlace}\n",
    ),
    Idioma.PT: MailText(
        "A sua senha mudou",
        "Olá, {nombre}.\n\nA senha da sua conta acaba de mudar e as outras sessões foram encerradas.\n\n"
        "Se não foi você, peça uma nova senha agora: {enlace}\n",
    ),
}

# To the mailbox that the account had before: whoever took the account reads the new one.
CORREO_CHANGED = {
    Idioma.ES: MailText(
        "El correo de su cuenta cambió",
        "Hola, {nombre}.\n\nEl correo de su cuenta de Ficha acaba de cambiar, y ya no es este.\n\n"
        "Si fue usted, no haga nada. Si no fue usted, escríbanos ahora mismo desde este correo: {enlace}\n",
    ),
    Idioma.EN: MailText(
        "The e-mail of your account was changed",
        "Hello, {nombre}.\n\nThe e-mail of your Ficha account was just changed, and is no longer this one.\n\n"
        "If it was you, do nothing. If it was not you, write to us right now from this e-mail: {enlace}\n",
    ),
    Idioma.PT: MailText(
        "O e-mail da sua conta mudou",
        "Olá, {nombre}.\n\nO e-mail da sua conta do Ficha acaba de mudar e já não é este.\n\n"
        "Se foi você, não faça nada. Se não foi você, escreva para nós agora mesmo deste e-mail: {enlace}\n",
    ),
}

CLAIM = {
    Idioma.ES: MailText(
        "Confirme su etiqueta",
        "Hola, {nombre}.\n\nCon su cuenta se pidió una etiqueta por su código. Si la tiene usted, abra este enlace en "
        "las próximas {horas} horas y su QR empezará a funcionar:\n\n{enlace}\n\n"
        "Si escanea el QR al registrarla, no hace falta. Si usted no la pidió, no haga nada.\n",
    ),
    Idioma.EN: MailText(
        "Confirm your sticker",
        "Hello, {nombre}.\n\nA sticker was asked for by its code with your account. If you have it, open this link "
        "within the next {horas} hours and its QR begins to work:\n\n{enlace}\n\n"
        "It is not needed if you scan the QR when you register it. If you did not ask for it, do nothing.\n",
    ),
    Idioma.PT: MailText(
        "Confirme a sua etiqueta",
        "Olá, {nombre}.\n\nCom a sua conta foi pedida uma etiqueta pelo código. Se ela está com você, abra este link "
        "nas próximas {horas} horas e o QR começa a funcionar:\n\n{enlace}\n\n"
        "Se você escanear o QR ao registrá-la, não é preciso. Se não foi você, não faça nada.\n",
    ),
}

LOST = {
    Idioma.ES: MailText(
        "Apague una etiqueta perdida",
        "Hola, {nombre}.\n\nPara marcar una etiqueta como perdida, abra este enlace en los próximos {minutos} minutos. "
        "No hace falta entrar en su cuenta:\n\n{enlace}\n\nSi usted no lo pidió, no haga nada: todo sigue igual.\n",
    ),
    Idioma.EN: MailText(
        "Switch off a lost sticker",
        "Hello, {nombre}.\n\nTo mark a sticker as lost, open this link within the next {minutos} minutes. You need not "
        "log in:\n\n{enlace}\n\nIf you did not ask for it, do nothing: nothing has changed.\n",
    ),
    Idioma.PT: MailText(
        "Desligue uma etiqueta perdida",
        "Olá, {nombre}.\n\nPara marcar uma etiqueta como perdida, abra este link nos próximos {minutos} minutos. Não é "
        "preciso entrar na sua conta:\n\n{enlace}\n\nSe você não pediu, não faça nada: tudo continua igual.\n",
    ),
}

TEST = {
    Idioma.ES: MailText("Prueba de correo", "Hola, {nombre}.\n\nSi lee esto, el correo de Ficha funciona.\n"),
    Idioma.EN: MailText("Mail test", "Hello, {nombre}.\n\nIf you can read this, Ficha's mail works.\n"),
    Idioma.PT: MailText("Teste de correio", "Olá, {nombre}.\n\nSe você lê isto, o correio do Ficha funciona.\n"),
}
