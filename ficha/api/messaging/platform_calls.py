"""Calls to the platform while a caller waits: no transaction is held meanwhile, and its errors become ours."""

from collections.abc import Iterator
from contextlib import contextmanager

from starlette.requests import Request

from ficha.channels.errors import OutcomeUnknown, Refused, RetryLater, TooSlow
from ficha.channels.whatsapp import WhatsAppError, WrongHash
from ficha.core.errors import FichaError, Problem

# What an operation that calls the platform may answer besides its own errors.
PLATFORM_ERRORS = (502, 504)


class PlatformRefused(FichaError):
    """The sentence is ours; the platform's own text never reaches the caller."""

    status = 502
    code = "plataforma_rechazo"
    message = "La plataforma no aceptó la petición."

    def __init__(self, sentence: str) -> None:
        super().__init__(self.message)
        self._sentence = sentence

    @property
    def problems(self) -> list[Problem]:
        return [Problem(self.code, self._sentence)]


class PlatformUnreachable(FichaError):
    status = 502
    code = "plataforma_no_responde"
    message = "No se pudo hablar con la plataforma; no recibió la petición. Intente de nuevo en un momento."


class PlatformFailed(FichaError):
    status = 502
    code = "plataforma_fallo"
    message = "La plataforma falló. Puede haber hecho lo que se le pidió: compruébelo antes de repetir."
    may_have_acted = True


class PlatformTimeout(FichaError):
    status = 504
    code = "plataforma_lenta"
    message = "La plataforma no contestó a tiempo. Puede haber hecho lo que se le pidió: compruébelo antes de repetir."
    may_have_acted = True


class FileAltered(FichaError):
    status = 502
    code = "archivo_alterado"
    message = "Lo que entregó la plataforma no es el archivo que anunció. Intente de nuevo."


@contextmanager
def platform_call(request: Request) -> Iterator[None]:
    """Around every call to the platform that a caller waits for: closes the request's transaction first."""
    request.state.transaction.close()
    with translated_platform_errors():
        yield


@contextmanager
def translated_platform_errors() -> Iterator[None]:
    """Raises PlatformRefused, FileAltered, PlatformTimeout, PlatformFailed or PlatformUnreachable for the channel's."""
    try:
        yield
    except WhatsAppError as refusal:
        raise _refused(refusal) from refusal
    except WrongHash as wrong:
        raise FileAltered from wrong
    except TooSlow as silence:
        raise PlatformTimeout from silence
    except OutcomeUnknown as failure:
        raise PlatformFailed from failure
    except RetryLater as silence:
        raise PlatformUnreachable from silence
    except Refused as refusal:
        raise PlatformRefused(PlatformRefused.message) from refusal


def _refused(refusal: WhatsAppError) -> PlatformRefused:
    number = "" if refusal.code is None else f" (código {refusal.code})"
    error = PlatformRefused(f"{refusal.meaning.removesuffix('.')}{number}.")
    if refusal.retry_after is not None:
        error.headers = {"Retry-After": str(max(1, round(refusal.retry_after)))}
    return error
