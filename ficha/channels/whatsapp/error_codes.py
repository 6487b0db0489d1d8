"""The platform's error codes: what each means, what may be done about it, and its error answers as exceptions."""

import json
import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Any, NamedTuple

from ficha.channels.errors import Refused, RetryLater, RetryRule
from ficha.channels.whatsapp.json_checks import number_in


class Remedy(StrEnum):
    """What may be done about an error, by the letters of the platform's published table."""

    BACK_OFF = "b"  # Wait and try again.
    FEW_TIMES = "few"  # The same, but only a few times.
    RECIPIENT_LIMIT = "pair"  # Too many messages to one person: wait 4^n seconds.
    FIX_CREDENTIALS = "t"  # Get a new token.
    FIX_ACCOUNT = "p"  # A person must fix the account or a permission.
    FIX_REQUEST = "f"  # As it is, the request will always be refused.
    WAIT_LONG = "w"  # Wait for hours, or use another channel.
    SEND_TEMPLATE = "template"  # More than 24 hours since the person wrote.
    ASK_SENDER = "ask"  # Ask the person to send it again.
    REVIEW = "human"  # Somebody must look at this conversation.
    NEVER = "never"


# Only these errors end without anybody changing anything.
RETRY_RULES: Mapping[Remedy, RetryRule] = {
    Remedy.BACK_OFF: RetryRule.BACKOFF,
    Remedy.FEW_TIMES: RetryRule.FEW_TIMES,
    Remedy.RECIPIENT_LIMIT: RetryRule.RECIPIENT_LIMIT,
}


class KnownError(NamedTuple):
    remedy: Remedy
    meaning: str


# More than 24 hours since the person wrote.
WINDOW_CLOSED = 131047

CODES: Mapping[int, KnownError] = {
    0: KnownError(Remedy.FIX_CREDENTIALS, "La plataforma no reconoce nuestra credencial."),
    1: KnownError(Remedy.FEW_TIMES, "Error desconocido de la plataforma."),
    2: KnownError(Remedy.BACK_OFF, "La plataforma está fuera de servicio por unos minutos."),
    3: KnownError(Remedy.FIX_ACCOUNT, "Falta una capacidad o un permiso."),
    4: KnownError(Remedy.BACK_OFF, "La aplicación hizo demasiadas llamadas."),
    10: KnownError(Remedy.FIX_ACCOUNT, "El permiso no fue concedido o fue retirado."),
    17: KnownError(Remedy.BACK_OFF, "El usuario de la plataforma hizo demasiadas llamadas."),
    33: KnownError(Remedy.FIX_REQUEST, "El número de la empresa fue borrado."),
    100: KnownError(Remedy.FIX_REQUEST, "Un parámetro no es válido, o el objeto no existe para nuestra credencial."),
    104: KnownError(Remedy.FIX_CREDENTIALS, "La llamada llegó sin credencial."),
    190: KnownError(Remedy.FIX_CREDENTIALS, "La credencial venció, fue revocada o no se entiende."),
    368: KnownError(Remedy.WAIT_LONG, "La cuenta está bloqueada por una falta a las políticas."),
    613: KnownError(Remedy.BACK_OFF, "Se alcanzó un límite de llamadas propio."),
    803: KnownError(Remedy.FIX_REQUEST, "El objeto no existe."),
    2500: KnownError(Remedy.FIX_CREDENTIALS, "La llamada necesita una credencial."),
    80007: KnownError(Remedy.BACK_OFF, "La cuenta de WhatsApp hizo demasiadas llamadas."),
    80008: KnownError(Remedy.BACK_OFF, "La cuenta de WhatsApp hizo demasiadas llamadas de administración."),
    130429: KnownError(Remedy.BACK_OFF, "El número envía más mensajes por segundo de los permitidos."),
    130472: KnownError(Remedy.WAIT_LONG, "La persona está en un experimento de la plataforma; no se le envió."),
    130497: KnownError(Remedy.FIX_ACCOUNT, "La cuenta no puede escribir a ese país."),
    131000: KnownError(Remedy.FEW_TIMES, "Algo salió mal en la plataforma."),
    131005: KnownError(Remedy.FIX_ACCOUNT, "Acceso denegado."),
    131008: KnownError(Remedy.FIX_REQUEST, "Falta un parámetro obligatorio."),
    131009: KnownError(Remedy.FIX_REQUEST, "El valor de un parámetro no es válido."),
    131016: KnownError(Remedy.BACK_OFF, "El servicio no está disponible por ahora."),
    131021: KnownError(Remedy.FIX_REQUEST, "El destinatario es el mismo número que envía."),
    131026: KnownError(
        Remedy.FIX_REQUEST, "No se puede entregar: la persona no usa WhatsApp o su aplicación es muy antigua."
    ),
    131030: KnownError(Remedy.FIX_REQUEST, "El destinatario no está en la lista permitida del número de prueba."),
    131031: KnownError(Remedy.FIX_ACCOUNT, "La cuenta está bloqueada, o un dato como el PIN no coincide."),
    131037: KnownError(Remedy.FIX_ACCOUNT, "El nombre visible del número no está aprobado."),
    131042: KnownError(Remedy.FIX_ACCOUNT, "Hay un problema de pago con la cuenta."),
    131045: KnownError(Remedy.FIX_ACCOUNT, "El número debe registrarse de nuevo."),
    WINDOW_CLOSED: KnownError(
        Remedy.SEND_TEMPLATE, "Pasaron más de 24 horas desde su último mensaje: envíe una plantilla."
    ),
    131048: KnownError(Remedy.WAIT_LONG, "El número fue limitado porque se denunciaron mensajes suyos."),
    131049: KnownError(Remedy.WAIT_LONG, "La plataforma retuvo el mensaje; espere al menos 24 horas."),
    131050: KnownError(Remedy.NEVER, "La persona no quiere recibir publicidad."),
    131051: KnownError(Remedy.FIX_REQUEST, "Ese tipo de mensaje no existe para la plataforma."),
    131052: KnownError(Remedy.ASK_SENDER, "El archivo recibido no se pudo traer; pida que lo envíen de nuevo."),
    131053: KnownError(Remedy.FIX_REQUEST, "El archivo por enviar no se pudo traer o su tipo no corresponde."),
    131056: KnownError(Remedy.RECIPIENT_LIMIT, "Demasiados mensajes seguidos a la misma persona."),
    131057: KnownError(Remedy.BACK_OFF, "La cuenta está en mantenimiento por cerca de un minuto."),
    131062: KnownError(Remedy.FIX_REQUEST, "Este mensaje no se puede enviar a un identificador de usuario."),
    131063: KnownError(Remedy.FIX_REQUEST, "Aquí no se permite una plantilla de publicidad."),
    131064: KnownError(Remedy.FIX_ACCOUNT, "La cuenta fue limitada por clasificar mal sus plantillas."),
    132000: KnownError(Remedy.FIX_REQUEST, "La cantidad de variables no es la de la plantilla."),
    132001: KnownError(Remedy.FIX_REQUEST, "La plantilla no existe en ese idioma o no está aprobada."),
    132005: KnownError(Remedy.FIX_REQUEST, "La plantilla con sus variables resulta demasiado larga."),
    132007: KnownError(Remedy.FIX_REQUEST, "El contenido de la plantilla va contra las políticas."),
    132008: KnownError(Remedy.FIX_REQUEST, "El formato de una variable no corresponde."),
    132012: KnownError(Remedy.FIX_REQUEST, "El formato de una variable no corresponde."),
    132015: KnownError(Remedy.WAIT_LONG, "La plantilla está en pausa por su calidad."),
    132016: KnownError(Remedy.NEVER, "La plantilla fue desactivada por su calidad."),
    132068: KnownError(Remedy.FIX_REQUEST, "El flujo está bloqueado."),
    132069: KnownError(Remedy.BACK_OFF, "El flujo está limitado."),
    133000: KnownError(Remedy.FIX_REQUEST, "Una baja anterior del número quedó incompleta: repítala."),
    133004: KnownError(Remedy.BACK_OFF, "El servidor de registro no está disponible."),
    133005: KnownError(Remedy.FIX_REQUEST, "El PIN de dos pasos es incorrecto."),
    133006: KnownError(Remedy.FIX_REQUEST, "Primero hay que verificar el número."),
    133008: KnownError(Remedy.WAIT_LONG, "Demasiados intentos de PIN."),
    133009: KnownError(Remedy.WAIT_LONG, "Los intentos de PIN fueron muy seguidos."),
    133010: KnownError(Remedy.FIX_ACCOUNT, "El número no está registrado."),
    133015: KnownError(Remedy.WAIT_LONG, "El número se acaba de borrar: espere cinco minutos."),
    133016: KnownError(Remedy.WAIT_LONG, "Demasiados registros en 72 horas."),
    134011: KnownError(Remedy.FIX_ACCOUNT, "Faltan aceptar los términos de pago."),
    135000: KnownError(Remedy.FIX_REQUEST, "Un parámetro no es válido."),
    136024: KnownError(Remedy.WAIT_LONG, "No se puede pedir otro código por ahora."),
    137000: KnownError(Remedy.REVIEW, "La identidad de la persona cambió."),
}
PERMISSION = KnownError(Remedy.FIX_ACCOUNT, "Falta un permiso, o el recurso no está asignado.")


def known_error(code: int) -> KnownError | None:
    """What an error code means, in an answer or later in a `failed` status. None for a code we do not know."""
    return PERMISSION if 200 <= code <= 299 else CODES.get(code)


def error_by_status(status: int) -> KnownError:
    """What an answer without a known code means, by its HTTP status."""
    if status in (408, 425, 429) or status >= 500:
        return KnownError(Remedy.BACK_OFF, "La plataforma pide intentarlo más tarde.")
    if status == 401:
        return KnownError(Remedy.FIX_CREDENTIALS, "La plataforma no reconoce nuestra credencial.")
    if status == 403:
        return KnownError(Remedy.FIX_ACCOUNT, "La plataforma no lo permite.")
    if 300 <= status < 400:
        return KnownError(Remedy.FIX_ACCOUNT, "La dirección de la plataforma lleva a otro lugar.")
    return KnownError(Remedy.FIX_REQUEST, "La plataforma no acepta la petición.")


# A header with a typing error must not stop us for a year.
LONGEST_WAIT = 24 * 3600.0


class WhatsAppError(Exception):
    """An error answer: the request was certainly not accepted. The platform's own words may quote the request, so they
    are not kept."""

    def __init__(
        self, known: KnownError, *, status: int, code: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(f"whatsapp: HTTP {status}" if code is None else f"whatsapp: HTTP {status}, code {code}")
        self.remedy: Remedy = known.remedy
        self.meaning = known.meaning
        self.status = status
        self.code = code
        self.retry_after = retry_after


class WhatsAppRetryLater(WhatsAppError, RetryLater):
    """It may succeed later without any change."""

    @property
    def rule(self) -> RetryRule:
        return RETRY_RULES[self.remedy]


class WhatsAppRefused(WhatsAppError, Refused):
    """As it is, it will not be accepted."""

    @property
    def is_about_our_credentials(self) -> bool:
        return self.remedy is Remedy.FIX_CREDENTIALS


def platform_error(status: int, error: Mapping[str, Any], headers: Mapping[str, str]) -> WhatsAppError:
    """The exception for an answer with this `error` object, in which anything may be missing."""
    code = number_in(error.get("code"))
    known = None if code is None else known_error(code)
    if known is None:
        known = error_by_status(503 if error.get("is_transient") is True else status)
    kind = WhatsAppRetryLater if known.remedy in RETRY_RULES else WhatsAppRefused
    return kind(known, status=status, code=code, retry_after=wait_of(headers))


def wait_of(headers: Mapping[str, str]) -> float | None:
    """Seconds until we may try again, if the answer says so. Header names in lower case."""
    waits = [wait for wait in (_retry_after(headers), _regain_access(headers)) if wait is not None]
    return min(max(waits), LONGEST_WAIT) if waits else None


def _retry_after(headers: Mapping[str, str]) -> float | None:
    text = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        return float(text)
    # A date is compared with the answer's own date, because our clock may differ.
    try:
        wait = parsedate_to_datetime(text) - parsedate_to_datetime(headers.get("date", ""))
    except (ValueError, TypeError, OverflowError):
        return None
    return max(0.0, wait.total_seconds())


def _regain_access(headers: Mapping[str, str]) -> float | None:
    """`{"<id>": [{"estimated_time_to_regain_access": 19}]}`, in minutes."""
    try:
        usage = json.loads(headers.get("x-business-use-case-usage", "null"))
    except (ValueError, RecursionError):
        return None
    lists = usage.values() if isinstance(usage, dict) else ()
    entries = [entry for each in lists if isinstance(each, list) for entry in each if isinstance(entry, dict)]
    minutes = [number_in(entry.get("estimated_time_to_regain_access")) for entry in entries]
    longest = max((number for number in minutes if number), default=0)
    return min(longest * 60.0, LONGEST_WAIT) if 0 < longest < 10**9 else None
