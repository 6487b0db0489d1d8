"""What is wrong with the values of a request, in our codes and in sentences for people."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from pydantic_core.core_schema import ErrorType

from ficha.core.errors import InvalidFields, Problem, Sentence, Source

# How many an answer tells, so that no request can make it long.
MOST_PROBLEMS = 20

# Pydantic's name for a fault: our code for it, and the sentence for people.
FAULT_SENTENCES: Mapping[str, tuple[str, str]] = {
    "missing": ("falta", "Este campo es obligatorio."),
    "extra_forbidden": ("campo_desconocido", "Este campo no existe. Revise cómo está escrito."),
    "string_type": ("tipo_invalido", "Debe ser un texto."),
    "string_unicode": ("texto_invalido", "El texto lleva caracteres que no son Unicode válido."),
    "string_too_short": ("muy_corto", "Debe tener al menos {min_length} caracteres."),
    "string_too_long": ("muy_largo", "Debe tener como máximo {max_length} caracteres."),
    "string_pattern_mismatch": ("formato_invalido", "No tiene el formato esperado."),
    "bool_type": ("tipo_invalido", "Debe ser verdadero o falso."),
    "bool_parsing": ("tipo_invalido", "Debe ser verdadero o falso."),
    "int_type": ("tipo_invalido", "Debe ser un número entero."),
    "int_parsing": ("tipo_invalido", "Debe ser un número entero."),
    "int_parsing_size": ("fuera_de_rango", "El número es demasiado grande."),
    "int_from_float": ("tipo_invalido", "Debe ser un número entero."),
    "greater_than": ("fuera_de_rango", "Debe ser mayor que {gt}."),
    "greater_than_equal": ("fuera_de_rango", "Debe ser {ge} o más."),
    "less_than": ("fuera_de_rango", "Debe ser menor que {lt}."),
    "less_than_equal": ("fuera_de_rango", "Debe ser {le} o menos."),
    "enum": ("valor_desconocido", "Debe ser uno de: {expected}."),
    "literal_error": ("valor_desconocido", "Debe ser uno de: {expected}."),
    "model_type": ("tipo_invalido", "Debe ser un objeto."),
    "model_attributes_type": ("tipo_invalido", "Debe ser un objeto JSON."),
    "dict_type": ("tipo_invalido", "Debe ser un objeto."),
    "list_type": ("tipo_invalido", "Debe ser una lista."),
    "float_type": ("tipo_invalido", "Debe ser un número."),
    "float_parsing": ("tipo_invalido", "Debe ser un número."),
    "finite_number": ("fuera_de_rango", "Debe ser un número finito."),
    "too_long": ("muy_largo", "Debe tener como máximo {max_length} elementos."),
    "too_short": ("muy_corto", "Debe tener al menos {min_length} elementos."),
    "datetime_type": ("tipo_invalido", "Debe ser una fecha y hora, como 2026-11-15T12:00:00+00:00."),
    "datetime_parsing": ("formato_invalido", "Debe ser una fecha y hora, como 2026-11-15T12:00:00+00:00."),
    "datetime_from_date_parsing": ("formato_invalido", "Debe ser una fecha y hora, como 2026-11-15T12:00:00+00:00."),
    "timezone_aware": ("formato_invalido", "La hora debe llevar su diferencia con UTC, como +00:00."),
}
OTHER_FAULT = ("valor_invalido", "El valor no es válido.")
UNKNOWN_PARAMETER = ("parametro_desconocido", "Este parámetro no existe.")
REPEATED_PARAMETER = ("parametro_repetido", "Este parámetro llegó más de una vez.")
PYDANTIC_FAULTS = frozenset(get_args(ErrorType))


def fields_error(faults: Sequence[Mapping[str, Any]]) -> InvalidFields:
    """With the first of them: who corrects these is told the next."""
    return InvalidFields([_problem(fault) for fault in faults[:MOST_PROBLEMS]])


def _problem(fault: Mapping[str, Any]) -> Problem:
    where, *path = fault["loc"]
    context: Mapping[str, Any] = _with_plain_choices(fault.get("ctx") or {})
    known = FAULT_SENTENCES.get(fault["type"])
    detail: str
    if known:
        code, detail = known[0], Sentence(known[1], **context)
    elif fault["type"] not in PYDANTIC_FAULTS:  # One of our field types raised it, with a sentence of its own.
        code, detail = fault["type"], context.get("text", fault["msg"])
    else:
        code, detail = OTHER_FAULT
    return Problem(code, detail, _source(str(where), path))


def _with_plain_choices(context: Mapping[str, Any]) -> Mapping[str, Any]:
    """Pydantic says what was expected in English, as Python writes it: `'open', 'closed' or 'canceled'`."""
    if "expected" not in context:
        return context
    return {**context, "expected": context["expected"].replace("'", "").replace(" or ", ", ")}


def _source(where: str, path: Sequence[str | int]) -> Source:
    if where in ("query", "path"):
        return Source("parameter", _printable(path[0]) if path else "")
    if where == "header":
        return Source("header", str(path[0]))
    return Source("pointer", "".join(f"/{_escaped(step)}" for step in path))


def _escaped(step: str | int) -> str:
    """Escaped as RFC 6901 says, and cut: a name that a caller invented may have any length."""
    return _printable(step).replace("~", "~0").replace("/", "~1")


def _printable(step: str | int) -> str:
    return str(step)[:200].encode("utf-8", "replace").decode()
