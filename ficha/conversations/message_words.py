"""What a person sent, for an agent: its words, from the message as it came, and its file, which is waited for, though
not for ever."""

import mimetypes
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import select

from ficha.channels.chatwoot.help_desk import FormFile
from ficha.core.crypto import Keyring
from ficha.core.transaction import Transaction
from ficha.messaging.files import FileState, KeptFile, read_pieces
from ficha.messaging.tables import Message

MAP = "https://www.openstreetmap.org/?mlat={latitude}&mlon={longitude}"
# What each kind of message is called at the desk.
KINDS = {
    "text": "Texto",
    "image": "Imagen",
    "video": "Video",
    "audio": "Audio",
    "document": "Documento",
    "sticker": "Sticker",
    "location": "Ubicación",
    "contacts": "Contacto",
    "button": "Botón",
    "interactive": "Botón",
    "reaction": "Reacción",
    "order": "Pedido",
    "system": "Aviso de WhatsApp",
    "edit": "Edición",
    "revoke": "Mensaje borrado",
    "unsupported": "Mensaje que WhatsApp no muestra",
    "unknown": "Mensaje que WhatsApp no muestra",
}


def words_of(raw: Mapping[str, Any], kind: str) -> str:
    """A text as it was written; all else begins with its kind in brackets."""
    part = raw.get(kind)
    if kind == "text":
        return _text(part, "body") or kind_words(kind)
    return " ".join(filter(None, (kind_words(kind), _said(part, kind))))


def kind_words(kind: str) -> str:
    return f"[{KINDS.get(kind, kind)}]"


def _said(part: Any, kind: str) -> str:
    """What such a message says, from its part under its kind; empty where that says nothing."""
    say = SAID.get(kind)
    return say(part) if say else _joined(_text(part, "filename"), _text(part, "caption"))


def _chosen(part: Any) -> str:
    """The button that was pressed, or the line of a list."""
    reply = _inner(part, _text(part, "type"))
    return _joined(_text(reply, "title"), _text(reply, "description"), _text(reply, "body"))


def _location(part: Any) -> str:
    return _joined(_text(part, "name"), _text(part, "address"), _map(part))


def _edited(part: Any) -> str:
    new = _inner(part, "message")
    kind = _text(new, "type")
    return words_of(new, kind) if isinstance(new, Mapping) and kind != "edit" else ""


def _map(part: Any) -> str:
    at = [_inner(part, name) for name in ("latitude", "longitude")]
    is_known = all(isinstance(each, int | float) for each in at)
    return MAP.format(latitude=at[0], longitude=at[1]) if is_known else ""


def _cards(part: Any) -> str:
    return "; ".join(_card(card) for card in part) if isinstance(part, list) else ""


def _card(card: Any) -> str:
    """The name and all numbers and mailboxes of a contact card."""
    name = _text(_inner(card, "name"), "formatted_name")
    numbers = [_text(each, "phone") or _text(each, "wa_id") for each in _list(card, "phones")]
    ways = ", ".join(filter(None, (*numbers, *(_text(each, "email") for each in _list(card, "emails")))))
    return f"{name}: {ways}" if name and ways else name or ways


def _inner(part: Any, name: str) -> Any:
    return part.get(name) if isinstance(part, Mapping) else None


def _list(part: Any, name: str) -> list[Any]:
    found = _inner(part, name)
    return found if isinstance(found, list) else []


def _text(part: Any, name: str) -> str:
    value = _inner(part, name)
    return value if isinstance(value, str) else ""


def _joined(*words: str) -> str:
    return " · ".join(filter(None, words))


SAID: Mapping[str, Callable[[Any], str]] = {
    "button": lambda part: _text(part, "text"),
    "interactive": _chosen,
    "location": _location,
    "contacts": _cards,
    "reaction": lambda part: _text(part, "emoji") or "quitada",
    "edit": _edited,
    "system": lambda part: _text(part, "body"),
}


# How soon to look again for a file that is being fetched, and for how long it is waited for.
FILE_LATER = timedelta(seconds=2)
FILE_WAIT = timedelta(minutes=10)
# The desk takes no larger one, unless somebody changes that there.
LARGEST_FILE = 40 * 1024 * 1024
FILE_LOST = "(el archivo no se pudo guardar)"
FILE_TOO_LARGE = "(el archivo es demasiado grande para la mesa)"
FILE_REFUSED = "(la mesa no aceptó el archivo)"


class NextMessage(NamedTuple):
    """What goes to the desk next. `is_waited_for`: its file is not here yet."""

    id: int
    key: str
    words: str
    type: str
    file: int | None = None
    is_waited_for: bool = False


def file_of(tx: Transaction, message_id: int) -> KeptFile | None:
    return tx.orm.scalars(select(KeptFile).where(KeptFile.message_id == message_id)).one_or_none()


def next_message(message: Message, words: str, file: KeptFile | None, now: datetime) -> NextMessage:
    found = NextMessage(message.id, message.key, words, message.type)
    if file is None:
        return found
    if file.state == FileState.WAITING and now < file.created_at + FILE_WAIT:
        return found._replace(is_waited_for=True)
    if file.state != FileState.KEPT or file.key_id is None:
        return found._replace(words=f"{words} {FILE_LOST}")
    if file.size > LARGEST_FILE:
        return found._replace(words=f"{words} {FILE_TOO_LARGE}")
    return found._replace(file=file.id)


def form_file(tx: Transaction, keyring: Keyring, message: NextMessage) -> FormFile:
    """Read piece by piece while it is sent, as long as the transaction is open."""
    file = tx.orm.get_one(KeptFile, message.file)
    mime = file.mime_type.partition(";")[0].strip().lower()
    name = f"{message.type}-{message.id}{mimetypes.guess_extension(mime) or ''}"
    return FormFile(name, mime, file.size, read_pieces(tx, keyring, file))
