"""What happens to a message of ours that cannot be delivered: it fails with a reason, and a template may replace it."""

from dataclasses import dataclass
from datetime import datetime

from ficha.channels.messages import Content, Location, Media, Template, Text
from ficha.core.crypto import Keyring
from ficha.core.transaction import Transaction
from ficha.messaging.message_content import content_of
from ficha.messaging.messages import ContactStopped, MessageHooks, call_state_hooks, publish_state, queue_row
from ficha.messaging.tables import Message, MessageRow, MessageState, Thread
from ficha.messaging.threads import address_of, idioma_of

# The template that replaces a message after the 24 hours. Its one variable contains the message's text.
PENDING_TEMPLATE = "mensaje_pendiente"
PENDING_LENGTH = 900
# Ends a text that did not fit.
CUT_WORDS = {"es": "… [mensaje cortado]", "en": "… [message cut]", "pt": "… [mensagem cortada]"}
# Begins the name of the template that replaces a message, before the id of that message.
FALLBACK = "fallback:"
# Why a message of ours was not delivered, where the platform gave no number for it.
ERROR_SENTENCES = {
    "rechazado": "La plataforma no lo aceptó.",
    "ventana_cerrada": "Pasaron más de 24 horas desde su último mensaje.",
    "vencido": "No se pudo enviar a tiempo.",
    "sin_noticia": "La plataforma no dijo si lo recibió, y no se envía otra vez.",
    "contacto_de_baja": ContactStopped.message,
    "plantilla_invalida": "La plantilla ya no admite este mensaje.",
}
# For a file without a name: it cannot be sent after the 24 hours, so the person is told how to get it.
FILE_WORDS = {
    "es": "Tenemos un archivo para usted: responda y se lo enviamos.",
    "en": "We have a file for you: answer, and we will send it.",
    "pt": "Temos um arquivo para você: responda e nós enviamos.",
}
TEMPLATE_LANGUAGES = {"es": "es", "en": "en", "pt": "pt_BR"}


@dataclass(frozen=True)
class FailureHandler:
    """`window_closed_code` is the platform's error code for "more than 24 hours since the person wrote"."""

    keyring: Keyring
    hooks: MessageHooks
    window_closed_code: int

    def fail(
        self,
        tx: Transaction,
        message: Message,
        now: datetime,
        *,
        at: datetime | None = None,
        code: int | None = None,
        error: str = "rechazado",
    ) -> None:
        """Gives the message its final state, unless it has one. Queues a template where only the 24 hours are over."""
        if message.state in (MessageState.FAILED, MessageState.DELIVERED, MessageState.READ):
            return
        if code == self.window_closed_code:
            error = "ventana_cerrada"
            self.queue_replacement(tx, message, now)
        message.error_code, message.error = code, error
        message.state, message.failed_at = MessageState.FAILED, at or now
        message.in_doubt_at = message.next_try_at = None
        if message.is_secret:
            message.sealed = message.sealed_fallback = None
        publish_state(tx, [message.id], message.state, message.about, now)
        call_state_hooks(tx, self.hooks, MessageRow.of(message), now)

    def queue_replacement(self, tx: Transaction, message: Message, now: datetime) -> None:
        """Queues the template that was given as fallback, or our own template with the same text."""
        if message.type == "template" or message.sealed is None:
            return
        thread = tx.orm.get_one(Thread, message.thread_id)
        if thread.stopped_at is not None:
            return
        key = thread.open_key(self.keyring)
        if message.sealed_fallback is not None:
            template = content_of(key, message.sealed_fallback, f"{message.sealing_context}:fallback")
        else:
            content = content_of(key, message.sealed, message.sealing_context)
            template = pending_template(content, idioma_of(tx, thread) or "es")
        message.replaced_by = queue_row(
            tx,
            self.keyring,
            thread.phone_number_id,
            address_of(thread),
            template,
            now,
            once=f"{FALLBACK}{message.id}",
            about=message.about,
            record_id=message.record_id,
            asked_by=message.asked_by,
            expires_at=message.expires_at,
            is_secret=message.is_secret,
            is_urgent=message.is_urgent,
            is_said_once=message.is_said_once,
        )


def pending_template(content: Content, idioma: str) -> Template:
    """A template with the text of this content: in one line and cut to a length that a variable can have. What was cut
    says so, or somebody would believe that she read all of it."""
    words = one_line(_words_of(content, idioma)) or "…"
    if len(words) > PENDING_LENGTH:
        words = words[: PENDING_LENGTH - len(CUT_WORDS[idioma])] + CUT_WORDS[idioma]
    return Template(PENDING_TEMPLATE, TEMPLATE_LANGUAGES[idioma], body=[words])


def one_line(words: str) -> str:
    """As a variable of a template can have them."""
    return " ".join(words.split())


def _words_of(content: Content, idioma: str) -> str:
    match content:
        case Text():
            return content.body
        case Location():
            where = f"https://www.openstreetmap.org/?mlat={content.latitude}&mlon={content.longitude}"
            return " · ".join(part for part in (content.name, content.address, where) if part)
        case Media():
            what = content.link or content.filename or FILE_WORDS[idioma]
            return " · ".join(part for part in (content.caption, what) if part)
        case Template():
            return " ".join((*content.body, *content.body_named.values()))
