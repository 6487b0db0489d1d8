"""Labels: those of the account, and the rules by which a list of them replaces another."""

import re
from typing import Any

from ficha.sandbox.chatwoot.errors import invalid
from ficha.sandbox.chatwoot.operations.call import Call
from ficha.sandbox.chatwoot.platform import ChatwootPlatform
from ficha.sandbox.chatwoot.records import Label
from ficha.sandbox.chatwoot.responses import chatwoot_json
from ficha.sandbox.http_messages import HttpResponse

TITLE = re.compile(r"[\w-]+")


def clean_labels(platform: ChatwootPlatform, given: Any) -> list[str]:
    """Split at commas, trimmed, without blanks and without repetition whatever the case. The spelling that a label has
    already wins."""
    words = given if isinstance(given, list) else [] if given is None else [given]
    found: dict[str, str] = {}
    for word in words:
        for piece in str(word).split(","):
            label = piece.strip()
            if label:
                spelling = platform.tags.setdefault(label.lower(), label)
                found.setdefault(label.lower(), spelling)
    return list(found.values())


def label_list(labels: list[str]) -> HttpResponse:
    return chatwoot_json({"payload": labels})


def list_labels(call: Call) -> HttpResponse:
    found = sorted(call.platform.labels.values(), key=lambda label: label.title)
    return chatwoot_json({"payload": [_shown(label) for label in found]})


def create_label(call: Call) -> HttpResponse:
    """The body may be flat, or wrapped in `label`."""
    call.require_administrator()
    given = call.object("label") or call.params
    title = str(given.get("title") or "").strip().lower()
    if not title:
        raise invalid([("title", "Title must not be blank")])
    if not TITLE.fullmatch(title):
        raise invalid([("title", "Title Invalid label")])
    if any(label.title == title for label in call.platform.labels.values()):
        raise invalid([("title", "Title has already been taken")])
    label = Label(next(call.platform.ids["label"]), title, given.get("description"))
    label.color = str(given.get("color") or label.color)
    label.show_on_sidebar = given.get("show_on_sidebar", True) in (True, "true")
    call.platform.labels[label.id] = label
    return chatwoot_json(_shown(label))


def _shown(label: Label) -> dict[str, Any]:
    return {
        "id": label.id,
        "title": label.title,
        "description": label.description,
        "color": label.color,
        "show_on_sidebar": label.show_on_sidebar,
    }
