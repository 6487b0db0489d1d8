"""Notifications of the platform, made up and real."""

import json
from typing import Any

from ficha.channels.whatsapp.webhook import parse

ZOE = (
    rb'{"object":"whatsapp_business_account","entry":[{"id":"0","changes":[{"field":"messages","value":{'
    rb'"messaging_product":"whatsapp","metadata":{"display_phone_number":"16505551111","phone_number_id":"123456123"},'
    rb'"contacts":[{"profile":{"name":"Zo\u00eb"},"wa_id":"16315551181"}],"messages":[{"from":"16315551181",'
    rb'"id":"ABGGFlA5Fpa","timestamp":"1504902988","type":"text","text":{"body":"this is a text message"}}]}}]}]}'
)
SIGNED = "sha256=6c1a2eb1475afadb04c207ad19f6769439ff7ffad6e46130eafcf00943b6c783"


def envelope(*values: Any) -> bytes:
    changes = [{"field": "messages", "value": value} for value in values]
    return json.dumps({"object": "whatsapp_business_account", "entry": [{"id": "1", "changes": changes}]}).encode()


def value(**parts: Any) -> dict[str, Any]:
    metadata = {"display_phone_number": "15550783881", "phone_number_id": "106540352242922"}
    return {"messaging_product": "whatsapp", "metadata": metadata, **parts}


def message(number: int = 1, **changes: Any) -> dict[str, Any]:
    basic = {"from": "16505551234", "id": f"wamid.{number}", "timestamp": "1749416383", "type": "text"}
    return {**basic, "text": {"body": f"Hola {number}"}, **changes}


def status(name: str, **changes: Any) -> dict[str, Any]:
    return {"id": "wamid.X", "status": name, "timestamp": "1744609253", "recipient_id": "16505551234", **changes}


def only(body: Any) -> Any:
    (event,) = parse(body if isinstance(body, bytes) else json.dumps(body).encode())
    return event
