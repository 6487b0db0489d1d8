"""What can be measured. A new entry is one file here and one line in ENTRIES."""

from bench.entries import login, me, renew
from bench.entries.entry import Entry

ENTRIES: dict[str, Entry] = {entry.name: entry for entry in (me.ENTRY, renew.ENTRY, login.ENTRY)}
