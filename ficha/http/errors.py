"""Errors as JSON, their sentences in the caller's language. No text of a stack, a database or a provider gets in."""

from collections.abc import Mapping
from types import MappingProxyType

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ficha.asgi.faults import fields_error
from ficha.core.errors import FichaError, Problem
from ficha.fmd.faults import OWN_FAULTS, InvalidDocument
from ficha.http.envelope import Reply
from ficha.http.languages import preferred_language

# Faults that our own field types raise with a sentence of theirs, for whoever lists all codes.
OWN_FAULT_TYPES = OWN_FAULTS | {
    "caracteres_invalidos",
    "una_linea",
    "correo_invalido",
    "correo_o_telefono",
    "directo_sin_clave",
    "un_solo_uso",
    "telefono_invalido",
    "falta_clave",
    "falta_codigo",
    "falta_prefijo",
    "enlace_invalido",
    "ruta_invalida",
}


def json_error(request: Request, error: FichaError) -> Response:
    if isinstance(error, InvalidDocument):  # The domain names the faults; the sentences are in asgi/faults.py.
        error = fields_error([{**fault, "loc": ("body", *fault["loc"])} for fault in error.faults])
    return problems_response(request, error.problems, error.status, error.headers)


def problems_response(
    request: Request, problems: list[Problem], status: int, headers: Mapping[str, str] = MappingProxyType({})
) -> Response:
    """`code` is the same in every language; `detail` is in the one that `Accept-Language` asks for."""
    parts = request.app.state.parts
    language = preferred_language(request.headers.get("accept-language", ""))
    reply = Reply(parts.settings, parts.clock.now(), status)
    told = {"Content-Language": language.value, **headers}
    return JSONResponse(reply.errors(problems, language), status, headers=told)
