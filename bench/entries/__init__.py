"""What can be measured. A new entry is one file here and one line in ENTRIES."""

from bench.entries import (
    console_people,
    events,
    family,
    fmd_exists_model,
    fmd_exists_record,
    fmd_models,
    fmd_one_model,
    fmd_patch,
    fmd_record,
    fmd_terms,
    login,
    manifest,
    me,
    mixed,
    register,
    renew,
    responder,
    services,
    webhook,
)
from bench.entries.entry import Entry

ENTRIES: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        mixed.ENTRY,  # First: its memory begins where a server's does.
        me.ENTRY,
        renew.ENTRY,
        login.ENTRY,
        register.ENTRY,
        fmd_exists_model.ENTRY,
        fmd_exists_record.ENTRY,
        fmd_one_model.ENTRY,
        fmd_models.ENTRY,
        fmd_record.ENTRY,
        fmd_patch.ENTRY,
        fmd_terms.ENTRY,
        events.ENTRY,
        responder.ENTRY,
        manifest.ENTRY,
        services.ENTRY,
        console_people.ENTRY,
        family.FAMILY,
        family.FORM,
        webhook.ONE,
        webhook.HUNDRED,
        webhook.THOUSAND,
    )
}
