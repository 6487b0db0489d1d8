"""How far a message has come. News arrives late, twice and in any order, so a state only ever moves up this list."""

from enum import StrEnum

from ficha.channels.messages import DeliveryStatus


class MessageState(StrEnum):
    RECEIVED = "received"  # Theirs; the others are of messages of ours.
    QUEUED = "queued"
    ACCEPTED = "accepted"
    SENT = "sent"
    FAILED = "failed"
    DELIVERED = "delivered"
    READ = "read"


# Failed stands below delivered: what has reached the person did not fail, whatever was said in between.
ORDER = (
    MessageState.QUEUED,
    MessageState.ACCEPTED,
    MessageState.SENT,
    MessageState.FAILED,
    MessageState.DELIVERED,
    MessageState.READ,
)
RANK = {state: rank for rank, state in enumerate(ORDER)}

OF = {
    DeliveryStatus.SENT: MessageState.SENT,
    DeliveryStatus.DELIVERED: MessageState.DELIVERED,
    DeliveryStatus.READ: MessageState.READ,
    DeliveryStatus.FAILED: MessageState.FAILED,
}


def later(now: MessageState, news: MessageState) -> MessageState:
    """The one of the two that counts. Whatever order the news comes in, the end is the same."""
    return news if RANK[news] > RANK[now] else now
