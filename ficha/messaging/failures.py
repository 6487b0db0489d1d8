"""When a message of ours cannot be delivered: it says why, and another goes in its place where that helps."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from ficha.accounts.accounts import Account
from ficha.channels.messages import Content, Location, Media, Template, Text
from ficha.core.crypto import Keyring
from ficha.messaging.message_content import content_of
from ficha.messaging.message_states import MessageState
from ficha.messaging.messages import Hooks, Message, apply_state, queue_message
from ficha.messaging.threads import Thread

# The template for what can no longer be said freely. Its one variable carries what we wanted to say.
PENDING_TEMPLATE = "mensaje_pendiente"
PENDING_LENGTH = 900
TEMPLATE_LANGUAGES = {"es": "es", "en": "en", "pt": "pt_BR"}


@dataclass(frozen=True)
class Failures:
    keyring: Keyring
    hooks: Hooks
    window_closed_code: int

    def fail(
        self,
        session: Session,
        message: Message,
        now: datetime,
        *,
        at: datetime | None = None,
        code: int | None = None,
        error: str = "rechazado",
    ) -> None:
        if message.state in (MessageState.FAILED, MessageState.DELIVERED, MessageState.READ):
            return
        if code == self.window_closed_code:
            error = "ventana_cerrada"
            self.replace(session, message, now)
        message.error_code, message.error = code, error
        apply_state(session, self.hooks, message, MessageState.FAILED, at or now, now)

    def replace(self, session: Session, message: Message, now: datetime) -> None:
        """Outside the 24 hours only a template arrives: the one that was given, or ours with the same words."""
        if message.type == "template" or message.sealed is None:
            return
        thread = session.get_one(Thread, message.thread_id)
        if thread.stopped_at is not None:
            return
        key = thread.open_key(self.keyring)
        if message.sealed_fallback is not None:
            template = content_of(key, message.sealed_fallback, f"{message.place}:fallback")
        else:
            account = session.get(Account, thread.account_id) if thread.account_id else None
            template = pending(content_of(key, message.sealed, message.place), account.idioma if account else "es")
        other = queue_message(
            session,
            self.keyring,
            thread.phone_number_id,
            thread.address,
            template,
            now,
            once=f"fallback:{message.id}",
            about=message.about,
            asked_by=message.asked_by,
            expires_at=message.expires_at,
            is_secret=message.is_secret,
            is_urgent=message.is_urgent,
        )
        message.replaced_by = other.id


def pending(content: Content, idioma: str) -> Template:
    """The same words, as the variable of a template takes them: in one line, and not too many."""
    words = " ".join(_words_of(content).split()) or "…"
    if len(words) > PENDING_LENGTH:
        words = words[: PENDING_LENGTH - 1] + "…"
    return Template(PENDING_TEMPLATE, TEMPLATE_LANGUAGES[idioma], body=[words])


def _words_of(content: Content) -> str:
    match content:
        case Text():
            return content.body
        case Location():
            where = f"https://www.openstreetmap.org/?mlat={content.latitude}&mlon={content.longitude}"
            return " · ".join(part for part in (content.name, content.address, where) if part)
        case Media():
            return " · ".join(part for part in (content.caption, content.link or content.filename) if part)
        case Template():
            return " ".join(content.body)
