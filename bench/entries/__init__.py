"""What can be measured. A new entry is one file here and one line in ENTRIES."""

from bench.entries import (
    fmd_exists_model,
    fmd_exists_record,
    fmd_models,
    fmd_one_model,
    fmd_patch,
    fmd_record,
    login,
    me,
    renew,
    responder,
    webhook,
)
from bench.entries.entry import Entry

ENTRIES: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        me.ENTRY,
        renew.ENTRY,
        login.ENTRY,
        fmd_exists_model.ENTRY,
        fmd_exists_record.ENTRY,
        fmd_one_model.ENTRY,
        fmd_models.ENTRY,
        fmd_record.ENTRY,
        fmd_patch.ENTRY,
        responder.ENTRY,
        webhook.ONE,
        webhook.HUNDRED,
        webhook.THOUSAND,
    )
}
