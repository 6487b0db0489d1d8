"""Calls to the platform while a caller waits: no transaction is held meanwhile, and its errors become ours."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from starlette.requests import Request

from ficha.asgi.bodies import SAFE_METHODS
from ficha.channels.errors import OutcomeUnknown, Refused, RetryLater, TooSlow
from ficha.channels.whatsapp.error_codes import Remedy, WhatsAppError
from ficha.channels.whatsapp.media import WrongHash
from ficha.core.errors import FichaError, Problem, Sentence

# What an operation that calls the platform may answer besides its own errors.
PLATFORM_ERRORS = (422, 502, 504)


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


class PlatformRefusedValue(PlatformRefused):
    """The platform is well and we may ask it: what the caller sent is what it does not accept."""

    status = 422
    code = "plataforma_no_acepta"


class PlatformNotNow(PlatformRefused):
    """It was asked for too often, or too soon after something else."""

    status = 409
    code = "plataforma_ahora_no"


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


# What the platform refuses because of what the caller sent, by its remedy and HTTP status. All else is ours to mend.
CALLERS_FAULTS: Mapping[tuple[Remedy, int], type[PlatformRefused]] = {
    (Remedy.FIX_REQUEST, 400): PlatformRefusedValue,
    (Remedy.FIX_REQUEST, 422): PlatformRefusedValue,
    (Remedy.WAIT_LONG, 400): PlatformNotNow,
}


@contextmanager
def platform_call(request: Request) -> Iterator[None]:
    """Around every call to the platform that a caller waits for: closes the request's transaction first."""
    request.state.transaction.close()
    with translated_platform_errors(has_input=request.method not in SAFE_METHODS):
        yield


@contextmanager
def translated_platform_errors(*, has_input: bool = True) -> Iterator[None]:
    """Raises PlatformRefused or its kin, FileAltered, PlatformTimeout, PlatformFailed or PlatformUnreachable for the
    channel's. Without input of the caller's, what the platform refuses is our own doing."""
    try:
        yield
    except WhatsAppError as refusal:
        raise _refused(refusal, has_input) from refusal
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


def _refused(refusal: WhatsAppError, has_input: bool) -> PlatformRefused:
    number = "" if refusal.code is None else f" (código {refusal.code})"
    said = f"{refusal.meaning.removesuffix('.')}{number}."
    kind = CALLERS_FAULTS.get((refusal.remedy, refusal.status), PlatformRefused) if has_input else PlatformRefused
    told = Sentence("La plataforma no aceptó la petición (código {code}).", spanish=said, code=refusal.code or "—")
    error = kind(told)
    if refusal.retry_after is not None:
        error.headers = {"Retry-After": str(max(1, round(refusal.retry_after)))}
    return error
