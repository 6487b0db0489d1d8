"""The whole log at once: every entry, what anchors and their copies know of it, and the triggers that guard it."""

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from ficha.audit.anchors import AnchorKey
from ficha.audit.verify import verify_all
from ficha.audit.verify_anchors import verify_anchors, verify_copies
from ficha.audit.verify_guards import verify_guards
from ficha.core.db import Database
from ficha.core.secrets import Secrets


class LogFault(NamedTuple):
    record: str
    entry: str
    fault: str


def verify_log(
    database: Database, secrets: Secrets, now: datetime, copies: Sequence[Path], progress: Callable[[int], None]
) -> list[LogFault]:
    """What is wrong; nothing, if the log is whole. `copies` are places with copies of anchors. Raises KeyDestroyed or
    Tampered if the log's key does not open."""
    with database.reading() as tx:
        broken = verify_all(tx, progress)
        key = AnchorKey(secrets)
        anchors = verify_anchors(tx, key, now)
        anchors += [fault for place in copies for fault in verify_copies(tx, key, place)]
        return [
            *(LogFault(str(entry.record_id), str(entry.seq), entry.fault.value) for entry in broken),
            *(LogFault("", f"anchor {anchor.number}", anchor.fault.value) for anchor in anchors),
            *(LogFault("", guard.trigger, guard.fault.value) for guard in verify_guards(tx)),
        ]
