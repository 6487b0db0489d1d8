"""Where somebody is: kept closed with the record's key, with its accuracy and its age."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta

from ficha.core.crypto import Tampered, seal, unseal

# After this long the person may be elsewhere: what is newer counts more than what is finer.
STALE = timedelta(minutes=5)
DECIMALS = 6


@dataclass(frozen=True)
class Position:
    lat: float
    lng: float
    accuracy_m: float | None
    taken_at: datetime

    def age(self, now: datetime) -> timedelta:
        return max(now - self.taken_at, timedelta())


def is_better(new: Position, old: Position | None) -> bool:
    """A later scan may know more exactly where the person is, or know less."""
    if old is None:
        return True
    if new.taken_at - old.taken_at >= STALE:
        return True
    if new.taken_at < old.taken_at - STALE:
        return False
    return _metres(new) <= _metres(old)


def sealed_position(key: bytes, record_id: int, position: Position) -> bytes:
    plain = [
        round(position.lat, DECIMALS),
        round(position.lng, DECIMALS),
        position.accuracy_m,
        position.taken_at.isoformat(),
    ]
    return seal(key, json.dumps(plain).encode(), _place(record_id))


def opened_position(key: bytes, record_id: int, sealed: bytes | None) -> Position | None:
    """None also when it does not open: an alert without a place is better than none."""
    if sealed is None:
        return None
    try:
        lat, lng, accuracy, taken_at = json.loads(unseal(key, sealed, _place(record_id)))
    except Tampered:
        return None
    return Position(lat, lng, accuracy, datetime.fromisoformat(taken_at))


def _metres(position: Position) -> float:
    return float("inf") if position.accuracy_m is None else position.accuracy_m


def _place(record_id: int) -> str:
    return f"emergency:{record_id}:position"
