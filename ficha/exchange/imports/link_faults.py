"""Why a Health Link of somebody else brought nothing: each a sentence that its owner can act on. None of them is ours
to mend by asking again: a passcode has few tries, and a link may open once."""

from ficha.core.errors import FichaError, Problem, Sentence

MOST_WAIT_SECONDS = 3600


class PasscodeNeeded(FichaError):
    status = 422
    code = "enlace_pide_clave"
    message = "Ese enlace pide una clave. Escriba la que le dieron con él."


class PasscodeWrong(FichaError):
    status = 422
    code = "clave_de_enlace_incorrecta"
    message = "Esa no es la clave de ese enlace. Después de unos pocos intentos deja de abrir."

    def __init__(self, detail: str) -> None:
        super().__init__(self.message)
        self.detail = detail

    @property
    def problems(self) -> list[Problem]:
        return [Problem(self.code, self.detail)]


def wrong_passcode(left: int | None) -> PasscodeWrong:
    """`left`: the tries that its server says are left, if it says so."""
    if left is None:
        return PasscodeWrong(PasscodeWrong.message)
    if left <= 0:
        return PasscodeWrong(Sentence("Esa no es la clave de ese enlace, y ya no quedan intentos. Pida otro enlace."))
    return PasscodeWrong(
        Sentence("Esa no es la clave de ese enlace. Intentos que quedan antes de que deje de abrir: {left}.", left=left)
    )


class HealthLinkGone(FichaError):
    status = 422
    code = "enlace_sin_efecto"
    message = "Ese enlace ya no abre nada: terminó, ya se usó o se bloqueó. Pida otro a quien se lo dio."


class HealthLinkAddressRefused(FichaError):
    status = 422
    code = "direccion_de_enlace_no_admitida"
    message = "Ese enlace lleva a una dirección a la que no llamamos: debe ser pública y con TLS (https)."


class HealthLinkHostAway(FichaError):
    status = 503
    code = "servidor_de_enlace_no_responde"
    message = "El servidor de ese enlace no responde, o tarda demasiado. Vuelva a probar más tarde."
    headers = {"Retry-After": "60"}  # noqa: RUF012


class HealthLinkHostBusy(FichaError):
    status = 503
    code = "servidor_de_enlace_ocupado"
    message = "El servidor de ese enlace pide esperar antes de abrirlo otra vez. Vuelva a probar en unos minutos."

    def __init__(self, retry_after: str) -> None:
        """`retry_after`: what that server says, in seconds."""
        super().__init__(self.message)
        seconds = int(retry_after) if retry_after.isascii() and retry_after.isdecimal() else 60
        self.headers = {"Retry-After": str(min(max(1, seconds), MOST_WAIT_SECONDS))}


class HealthLinkAnswerInvalid(FichaError):
    status = 422
    code = "respuesta_de_enlace_invalida"
    message = "El servidor de ese enlace no contestó como debe un enlace SMART Health. Avise a quien se lo dio."


class HealthLinkFileAltered(FichaError):
    status = 422
    code = "archivo_de_enlace_alterado"
    message = "La llave de ese enlace no abre su archivo: alguien lo cambió, o está dañado. Pida otro enlace."


class HealthLinkEmpty(FichaError):
    status = 422
    code = "enlace_sin_documentos"
    message = "Ese enlace no trae nada que sepamos leer: ni un resumen de paciente (FHIR) ni una tarjeta SMART Health."
