"""What records lack, of those people who let their institution look, for whoever has the medical role there."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime

from ficha.audit.read_log import ReadLog
from ficha.core.transaction import Transaction
from ficha.emergencies.missing_facts import MISSED_MODELS, lacks_seen
from ficha.fmd.access import rights_of
from ficha.fmd.grants import GrantKind
from ficha.fmd.statements import entries_by_record
from ficha.fmd.stored_documents import readable
from ficha.institutions.people_list import ListedMember


def lacks_of_members(tx: Transaction, members: Sequence[ListedMember], today: date) -> Mapping[int, list[str]]:
    """By the member's number, of those who are open: whoever shows it notes the look. One statement for all."""
    seen = [member for member in members if member.is_open]
    sealed = entries_by_record(tx, [member.record_id for member in seen])
    door = rights_of(GrantKind.INSTITUTION, edits=False).door
    return {
        member.id: lacks_seen(readable(member.record_id, member.key, sealed[member.record_id]), door, today)
        for member in seen
    }


def note_lacks(read_log: ReadLog, members: Iterable[ListedMember], account_id: int, now: datetime, origin: str) -> None:
    """That the account saw of each what her record lacks. Raises ReadNotLogged."""
    who, via = f"account:{account_id}", GrantKind.INSTITUTION
    for member in members:
        read_log.note(member.record_id, who, "record.listed", list(MISSED_MODELS), now, via=via, origin=origin)


def note_printed(
    read_log: ReadLog, members: Iterable[ListedMember], account_id: int, now: datetime, origin: str
) -> None:
    """That the account printed the code of each. Raises ReadNotLogged."""
    who, via = f"account:{account_id}", GrantKind.INSTITUTION
    for member in members:
        read_log.note(member.record_id, who, "sticker.printed", [member.bp_code], now, via=via, origin=origin)
