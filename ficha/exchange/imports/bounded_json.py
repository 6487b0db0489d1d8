"""JSON that a stranger wrote, read within bounds."""

from typing import Any

from pydantic_core import from_json

from ficha.core.errors import FichaError

MOST_BYTES = 5_000_000
MOST_DEPTH = 40
MOST_ENTRIES = 1_000
# Of one import, and as many that are not taken over: each is shown, kept, and decided about by a person.
MOST_FACTS = 2_000


class DocumentTooLarge(FichaError):
    status = 413
    code = "documento_demasiado_grande"
    message = "El documento es demasiado grande o está demasiado anidado para leerlo aquí."


class NotFhir(FichaError):
    status = 422
    code = "documento_no_reconocido"
    message = (
        "No es un resumen de salud que sepamos leer. Sirve un resumen internacional del paciente (FHIR), una tarjeta o "
        "un enlace SMART Health, o la foto de su código QR."
    )


def read_json(content: bytes | str) -> Any:
    """Raises DocumentTooLarge or NotFhir."""
    if len(content) > MOST_BYTES:
        raise DocumentTooLarge
    try:
        found = from_json(content, allow_inf_nan=False, cache_strings="none")
    except (ValueError, RecursionError):  # It stops at two hundred levels by itself.
        raise NotFhir from None
    _check_depth(found)
    return found


def _check_depth(found: Any) -> None:
    """Level by level: nothing here calls itself."""
    level = [found]
    for _ in range(MOST_DEPTH):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return
    raise DocumentTooLarge
