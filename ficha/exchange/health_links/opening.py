"""Opening a Health Link: by its secret, and by the passcode if it asks for one. What may not be opened is not there."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from ficha.core.crypto import Keyring, Tampered, unseal
from ficha.core.secrets import KeyDestroyed
from ficha.core.transaction import Transaction
from ficha.exchange.health_links.links import key_sealing_context, passcode_hash, secret_hash_of
from ficha.exchange.health_links.openings import sealed_recipient
from ficha.exchange.health_links.statements import LinkRow, insert_opening, link_by_id, link_by_secret, try_to_open
from ficha.fmd.records import RecordRow


@dataclass(frozen=True)
class LiveLink:
    """A link that may be opened now, with its record. `key` encrypts its files, `record_key` opens the record."""

    row: LinkRow = field(repr=False)
    record: RecordRow
    record_key: bytes = field(repr=False)
    key: bytes = field(repr=False)

    @property
    def id(self) -> int:
        return self.row.link_id

    @property
    def is_used(self) -> bool:
        return self.row.openings > 0


class WrongPasscode(NamedTuple):
    attempts_left: int


def find_health_link(tx: Transaction, keyring: Keyring, secret: str, now: datetime) -> LiveLink | None:
    """None if there is none, or if it has ended, was used or is blocked: nobody learns which."""
    found = _live_link(keyring, link_by_secret(tx, secret_hash_of(secret), now))
    return None if found is None or (found.row.once and found.is_used) else found


def opened_health_link(tx: Transaction, keyring: Keyring, link_id: int, now: datetime) -> LiveLink | None:
    """One that was opened a moment ago, and of which a file is fetched."""
    found = _live_link(keyring, link_by_id(tx, link_id, now))
    return found if found is not None and found.is_used else None


def open_health_link(
    tx: Transaction, link: LiveLink, passcode: str | None, recipient: str, now: datetime
) -> WrongPasscode | None:
    """Counts it and notes who it was. None: it is open. Raises LinkGone if another request was faster. Without any
    passcode where one is needed nothing is counted: nobody has guessed."""
    row = link.row
    if row.has_passcode and passcode is None:
        return WrongPasscode(row.attempts_left)
    tried = passcode_hash(link.record_key, row.secret_hash, passcode or "" if row.has_passcode else "")
    counted = try_to_open(tx, link.id, tried, now)
    if counted is None:
        raise LinkGone
    if not counted.is_right:
        return WrongPasscode(counted.attempts_left)
    insert_opening(tx, link.id, now, sealed_recipient(link.record_key, link.id, recipient))
    return None


class LinkGone(Exception):
    """It was there when it was looked for, and opens no more."""


def _live_link(keyring: Keyring, found: tuple[LinkRow, RecordRow] | None) -> LiveLink | None:
    if found is None:
        return None
    link, record = found
    try:
        record_key = record.open_key(keyring)
        key = unseal(record_key, link.sealed_key, key_sealing_context(link.secret_hash))
    except (KeyDestroyed, Tampered):
        return None
    return LiveLink(link, record, record_key, key)
