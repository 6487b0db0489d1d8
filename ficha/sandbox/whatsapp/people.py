"""People with WhatsApp: their ids, names, and when they last wrote."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

_USER_ID = re.compile(r"[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}")
_NUMBER = re.compile(r"\+?[0-9 ()\-.]+")
_COUNTRIES = {
    "1": "US", "34": "ES", "51": "PE", "52": "MX", "53": "CU", "54": "AR", "55": "BR", "56": "CL", "57": "CO",
    "58": "VE", "351": "PT", "502": "GT", "503": "SV", "504": "HN", "505": "NI", "506": "CR", "507": "PA",
    "591": "BO", "593": "EC", "595": "PY", "598": "UY",
}  # fmt: skip


class NotAPerson(ValueError):
    """Neither a phone number nor a user id."""


@dataclass
class Person:
    """`wa_id` is missing for those who show a username instead of a number."""

    wa_id: str | None
    user_id: str
    name: str
    username: str | None = None
    last_inbound_at: datetime | None = None
    stopped_marketing: bool = False
    typing_until: datetime | None = None

    @property
    def key(self) -> str:
        return self.wa_id or self.user_id

    @property
    def identity_key_hash(self) -> str:
        return hashlib.sha256(f"identity {self.key}".encode()).hexdigest()[:20]

    def window_until(self, hours: float) -> datetime | None:
        return None if self.last_inbound_at is None else self.last_inbound_at + timedelta(hours=hours)


class People:
    def __init__(self) -> None:
        self._by_key: dict[str, Person] = {}

    def __iter__(self) -> Iterator[Person]:
        return iter(tuple({id(each): each for each in self._by_key.values()}.values()))

    def with_id(self, written: str) -> Person:
        """The person with that number or user id, who is added if new: everybody has WhatsApp unless the behaviour says
        otherwise. Raises NotAPerson."""
        if is_user_id(written):
            found = self._by_key.get(written)
            return found or self._add(Person(None, written, written, username=f"usuario.{written[-4:].lower()}"))
        wa_id = to_wa_id(written)
        return self._by_key.get(wa_id) or self._add(Person(wa_id, user_id_of(wa_id), f"+{wa_id}"))

    def _add(self, person: Person) -> Person:
        for key in (person.wa_id, person.user_id):
            if key is not None:
                self._by_key[key] = person
        return person


def is_user_id(written: str) -> bool:
    return _USER_ID.fullmatch(written) is not None


def to_wa_id(written: str) -> str:
    """The platform's form of a number, which differs from the dialled one in Mexico and Brazil. Raises NotAPerson."""
    digits = re.sub(r"\D", "", written)
    if not _NUMBER.fullmatch(written.strip()) or not 7 <= len(digits) <= 15:
        raise NotAPerson(written)
    if not written.strip().startswith("+") and len(digits) <= 10:
        digits = f"1{digits}"  # The business number's own country.
    if digits.startswith("52") and len(digits) == 12:
        return f"521{digits[2:]}"
    if digits.startswith("55") and len(digits) == 13 and digits[4] == "9" and int(digits[2:4]) >= 31:
        return digits[:4] + digits[5:]
    return digits


def user_id_of(wa_id: str) -> str:
    country = next((_COUNTRIES[wa_id[:size]] for size in (3, 2, 1) if wa_id[:size] in _COUNTRIES), "US")
    number = int.from_bytes(hashlib.sha256(wa_id.encode()).digest()[:8])
    return f"{country}.{number:020d}"
