"""Turns errors into our error body. No text of a stack, a database or a provider gets into it."""

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from ficha.core.errors import FichaError, InvalidFields, NotFound, Problem, Source
from ficha.core.unavailable import Unavailable, is_unavailable
from ficha.fmd.faults import OWN_FAULTS, InvalidDocument
from ficha.http.envelope import Reply

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
    "finite_number": ("fuera_de_rango", "Debe ser un número finito."),
    "too_long": ("muy_largo", "Debe tener como máximo {max_length} elementos."),
    "too_short": ("muy_corto", "Debe tener al menos {min_length} elementos."),
    "datetime_type": ("tipo_invalido", "Debe ser una fecha y hora, como 2026-11-15T12:00:00+00:00."),
    "datetime_parsing": ("formato_invalido", "Debe ser una fecha y hora, como 2026-11-15T12:00:00+00:00."),
    "datetime_from_date_parsing": ("formato_invalido", "Debe ser una fecha y hora, como 2026-11-15T12:00:00+00:00."),
    "timezone_aware": ("formato_invalido", "La hora debe llevar su diferencia con UTC, como +00:00."),
}


class InternalError(FichaError):
    """Always a bug of ours."""

    status = 500
    code = "error_interno"
    message = "Algo falló de nuestro lado. Quedó registrado; intente de nuevo en un momento."


class BadRequest(FichaError):
    status = 400
    code = "peticion_invalida"
    message = "La petición no se puede leer."


class MethodNotAllowed(FichaError):
    status = 405
    code = "metodo_no_permitido"
    message = "Esa dirección existe, pero no admite ese método."


def told_error(error: Exception) -> FichaError:
    """What a caller is told: a refusal as it is, a database that does not answer, or a bug of ours."""
    if isinstance(error, FichaError):
        return error
    return Unavailable() if is_unavailable(error) else InternalError()


def error_response(request: Request, error: FichaError) -> Response:
    """A page for a person with a browser, where pages are installed; JSON for everybody else."""
    page = getattr(request.app.state, "error_page", None)
    answer: Response | None = page(request, error) if page is not None else None
    if answer is not None:
        return answer
    if isinstance(error, InvalidDocument):  # The domain names the faults; the sentences are here.
        error = fields_error([{**fault, "loc": ("body", *fault["loc"])} for fault in error.faults])
    parts = request.app.state.parts
    reply = Reply(parts.settings, parts.clock.now(), error.status)
    return JSONResponse(reply.errors(error.problems), error.status, headers=dict(error.headers))


def fields_error(faults: Sequence[Mapping[str, Any]]) -> InvalidFields:
    """With the first of them: who corrects these is told the next."""
    return InvalidFields([_problem(fault) for fault in faults[:MOST_PROBLEMS]])


def _problem(fault: Mapping[str, Any]) -> Problem:
    place, *path = fault["loc"]
    context: Mapping[str, Any] = fault.get("ctx") or {}
    known = FAULT_SENTENCES.get(fault["type"])
    if known:
        code, detail = known[0], known[1].format(**context)
    elif fault["type"] in OWN_FAULT_TYPES:
        code, detail = fault["type"], fault["msg"]
    else:
        code, detail = OTHER_FAULT
    return Problem(code, detail, _source(str(place), path))


OTHER_FAULT = ("valor_invalido", "El valor no es válido.")
UNKNOWN_PARAMETER = ("parametro_desconocido", "Este parámetro no existe.")

# Faults that our own field types raise with a sentence of theirs.
OWN_FAULT_TYPES = OWN_FAULTS | {
    "caracteres_invalidos",
    "una_linea",
    "correo_invalido",
    "correo_o_telefono",
    "telefono_invalido",
    "falta_clave",
    "falta_codigo",
    "falta_prefijo",
    "enlace_invalido",
    "ruta_invalida",
}


def _source(place: str, path: Sequence[str | int]) -> Source:
    if place in ("query", "path"):
        return Source("parameter", _printable(path[0]) if path else "")
    if place == "header":
        return Source("header", str(path[0]))
    return Source("pointer", "".join(f"/{_escaped(step)}" for step in path))


def _escaped(step: str | int) -> str:
    """Escaped as RFC 6901 says, and cut: a name that a caller invented may have any length."""
    return _printable(step).replace("~", "~0").replace("/", "~1")


def _printable(step: str | int) -> str:
    return str(step)[:200].encode("utf-8", "replace").decode()


def install_error_handlers(app: FastAPI) -> None:
    """For errors outside operations: unknown addresses, wrong methods, pages."""

    def on_ficha_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, FichaError)
        return error_response(request, error)

    def on_validation_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return error_response(request, fields_error(error.errors()))

    def on_http_exception(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if error.status_code == 405:
            refusal = MethodNotAllowed()
            refusal.headers = dict(error.headers or {})
            return error_response(request, refusal)
        known = {404: NotFound, 500: InternalError}
        return error_response(request, known.get(error.status_code, BadRequest)())

    def on_crash(request: Request, error: Exception) -> Response:
        return error_response(request, told_error(error))  # The frame writes it to the log.

    app.add_exception_handler(Exception, on_crash)
    app.add_exception_handler(FichaError, on_ficha_error)
    app.add_exception_handler(RequestValidationError, on_validation_error)
    app.add_exception_handler(HTTPException, on_http_exception)
