"""The names of the bridge's jobs, and how other packages put them."""

from collections.abc import Sequence
from datetime import datetime

from ficha.conversations.desk_conversations import DeskConversation, with_number
from ficha.core.transaction import Transaction
from ficha.jobs.queue import put
from ficha.messaging.messages import ReceivedMessage
from ficha.messaging.tables import MessageRow

SEND_THREAD = "mesa.hilo"
READ_DESK = "mesa.lectura"
WRITE_STATE = "mesa.estado"
REFUSE = "mesa.rechazo"
OPEN_EMERGENCY = "mesa.emergencia"
SWEEP = "mesa.repaso"
# `about` of an agent's answer, with the number of its conversation in our table.
ABOUT = "mesa:"
# Of a conversation with or about somebody in an emergency.
EMERGENCY_LABEL = "emergencia"
# What happens to the conversation of an emergency besides what agents do: it stands before the team on call.
PLACED = "placed"


def on_received(tx: Transaction, received: ReceivedMessage) -> bool:
    """Called in the transaction that stores a message from somebody. That it goes to the desk does not handle it."""
    put_thread(tx, received.thread.id)
    return False


def on_state(tx: Transaction, message: MessageRow, _now: datetime) -> None:
    """An agent's answer got a new state: it is written back, and the next answer may go."""
    if not message.about.startswith(ABOUT):
        return
    put(tx, WRITE_STATE, {"message_id": message.id}, key=f"{WRITE_STATE}:{message.id}")
    put_read(tx, int(message.about.removeprefix(ABOUT)))


def put_refusal(tx: Transaction, row: DeskConversation, message_id: int, reason: str) -> None:
    """An agent's answer is not sent: she reads this sentence at her message. `message_id` is the platform's."""
    payload = {"id": row.id, "source_id": row.source_id, "message_id": message_id, "reason": reason}
    put(tx, REFUSE, payload, key=f"{REFUSE}:{row.source_id}:{message_id}")


def put_thread(tx: Transaction, thread_id: int, at: datetime | None = None) -> None:
    put(tx, SEND_THREAD, {"thread_id": thread_id}, at=at, key=f"{SEND_THREAD}:{thread_id}")


def put_read(tx: Transaction, row_id: int, at: datetime | None = None) -> None:
    put(tx, READ_DESK, {"id": row_id}, at=at, key=f"{READ_DESK}:{row_id}")


def put_emergency(
    tx: Transaction, emergency_id: int, labels: Sequence[str], *, unanswered: bool, again: int = 0
) -> None:
    """Puts an emergency before the desk: for its knowledge when it begins, for the team on call when nobody answers.
    `again` is another number each time that whoever was coming withdrew after the team had been called."""
    payload = {"emergency_id": emergency_id, "labels": list(labels), "unanswered": unanswered, "again": again}
    key = f"{OPEN_EMERGENCY}:{emergency_id}:{'unanswered' if unanswered else 'begun'}" + (f":{again}" if again else "")
    put(tx, OPEN_EMERGENCY, payload, key=key, urgent=unanswered)


def read_soon(tx: Transaction, conversation_id: int) -> bool:
    """The platform told that something happened there: whether it is one of ours."""
    found = with_number(tx, conversation_id)
    if found is not None:
        put_read(tx, found.id)
    return found is not None
