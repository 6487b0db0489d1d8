"""What the platform answered, or why it did not, as an answer of ours.

Whoever calls with a token of the platform, or with none, is a client of the platform and gets its bytes, errors too.
A member of staff calls with a token of ours and gets our error body, whose `code` is the platform's own sentence."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ficha.api.messaging.platform_calls import PlatformFailed, PlatformTimeout, PlatformUnreachable
from ficha.channels.chatwoot.address import PlatformAnswer
from ficha.channels.chatwoot.client import NoPlatform, PlatformBusy, RedirectRefused
from ficha.channels.errors import NotSent, OutcomeUnknown, Refused, RetryLater, TooSlow
from ficha.core.errors import FichaError, Problem, Source
from ficha.core.log import log
from ficha.http.errors import problems_response

# After a failure that does not say when to come back, in seconds.
COME_BACK = 5
# A sentence of the platform's own, without anything that somebody wrote to it.
FIXED_SENTENCE = re.compile(r"[A-Za-z][A-Za-z0-9 ]{2,79}")
# The framework's words for what has no sentence.
CODES = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    413: "payload_too_large",
    415: "unsupported_media_type",
    422: "unprocessable_entity",
    429: "retry_later",
    500: "internal_server_error",
}
SENTENCES = {
    400: "La plataforma de conversaciones no entiende esta petición. Revise lo que envía.",
    403: "La plataforma de conversaciones no permite esto.",
    404: "La plataforma de conversaciones no tiene eso.",
    413: "Es demasiado grande para la plataforma de conversaciones.",
    415: "La plataforma de conversaciones no acepta este tipo de contenido.",
    422: "La plataforma de conversaciones no aceptó este valor.",
    429: "La plataforma de conversaciones recibe demasiadas peticiones. Espere un momento.",
    502: "La plataforma de conversaciones rechazó nuestra petición. Avise a quien la administra.",
}


class ConversationsBusy(FichaError):
    status = 504
    code = "plataforma_ocupada"
    message = "Hay demasiadas peticiones a la plataforma; no recibió esta. Intente de nuevo en un momento."


class ConversationsRedirected(FichaError):
    status = 502
    code = "plataforma_redirige"
    message = "La plataforma envía a otra dirección, y no se siguió. Avise a quien la administra."


class NoConversations(FichaError):
    status = 502
    code = "sin_plataforma"
    message = "No hay ninguna plataforma de conversaciones configurada."


@contextmanager
def translated_channel_errors() -> Iterator[None]:
    """Raises errors with a Retry-After in place of the channel's."""
    try:
        yield
    except RetryLater as failure:
        error = _error_for(failure)
        error.headers = {"Retry-After": str(max(1, round(failure.retry_after or COME_BACK)))}
        raise error from failure
    except NoPlatform as refusal:
        raise NoConversations from refusal
    except RedirectRefused as refusal:
        log().error("chatwoot.redirects")
        raise ConversationsRedirected from refusal
    except Refused as refusal:
        raise PlatformUnreachable from refusal


def _error_for(failure: RetryLater) -> FichaError:
    match failure:
        case PlatformBusy():
            return ConversationsBusy()
        case NotSent():
            return PlatformUnreachable()
        case TooSlow():
            return PlatformTimeout()
        case OutcomeUnknown():
            return PlatformFailed()
    return PlatformUnreachable()


def unchanged(answer: PlatformAnswer) -> Response:
    headers = {"Content-Type": answer.content_type} if answer.content_type else {}
    if answer.retry_after is not None:
        headers["Retry-After"] = answer.retry_after
    return Response(answer.body, answer.status, headers)


def in_our_envelope(request: Request, answer: PlatformAnswer) -> Response:
    """For an error that a member of staff gets, and for one of a server in between, which is no JSON. That the platform
    refuses our own token, or fails, is no fault of hers: 502."""
    content = _content(answer.body)
    if answer.status == 401:
        log().error("chatwoot.token_refused")
    status = answer.status if answer.status in SENTENCES else 502
    problems = _invalid_values(content) or [Problem(_code(answer.status, content.get("error")), SENTENCES[status])]
    headers = {"Retry-After": answer.retry_after or str(COME_BACK)} if status in (429, 502) else {}
    return problems_response(request, problems, status, headers)


def _invalid_values(content: dict[str, Any]) -> list[Problem]:
    """One for each attribute that the platform names, with its own sentence for it."""
    attributes, message = content.get("attributes"), content.get("message")
    if not isinstance(attributes, list) or not isinstance(message, str):
        return []
    sentences = message.split(", ")
    sentences += [""] * (len(attributes) - len(sentences))
    return [
        Problem(_code(422, sentence), SENTENCES[422], Source("pointer", f"/{str(attribute)[:200]}"))
        for attribute, sentence in zip(attributes, sentences, strict=False)
    ]


def _code(status: int, sentence: Any) -> str:
    if isinstance(sentence, str) and FIXED_SENTENCE.fullmatch(sentence):
        return sentence.lower().replace(" ", "_")
    return CODES.get(status, "error")


def _content(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
