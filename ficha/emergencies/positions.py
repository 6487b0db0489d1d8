"""Where somebody is, with its accuracy and time, sealed with the record's key when stored; and links that open it on a
map."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from urllib.parse import quote, urlencode

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


class MapProvider(StrEnum):
    GOOGLE = "google"
    OSM = "osm"
    APPLE = "apple"
    WAZE = "waze"
    GEO = "geo"


def map_url(provider: MapProvider, lat: float, lng: float, label: str = "") -> str:
    """Six decimals are about ten centimetres. Where a provider shows no label, it is left out."""
    north, east = _degrees(lat), _degrees(lng)
    pair = f"{north},{east}"
    match provider:
        case MapProvider.GOOGLE:
            return f"https://www.google.com/maps/search/?{urlencode({'api': 1, 'query': pair}, safe=',')}"
        case MapProvider.OSM:
            return f"https://www.openstreetmap.org/?mlat={north}&mlon={east}#map=17/{north}/{east}"
        case MapProvider.APPLE:
            return f"https://maps.apple.com/?{urlencode({'ll': pair, 'q': label or pair}, safe=',', quote_via=quote)}"
        case MapProvider.WAZE:
            return f"https://waze.com/ul?{urlencode({'ll': pair, 'navigate': 'yes'}, safe=',')}"
        case MapProvider.GEO:
            # Parentheses end the label in this form, whatever stands between them.
            name = quote(label.replace("(", " ").replace(")", " ").strip(), safe="")
            return f"geo:{pair}?q={pair}({name})" if name else f"geo:{pair}"


def _degrees(value: float) -> str:
    """Without an exponent, and without a minus sign before nothing."""
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
