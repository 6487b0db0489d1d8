"""Errors as JSON. No text of a stack, a database or a provider gets into it."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ficha.asgi.faults import fields_error
from ficha.core.errors import FichaError
from ficha.fmd.faults import OWN_FAULTS, InvalidDocument
from ficha.http.envelope import Reply

# Faults that our own field types raise with a sentence of theirs, for whoever lists all codes.
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


def json_error(request: Request, error: FichaError) -> Response:
    if isinstance(error, InvalidDocument):  # The domain names the faults; the sentences are in asgi/faults.py.
        error = fields_error([{**fault, "loc": ("body", *fault["loc"])} for fault in error.faults])
    parts = request.app.state.parts
    reply = Reply(parts.settings, parts.clock.now(), error.status)
    return JSONResponse(reply.errors(error.problems), error.status, headers=dict(error.headers))
