"""The content of a message as it is stored, JSON with the name of its kind, sealed with the key of its thread; and how
it is erased."""

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import ColumnElement, delete, or_, select, update

from ficha.channels.messages import Button, Content, CouponButton, LinkButton, Location, Media, Template, Text
from ficha.core.crypto import Keyring, new_key, seal, unseal
from ficha.core.transaction import Transaction
from ficha.messaging.files import FilePiece, FileState, KeptFile
from ficha.messaging.tables import Message, MessageState, Thread

KINDS: dict[str, type[Text | Location | Media | Template]] = {
    "text": Text,
    "location": Location,
    "media": Media,
    "template": Template,
}
NAMES = {kind: name for name, kind in KINDS.items()}


def sealed_content(key: bytes, content: Content, context: str) -> bytes:
    return sealed_json(key, {"is": NAMES[type(content)], **asdict(content)}, context)


def content_of(key: bytes, sealed: bytes, context: str) -> Content:
    stored = opened_json(key, sealed, context)
    kind = KINDS[stored.pop("is")]
    if kind is Template:
        stored["buttons"] = [_button(button) for button in stored["buttons"]]
        for name, part in (("media", Media), ("location", Location)):
            if stored.get(name) is not None:
                stored[name] = part(**stored[name])
    return kind(**stored)


def _button(stored: dict[str, Any]) -> Button | LinkButton | CouponButton:
    if "coupon" in stored:
        return CouponButton(**stored)
    return Button(**stored) if "payload" in stored else LinkButton(**stored)


def sealed_json(key: bytes, value: Any, context: str) -> bytes:
    return seal(key, json.dumps(value, separators=(",", ":")).encode(), context)


def opened_json(key: bytes, sealed: bytes, context: str) -> Any:
    return json.loads(unseal(key, sealed, context))


def seal_anew(message: Message, old: bytes, new: bytes) -> None:
    """With the new key of its thread."""
    if message.sealed is not None:
        message.sealed = seal(new, unseal(old, message.sealed, message.sealing_context), message.sealing_context)
    if message.sealed_fallback is not None:
        context = f"{message.sealing_context}:fallback"
        message.sealed_fallback = seal(new, unseal(old, message.sealed_fallback, context), context)


def erase_messages_about(tx: Transaction, abouts: Sequence[str]) -> None:
    """What was said about these, ours and the replies; one that has not left yet is not sent any more."""
    for about in abouts:
        _erase(tx, or_(Message.about == about, Message.about.startswith(f"{about}:", autoescape=True)))


def erase_threads_of(tx: Transaction, keyring: Keyring, account_id: int, record_ids: Collection[int]) -> None:
    """All that was written in the threads of an account, and its number. Where that was written to for other records
    than these, as somebody's contact, or is not to be written to, the number stays, and the thread goes on under a new
    key, with which is sealed what is about to leave."""
    threads = tx.orm.scalars(select(Thread).where(Thread.account_id == account_id).with_for_update()).all()
    for thread in threads:
        old, new = thread.open_key(keyring), new_key()
        is_here = Message.thread_id == thread.id
        _erase(tx, is_here & (Message.state != MessageState.QUEUED))
        for message in tx.orm.scalars(select(Message).where(is_here, Message.sealed.is_not(None))):
            seal_anew(message, old, new)
        thread.store_key(keyring, new)
        thread.account_id = None
        if thread.stopped_at is None and not _is_needed(tx, thread.id, record_ids):
            thread.wa_id = thread.user_id = None


def _is_needed(tx: Transaction, thread_id: int, record_ids: Collection[int]) -> bool:
    is_leaving = Message.state == MessageState.QUEUED
    is_for_others = Message.record_id.is_not(None) & Message.record_id.not_in(record_ids)
    found = select(Message.id).where(Message.thread_id == thread_id, or_(is_leaving, is_for_others)).limit(1)
    return tx.orm.scalar(found) is not None


def _erase(tx: Transaction, which: ColumnElement[bool]) -> None:
    """What these messages said. Their rows stay, with states and times: others count on them."""
    ids = select(Message.id).where(which)
    files = select(KeptFile.id).where(KeptFile.message_id.in_(ids))
    tx.orm.execute(delete(FilePiece).where(FilePiece.file_id.in_(files)))
    in_database = {"synchronize_session": False}
    lost = {"key_id": None, "wrapped_key": None, "size": 0, "state": FileState.LOST}
    of_messages = update(KeptFile).where(KeptFile.message_id.in_(ids)).values(**lost)
    tx.orm.execute(of_messages, execution_options=in_database)
    tx.orm.execute(
        update(Message).where(which).values(sealed=None, sealed_fallback=None), execution_options=in_database
    )
