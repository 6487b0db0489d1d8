"""Files that people sent by WhatsApp, on their way to the desk: a message waits for its file, though not for ever."""

import mimetypes
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import select

from ficha.channels.chatwoot.desk import FormFile
from ficha.core.crypto import Keyring
from ficha.core.transaction import Transaction
from ficha.messaging.files import FileState, KeptFile, read_pieces
from ficha.messaging.tables import Message

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
