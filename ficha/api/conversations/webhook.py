"""The webhook of the conversation platform. What it tells is only a reason to look: a job reads what is new there."""

import json
from typing import Annotated, Any

from fastapi import Depends, Request

from ficha.api.examples import answer_example
from ficha.api.operations import Operations
from ficha.asgi.bodies import ReadRequest
from ficha.asgi.served import Served
from ficha.channels.chatwoot.client import SIGNATURE, TIMESTAMP, verify
from ficha.channels.errors import BadSignature, MissingSignature
from ficha.conversations.desk_conversations import read_soon
from ficha.core.deferred_model import DeferredModel
from ficha.core.errors import FichaError, Source
from ficha.core.log import log
from ficha.http.dependencies import Now, Parts, Reply
from ficha.http.envelope import Answer

operations = Operations("conversations", served=Served)

# No table of ours, and none of the platform's, holds a larger one.
LARGEST_ID = 2**63 - 1
EVENT = {"event": "message_created", "id": 12, "message_type": "outgoing", "private": False, "conversation": {"id": 3}}


class DeskUnsigned(FichaError):
    status = 401
    code = "firma_de_mesa_ausente"
    message = "Falta la firma de la plataforma de conversaciones."
    source = Source("header", "X-Chatwoot-Signature")


class DeskWronglySigned(FichaError):
    status = 403
    code = "firma_de_mesa_incorrecta"
    message = "La firma no corresponde a lo que llegó, o es demasiado antigua."
    source = Source("header", "X-Chatwoot-Signature")


class Heard(DeferredModel):
    received: bool = True


def signed_event(request: ReadRequest, parts: Parts, now: Now) -> dict[str, Any]:
    """Raises DeskUnsigned, DeskWronglySigned."""
    secret = parts.settings.desk_key
    try:
        verify(secret, request.headers.get(SIGNATURE), request.headers.get(TIMESTAMP), request.raw_body, now)
    except MissingSignature:
        raise DeskUnsigned from None
    except BadSignature:
        raise DeskWronglySigned from None
    try:
        event = json.loads(request.raw_body)
    except (ValueError, RecursionError):
        return {}
    return event if isinstance(event, dict) else {}


@operations.post(
    "/webhook/chatwoot",
    "Conversation webhook",
    progress="Developing",
    callers="signed",
    credentials=("desk_signature",),
    body={"application/json": {"type": "object", "examples": [EVENT]}},
    example=answer_example({"received": True}),
)
def receive_event(
    request: Request, parts: Parts, reply: Reply, event: Annotated[dict[str, Any], Depends(signed_event)]
) -> "Answer[Heard]":
    """An event of the conversation platform, signed by it. It is not tried again by the platform, and need not be: a
    sweep looks at what changed lately."""
    name = str(event.get("event", ""))
    inside = event.get("conversation") if name.startswith("message_") else event
    number = inside.get("id") if isinstance(inside, dict) else None
    if parts.settings.bridges_conversations and name.startswith(("message_", "conversation_")):
        if type(number) is int and 0 < number <= LARGEST_ID:
            with parts.database.writing() as tx:
                read_soon(tx, number)
        else:
            log().warning("chatwoot.unreadable", event_name=name[:40])
            request.app.state.metrics.count_unreadable("chatwoot")
    return reply(Heard())
