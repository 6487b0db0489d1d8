"""The lines of a record that a sticker holds: only what a responder may see, the most urgent first, as many as fit."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from ficha.core.crypto import Keyring
from ficha.core.transaction import Transaction
from ficha.fmd.access import OpenFmd
from ficha.fmd.base import Door
from ficha.fmd.catalog import CATALOG, Catalog
from ficha.fmd.offline import lines
from ficha.fmd.offline.keys import signing_key
from ficha.fmd.offline.lines import MORE, SummaryLine
from ficha.fmd.offline.packing import fits, pack, unpack
from ficha.fmd.offline.wording import escaped
from ficha.fmd.responder.build_view import why_no_signs
from ficha.fmd.responder.person import likely_country
from ficha.fmd.responder.record_reader import RecordReader
from ficha.fmd.rules.record_for_rules import RecordForRules
from ficha.fmd.rules.signs import found_signs
from ficha.fmd.rules.withdrawn_rules import NONE_WITHDRAWN, WithdrawnRules, withdrawn_rules
from ficha.fmd.stored_documents import stored_documents

MAX_NAME = 60
# How to help, in so few letters, says more than the advice whose place it takes.
SHORT_HELP = 60


@dataclass(frozen=True)
class OfflineSummary:
    """`always` are short lines that are never left out; `by_urgency` are all others."""

    head: str
    always: Sequence[str]
    by_urgency: Sequence[SummaryLine]

    def text(self, fits: Callable[[str], bool]) -> str:
        """One line after the other, each whole if it fits beside those before it, else in its short form, else not at
        all. If some are not whole, the last line says how many."""
        said = [line.least for line in self.by_urgency]
        left = sum(line.least != line.whole for line in self.by_urgency)
        text = self._joined(said, left)
        for index, line in enumerate(self.by_urgency):
            for form in line.forms:
                trial = [*said[:index], form, *said[index + 1 :]]
                left_then = left - (form == line.whole)
                if fits(found := self._joined(trial, left_then)):
                    said, left, text = trial, left_then, found
                    break
        return text

    def _joined(self, said: Sequence[str], left: int) -> str:
        return "\n".join([self.head, *filter(None, said), *self.always, *([f"{MORE}{left}"] if left else [])])


def offline_summary(
    documents: Mapping[str, Any],
    code: str,
    today: date,
    catalog: Catalog = CATALOG,
    *,
    withdrawn: WithdrawnRules = NONE_WITHDRAWN,
) -> OfflineSummary:
    """`documents` is the whole record. Only what the responder's door may see of it is used."""
    reader = RecordReader(documents, Door.R, today, "es", catalog=catalog)
    record = RecordForRules(reader.visible, today, on_paper=True)
    found = found_signs(record, withdrawn)
    contacts = list(lines.contacts(record))
    helping = list(lines.how_to_help(record))
    claims = lines.claim_without_signs(found, None if reader.consent_unreadable else why_no_signs(reader, found))
    by_urgency = [
        *lines.stops(found),
        # The first contact is more useful than the seventh allergy.
        *contacts[:1],
        *lines.allergies(record, found),
        *lines.unjudged(record, found),
        *lines.conditions(record, found),
        *lines.critical_medicines(record),
        *lines.directive(record),
        *(line for line in helping if len(line.whole) <= SHORT_HELP),
        # What to do costs a few letters for each sign, as the viewer has the words: no long text takes their place.
        *lines.advice(record, found, withdrawn),
        *helping,
        *contacts[1:],
        *lines.others(reader),
    ]
    return OfflineSummary(
        head=f"{code}{today:%Y%m%d}{_birth(record)}\n{_name(record)}",
        always=[*claims, *lines.country(likely_country(reader))],
        by_urgency=list(dict.fromkeys(by_urgency)),
    )


def offline_fragment(
    tx: Transaction, keyring: Keyring, fmd: OpenFmd, code: str, now: datetime, *, max_letters: int
) -> str:
    """For a sticker's link. At most `max_letters`, unless the name and the kinds of the stop signs alone take more."""
    documents = {model: entry.document for model, entry in stored_documents(tx, fmd.id, fmd.key).items()}
    summary = offline_summary(documents, code, now.date(), withdrawn=withdrawn_rules(tx))
    text = summary.text(lambda text: fits(text, max_letters))
    key = signing_key(tx, keyring, now)
    fragment = pack(text, key)
    if unpack(fragment, {key.id: key.public}) != text:
        raise AssertionError("a sticker that cannot be read again")
    return fragment


def _name(record: RecordForRules) -> str:
    parts = (record.value(f"personal/{field}") for field in ("nombres", "apellidos"))
    return escaped(lines.cut(" ".join(part for part in parts if isinstance(part, str)), MAX_NAME))


def _birth(record: RecordForRules) -> str:
    """Year and month: enough for an age. The full date could help to impersonate the person."""
    born = record.value("personal/fecha_nacimiento")
    return born[:7].replace("-", "") if isinstance(born, str) else ""
