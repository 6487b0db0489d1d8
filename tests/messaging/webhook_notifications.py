"""Notifications as the platform writes and signs them."""

import json
from collections.abc import Sequence
from itertools import count
from typing import Any

from httpx2 import Response

from ficha.channels.whatsapp.webhook import sign
from tests.world import World

SECRET = "sandbox-app-secret"
NUMBER = "106540352242922"
WEBHOOK = "/v2/webhook/whatsapp"
MARIA = "584125551111"
_numbers = count(1)

Item = dict[str, Any]


def wamid() -> str:
    return f"wamid.TEST{next(_numbers):08d}"


def message(sender: str | None = MARIA, *, type: str = "text", at: int = 1_794_744_000, **more: Any) -> Item:
    """`sender` is None for a person who hides the number."""
    body: Item = {"id": more.pop("id", None) or wamid(), "timestamp": str(at), "type": type}
    if sender is not None:
        body["from"] = sender
    if type == "text":
        body["text"] = {"body": more.pop("text", "Hola")}
    return body | more


def status(id: str, word: str, *, at: int = 1_794_744_000, **more: Any) -> Item:
    return {"id": id, "status": word, "timestamp": str(at), "recipient_id": MARIA} | more


def value(
    messages: Sequence[Item] = (), statuses: Sequence[Item] = (), *, number: str = NUMBER, name: str = "María"
) -> Item:
    content: Item = {
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": "15550783881", "phone_number_id": number},
    }
    if messages:
        senders = {item["from"] for item in messages if "from" in item}
        content["contacts"] = [{"profile": {"name": name}, "wa_id": sender} for sender in sorted(senders)]
        content["messages"] = list(messages)
    if statuses:
        content["statuses"] = list(statuses)
    return content


def enveloped(*values: Item) -> bytes:
    changes = [{"field": "messages", "value": one} for one in values]
    return json.dumps(
        {"object": "whatsapp_business_account", "entry": [{"id": "102290129340398", "changes": changes}]}
    ).encode()


def bare(one: Item) -> bytes:
    return json.dumps({"field": "messages", "value": one}).encode()


def signed(body: bytes) -> dict[str, str]:
    return {"Content-Type": "application/json", "X-Hub-Signature-256": sign(SECRET, body)}


def notify(world: World, body: bytes, **headers: str) -> Response:
    """Posts it to the webhook, through the fast lane as in the server."""
    return world.reader.post(WEBHOOK, content=body, headers=signed(body) | headers)
