"""The platform's error codes: what each means, and what may be done about it."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class Retry(StrEnum):
    B = "b"  # Back off and try again.
    FEW = "few"  # The same, a few times only.
    PAIR = "pair"  # Too much to one person: wait 4^n seconds.
    T = "t"  # Get a new token.
    P = "p"  # A person must fix the account or a permission.
    F = "f"  # Fix the request; as it is, it will never do.
    W = "w"  # Wait long, or take another way.
    TEMPLATE = "template"  # The window is closed: send a template.
    ASK = "ask"  # Ask the user to send it again.
    HUMAN = "human"  # Somebody must look at this conversation.
    NEVER = "never"  # Nothing will help.


# Only these come right by themselves.
PASSING = frozenset({Retry.B, Retry.FEW, Retry.PAIR})


class Code(NamedTuple):
    retry: Retry
    meaning: str


B, FEW, PAIR, T, P, F, W, TEMPLATE, ASK, HUMAN, NEVER = Retry

CODES: Mapping[int, Code] = {
    0: Code(T, "La plataforma no reconoce nuestra credencial."),
    1: Code(FEW, "Error desconocido de la plataforma."),
    2: Code(B, "La plataforma está fuera de servicio por unos minutos."),
    3: Code(P, "Falta una capacidad o un permiso."),
    4: Code(B, "La aplicación hizo demasiadas llamadas."),
    10: Code(P, "El permiso no fue concedido o fue retirado."),
    17: Code(B, "El usuario de la plataforma hizo demasiadas llamadas."),
    33: Code(F, "El número de la empresa fue borrado."),
    100: Code(F, "Un parámetro no es válido, o el objeto no existe para nuestra credencial."),
    104: Code(T, "La llamada llegó sin credencial."),
    190: Code(T, "La credencial venció, fue revocada o no se entiende."),
    368: Code(W, "La cuenta está bloqueada por una falta a las políticas."),
    613: Code(B, "Se alcanzó un límite de llamadas propio."),
    803: Code(F, "El objeto no existe."),
    2500: Code(T, "La llamada necesita una credencial."),
    80007: Code(B, "La cuenta de WhatsApp hizo demasiadas llamadas."),
    80008: Code(B, "La cuenta de WhatsApp hizo demasiadas llamadas de administración."),
    130429: Code(B, "El número envía más mensajes por segundo de los permitidos."),
    130472: Code(W, "La persona está en un experimento de la plataforma; no se le envió."),
    130497: Code(P, "La cuenta no puede escribir a ese país."),
    131000: Code(FEW, "Algo salió mal en la plataforma."),
    131005: Code(P, "Acceso denegado."),
    131008: Code(F, "Falta un parámetro obligatorio."),
    131009: Code(F, "El valor de un parámetro no es válido."),
    131016: Code(B, "El servicio no está disponible por ahora."),
    131021: Code(F, "El destinatario es el mismo número que envía."),
    131026: Code(F, "No se puede entregar: la persona no usa WhatsApp o su aplicación es muy antigua."),
    131030: Code(F, "El destinatario no está en la lista permitida del número de prueba."),
    131031: Code(P, "La cuenta está bloqueada, o un dato como el PIN no coincide."),
    131037: Code(P, "El nombre visible del número no está aprobado."),
    131042: Code(P, "Hay un problema de pago con la cuenta."),
    131045: Code(P, "El número debe registrarse de nuevo."),
    131047: Code(TEMPLATE, "Pasaron más de 24 horas desde su último mensaje: envíe una plantilla."),
    131048: Code(W, "El número fue limitado porque se denunciaron mensajes suyos."),
    131049: Code(W, "La plataforma retuvo el mensaje; espere al menos 24 horas."),
    131050: Code(NEVER, "La persona no quiere recibir publicidad."),
    131051: Code(F, "Ese tipo de mensaje no existe para la plataforma."),
    131052: Code(ASK, "El archivo recibido no se pudo traer; pida que lo envíen de nuevo."),
    131053: Code(F, "El archivo por enviar no se pudo traer o su tipo no corresponde."),
    131056: Code(PAIR, "Demasiados mensajes seguidos a la misma persona."),
    131057: Code(B, "La cuenta está en mantenimiento por cerca de un minuto."),
    131062: Code(F, "Este mensaje no se puede enviar a un identificador de usuario."),
    131063: Code(F, "Aquí no se permite una plantilla de publicidad."),
    131064: Code(P, "La cuenta fue limitada por clasificar mal sus plantillas."),
    132000: Code(F, "La cantidad de variables no es la de la plantilla."),
    132001: Code(F, "La plantilla no existe en ese idioma o no está aprobada."),
    132005: Code(F, "La plantilla con sus variables resulta demasiado larga."),
    132007: Code(F, "El contenido de la plantilla va contra las políticas."),
    132008: Code(F, "El formato de una variable no corresponde."),
    132012: Code(F, "El formato de una variable no corresponde."),
    132015: Code(W, "La plantilla está en pausa por su calidad."),
    132016: Code(NEVER, "La plantilla fue desactivada por su calidad."),
    132068: Code(F, "El flujo está bloqueado."),
    132069: Code(B, "El flujo está limitado."),
    133000: Code(F, "Una baja anterior del número quedó incompleta: repítala."),
    133004: Code(B, "El servidor de registro no está disponible."),
    133005: Code(F, "El PIN de dos pasos es incorrecto."),
    133006: Code(F, "Primero hay que verificar el número."),
    133008: Code(W, "Demasiados intentos de PIN."),
    133009: Code(W, "Los intentos de PIN fueron muy seguidos."),
    133010: Code(P, "El número no está registrado."),
    133015: Code(W, "El número se acaba de borrar: espere cinco minutos."),
    133016: Code(W, "Demasiados registros en 72 horas."),
    134011: Code(P, "Faltan aceptar los términos de pago."),
    135000: Code(F, "Un parámetro no es válido."),
    136024: Code(W, "No se puede pedir otro código por ahora."),
    137000: Code(HUMAN, "La identidad de la persona cambió."),
}
PERMISSION = Code(P, "Falta un permiso, o el recurso no está asignado.")


def code_of(code: int) -> Code | None:
    """Also for the codes that come later, in a `failed` status."""
    return PERMISSION if 200 <= code <= 299 else CODES.get(code)


def by_status(status: int) -> Code:
    """Where there is no code, or none we know, the HTTP status decides."""
    if status in (408, 425, 429) or status >= 500:
        return Code(B, "La plataforma pide intentarlo más tarde.")
    if status == 401:
        return Code(T, "La plataforma no reconoce nuestra credencial.")
    if status == 403:
        return Code(P, "La plataforma no lo permite.")
    if 300 <= status < 400:
        return Code(P, "La dirección de la plataforma lleva a otro lugar.")
    return Code(F, "La plataforma no acepta la petición.")
