"""How far a message has come. News arrives late, twice and in any order, so a state only ever moves up this list."""

from enum import StrEnum

from ficha.channels.messaging.message import Progress


class State(StrEnum):
    RECEIVED = "received"  # Theirs; the others are of messages of ours.
    QUEUED = "queued"
    ACCEPTED = "accepted"
    SENT = "sent"
    FAILED = "failed"
    DELIVERED = "delivered"
    READ = "read"


# Failed stands below delivered: what has reached the person did not fail, whatever was said in between.
ORDER = (State.QUEUED, State.ACCEPTED, State.SENT, State.FAILED, State.DELIVERED, State.READ)
RANK = {state: rank for rank, state in enumerate(ORDER)}

OF = {
    Progress.SENT: State.SENT,
    Progress.DELIVERED: State.DELIVERED,
    Progress.READ: State.READ,
    Progress.FAILED: State.FAILED,
}


def later(now: State, news: State) -> State:
    """The one of the two that counts. Whatever order the news comes in, the end is the same."""
    return news if RANK[news] > RANK[now] else now
