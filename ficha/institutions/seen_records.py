"""What is noted in the records of an institution's people when somebody who works there looks at several at once."""

from collections.abc import Iterable
from datetime import datetime

from ficha.audit.read_log import ReadLog
from ficha.fmd.grants import GrantKind
from ficha.institutions.people_list import ListedMember


def note_lacks(read_log: ReadLog, members: Iterable[ListedMember], account_id: int, now: datetime, origin: str) -> None:
    """That the account saw whether each lacks a contact or a sticker. Raises ReadNotLogged."""
    who, via = f"account:{account_id}", GrantKind.INSTITUTION
    for member in members:
        read_log.note(member.record_id, who, "record.listed", ["emergencia"], now, via=via, origin=origin)


def note_printed(
    read_log: ReadLog, members: Iterable[ListedMember], account_id: int, now: datetime, origin: str
) -> None:
    """That the account printed the code of each. Raises ReadNotLogged."""
    who, via = f"account:{account_id}", GrantKind.INSTITUTION
    for member in members:
        read_log.note(member.record_id, who, "sticker.printed", [member.bp_code], now, via=via, origin=origin)
