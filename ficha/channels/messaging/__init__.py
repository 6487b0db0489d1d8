"""Messaging platforms: each translates between its own words and ours, and nothing more."""

from ficha.channels.messaging.message import (
    Accepted,
    Button,
    Content,
    Event,
    FileRef,
    Incoming,
    LinkButton,
    Location,
    Media,
    Other,
    Outgoing,
    Progress,
    Sender,
    Status,
    Template,
    Text,
    Unreadable,
)
from ficha.channels.messaging.provider import Messenger

__all__ = [
    "Accepted",
    "Button",
    "Content",
    "Event",
    "FileRef",
    "Incoming",
    "LinkButton",
    "Location",
    "Media",
    "Messenger",
    "Other",
    "Outgoing",
    "Progress",
    "Sender",
    "Status",
    "Template",
    "Text",
    "Unreadable",
]
