"""What the platform tells about our own account: the states of templates, the quality of our numbers, and calls."""

from collections.abc import Sequence
from datetime import datetime

from ficha.channels.messages import AccountUpdate, IncomingCall, NotificationItem, TemplateUpdate
from ficha.core.crypto import Keyring
from ficha.core.transaction import Transaction
from ficha.jobs.queue import put
from ficha.messaging.joined_threads import join_threads_of
from ficha.messaging.messages import MessageHooks
from ficha.messaging.notifications import possible_time
from ficha.messaging.platform_facts import note_fact
from ficha.messaging.templates import SYNC, set_template_status
from ficha.messaging.threads import Person, ThreadFinder, open_window


def apply_updates(
    tx: Transaction, keyring: Keyring, hooks: MessageHooks, items: Sequence[NotificationItem], now: datetime
) -> None:
    """Each says how things are since its own time: one that comes late or twice changes nothing."""
    for item in items:
        match item:
            case TemplateUpdate():
                _apply_template(tx, item, now)
            case AccountUpdate():
                note_fact(tx, item.name, item.facts, possible_time(item.at or now, now))
            case IncomingCall() if not item.is_test:
                _apply_call(tx, keyring, hooks, item, now)


def _apply_template(tx: Transaction, item: TemplateUpdate, now: datetime) -> None:
    name = f"template:{item.name}:{item.language}"
    if not note_fact(tx, name, {"status": item.status}, possible_time(item.at or now, now)):
        return
    if not set_template_status(tx, item.name, item.language, item.status):
        put(tx, SYNC, {}, key=f"{SYNC}:now")  # One that we have not seen yet.


def _apply_call(tx: Transaction, keyring: Keyring, hooks: MessageHooks, call: IncomingCall, now: datetime) -> None:
    """A call opens the 24 hours as a message does."""
    person = Person(call.author.wa_id, call.author.user_id)
    finder = ThreadFinder(tx, keyring, now)
    join_threads_of(tx, finder, call.phone_number_id, person, hooks)
    thread = finder.find_or_create(call.phone_number_id, [person])[person]
    at = possible_time(call.at, now)
    open_window(thread, at, now)
    for hook in hooks.called:
        hook(tx, thread, at, now)
