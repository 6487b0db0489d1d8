"""What can be wrong with the log, in the words that `ficha audit verify` prints."""

from dataclasses import dataclass
from enum import StrEnum


class Fault(StrEnum):
    ALTERED = "altered"
    MISSING = "missing before it"
    REPLACED = "the one before it was replaced"
    REORDERED = "reordered"
    INSERTED = "inserted"
    MOVED = "taken from another record"
    REHASHED = "hashed again without the key"
    CUT = "cut off: an anchor knows this entry"
    NOT_ANCHORED = "replaced: an anchor knows another entry here"


@dataclass(frozen=True)
class BrokenEntry:
    record_id: int
    seq: int
    fault: Fault


class AnchorFault(StrEnum):
    FORGED = "forged: the signature is not ours"
    ENDS_ALTERED = "its list of entries was altered"
    MISSING = "an anchor before it is missing"
    OLDER_DATABASE = "not in the database, which is older or was cut"
    OTHER_DATABASE = "not the one in the database, which was replaced"
    COPY_FORGED = "the copy kept apart was forged or damaged"
    NONE_LATELY = "no newer anchor, though older entries wait for one: do jobs run?"


@dataclass(frozen=True)
class BrokenAnchor:
    number: int
    fault: AnchorFault


class GuardFault(StrEnum):
    MISSING = "the trigger that refuses changes is gone, off or altered"
    UNKNOWN = "a trigger that is not ours"


@dataclass(frozen=True)
class BrokenGuard:
    trigger: str
    fault: GuardFault
