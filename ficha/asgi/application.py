"""The application: Starlette's, with what this package asks of whoever builds it."""

from collections.abc import Callable
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.errors import ServerErrorMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from ficha.core.db import Unavailable, is_unavailable
from ficha.core.errors import FichaError, NotFound

ErrorResponse = Callable[[Request, FichaError], Response]


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

    def __init__(self, allowed: str) -> None:
        super().__init__(self.message)
        self.headers = {"Allow": allowed}


class Application(Starlette):
    """`error_response` makes the answer for an error. `checks_answers`: whether every answer is held against what its
    operation promises, as in tests. `takes_one_writer`: whether the database does, as SQLite."""

    # The OpenAPI document, for whoever shows it.
    openapi: Callable[[], dict[str, Any]]

    def __init__(
        self,
        error_response: ErrorResponse,
        *,
        checks_answers: bool = False,
        takes_one_writer: bool = False,
        **starlette: Any,
    ) -> None:
        super().__init__(exception_handlers={FichaError: _on_error, HTTPException: _on_http_error}, **starlette)
        self.router.redirect_slashes = False
        self.error_response = error_response
        self.checks_answers = checks_answers
        self.takes_one_writer = takes_one_writer

    def build_middleware_stack(self) -> ASGIApp:
        """Starlette's, without the outermost, which answers crashes: the frame does."""
        outermost = super().build_middleware_stack()
        assert isinstance(outermost, ServerErrorMiddleware)
        return outermost.app


def error_response(request: Request, error: FichaError) -> Response:
    app: Application = request.app
    return app.error_response(request, error)


def told_error(error: Exception) -> FichaError:
    """What a caller is told: a refusal as it is, a database that does not answer, or a bug of ours."""
    if isinstance(error, FichaError):
        return error
    return Unavailable() if is_unavailable(error) else InternalError()


async def _on_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, FichaError)
    return error_response(request, error)


async def _on_http_error(request: Request, error: Exception) -> Response:
    """Starlette's own: no route for this address."""
    assert isinstance(error, HTTPException)
    return error_response(request, NotFound() if error.status_code == 404 else BadRequest())
