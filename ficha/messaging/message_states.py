"""The states of a message. Statuses come late, twice and in any order, so a state only ever moves up in `ORDER`."""

from enum import StrEnum

from ficha.channels.messages import DeliveryStatus


class MessageState(StrEnum):
    RECEIVED = "received"  # For messages from others; all other states are for ours.
    QUEUED = "queued"
    ACCEPTED = "accepted"
    SENT = "sent"
    FAILED = "failed"
    DELIVERED = "delivered"
    READ = "read"


# Failed comes before delivered: a message that reached the person did not fail, whatever another status says.
ORDER = (
    MessageState.QUEUED,
    MessageState.ACCEPTED,
    MessageState.SENT,
    MessageState.FAILED,
    MessageState.DELIVERED,
    MessageState.READ,
)
RANK = {state: rank for rank, state in enumerate(ORDER)}

STATE_OF_STATUS = {
    DeliveryStatus.SENT: MessageState.SENT,
    DeliveryStatus.DELIVERED: MessageState.DELIVERED,
    DeliveryStatus.READ: MessageState.READ,
    DeliveryStatus.FAILED: MessageState.FAILED,
}
