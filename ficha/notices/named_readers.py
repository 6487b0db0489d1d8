"""Who a notice is about, in words: the name and the reason that were given. Both are sealed with the record's key."""

from dataclasses import dataclass
from datetime import datetime

from ficha.accounts.accounts import Account
from ficha.core.crypto import Tampered, unseal
from ficha.core.plain_names import plain_name, without_links
from ficha.core.transaction import Transaction
from ficha.fmd.break_glass import DURATION, broken_between, identity_of
from ficha.messaging.opened_messages import OpenedMessage, why_place
from ficha.notices.notices import ReaderKind, ReadNotice

UNKNOWN = "—"


@dataclass(frozen=True)
class NamedReader:
    at: datetime
    who: str
    why: str


def readers_of(tx: Transaction, notice: ReadNotice, key: bytes) -> list[NamedReader]:
    """All who broke the glass from the notice's first on, until it was told; or the one of staff. `key` is the
    record's, so that no notice tells of somebody at another record."""
    kind, _, number = notice.reader.partition(":")
    if not number.isdigit():
        return []
    if kind == ReaderKind.GLASS:
        broken = broken_between(tx, notice.record_id, int(number), notice.told_at or notice.at)
        found = [(glass.ends_at - DURATION, identity_of(glass, key)) for glass in broken]
        return [NamedReader(at, said.who or UNKNOWN, said.why or UNKNOWN) for at, said in found]
    opened = tx.orm.get(OpenedMessage, int(number)) if kind == ReaderKind.STAFF else None
    if opened is None or opened.record_id != notice.record_id:
        return []
    account = tx.orm.get(Account, opened.account_id)
    try:
        why = without_links(unseal(key, opened.why, why_place(opened.record_id)).decode())
    except Tampered:
        why = UNKNOWN
    return [NamedReader(opened.at, plain_name(account.nombre if account else "") or UNKNOWN, why)]
