"""Why a notification of the platform is not taken in."""

from ficha.core.errors import FichaError, Source


class Unsigned(FichaError):
    status = 401
    code = "firma_ausente"
    message = "Falta la firma de la plataforma."
    source = Source("header", "X-Hub-Signature-256")


class WronglySigned(FichaError):
    status = 403
    code = "firma_incorrecta"
    message = "La firma no corresponde a lo que llegó."
    source = Source("header", "X-Hub-Signature-256")
