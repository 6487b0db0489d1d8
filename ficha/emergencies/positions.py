"""Where somebody is, with its accuracy and time: sealed with the record's key when stored."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta

from ficha.core.crypto import Tampered, seal, unseal

# After this long the person may be elsewhere: a newer position counts more than a more accurate one.
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
    """Newer by STALE or more is better, older by more than STALE is not; between these the more accurate is."""
    if old is None:
        return True
    if new.taken_at - old.taken_at >= STALE:
        return True
    if new.taken_at < old.taken_at - STALE:
        return False
    return _accuracy(new) <= _accuracy(old)


def sealed_position(key: bytes, record_id: int, position: Position) -> bytes:
    plain = [
        round(position.lat, DECIMALS),
        round(position.lng, DECIMALS),
        position.accuracy_m,
        position.taken_at.isoformat(),
    ]
    return seal(key, json.dumps(plain).encode(), _sealing_context(record_id))


def opened_position(key: bytes, record_id: int, sealed: bytes | None) -> Position | None:
    """None also when it cannot be unsealed: an alert without a position is better than none."""
    if sealed is None:
        return None
    try:
        lat, lng, accuracy, taken_at = json.loads(unseal(key, sealed, _sealing_context(record_id)))
    except Tampered:
        return None
    return Position(lat, lng, accuracy, datetime.fromisoformat(taken_at))


def sealed_landmark(key: bytes, record_id: int, words: str) -> bytes:
    return seal(key, words.encode(), _landmark_context(record_id))


def opened_landmark(key: bytes, record_id: int, sealed: bytes | None) -> str:
    """Empty where there is none, or where it cannot be unsealed."""
    if sealed is None:
        return ""
    try:
        return unseal(key, sealed, _landmark_context(record_id)).decode()
    except Tampered:
        return ""


def _landmark_context(record_id: int) -> str:
    return f"emergency:{record_id}:landmark"


def _accuracy(position: Position) -> float:
    return float("inf") if position.accuracy_m is None else position.accuracy_m


def _sealing_context(record_id: int) -> str:
    return f"emergency:{record_id}:position"
