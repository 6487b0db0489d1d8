"""What a record still lacks, the most important first: what keeps it from protecting, what is advised, and what would
make it fuller. Every page that says whether a record protects, or what to do next, asks here."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import NamedTuple

from ficha.accounts.accounts import AccountRow
from ficha.audit.statements import Openings, openings_of
from ficha.core.secrets import Secrets
from ficha.core.settings import Settings
from ficha.core.transaction import Transaction
from ficha.emergencies.channels.catalog import CHANNELS
from ficha.emergencies.channels.whatsapp import WhatsAppChannel
from ficha.emergencies.contacts import contacts_in
from ficha.emergencies.emergency import TargetRow, targets_of
from ficha.emergencies.ladder import PlannedStep, plan_steps
from ficha.emergencies.reachability import closed_by
from ficha.emergencies.statements import targets_of_records
from ficha.fmd.access import OpenFmd
from ficha.fmd.base import Document, has_data
from ficha.fmd.stored_documents import Documents
from ficha.fmd.values import first_day
from ficha.messaging.threads import stopped_numbers
from ficha.products.product import LiveCode
from ficha.products.statements import live_codes

DRILL_WITHIN = timedelta(days=365)
ALLERGIES = ("alergiasm", "alergiasa")
# What is read to know whether a record protects.
BLOCKING_MODELS = ("personal", "emergencia", *ALLERGIES)
# A device is not waited for: these ways reach somebody who never opened our pages.
SURE_WAYS = [channel for channel in CHANNELS if channel.is_default]
VERIFICATION_PATH = "/app/mi-cuenta/verificar"


class Lack(NamedTuple):
    """`name` is that of its sentence, `path` the page on which it is mended. While one `is_blocking`, the record does
    not protect."""

    name: str
    is_blocking: bool
    path: str


@dataclass(frozen=True)
class JudgedRecord:
    """What of a record is looked at. `code` is one by which its pages are opened, empty where its last one ended. Who
    does not manage it is told only of what its forms lack: the rest is not hers to see or mend."""

    id: int
    code: str
    documents: Documents
    stickers: Sequence[LiveCode]
    manages: bool = True


class ContactWays(NamedTuple):
    """Of all contacts of a record, by ways that need no device."""

    is_any: bool
    is_any_open: bool
    is_any_confirmed: bool


def lacks_of(
    tx: Transaction,
    secrets: Secrets,
    settings: Settings,
    account: AccountRow,
    records: Sequence[JudgedRecord],
    openings: Openings,
    now: datetime,
) -> dict[int, list[Lack]]:
    """By record; `openings` are those of these records, and the account is who reads. Two statements, however many
    records there are."""
    ways_of = _ways_of(tx, secrets, settings, records)
    is_verified = account.correo_verificado_en is not None
    found = {}
    for record in records:
        ways = ways_of[record.id]
        drilled, documents = openings.rehearsed.get(record.id), record.documents
        blocking = list(_blocking(record, ways))
        others = list(_advised(record, ways, is_verified, drilled, now))
        others += [(one.name, one.model) for one in SUGGESTIONS if one.applies(documents, now.date())]
        found[record.id] = [
            Lack(name, is_blocking, page if page.startswith("/") else f"/app/{record.code}/{page}")
            for is_blocking, lacks in ((True, blocking), (False, others))
            for name, page in lacks
        ]
    return found


def lacks_of_one(
    tx: Transaction,
    secrets: Secrets,
    settings: Settings,
    account: AccountRow,
    fmd: OpenFmd,
    code: str,
    documents: Documents,
    now: datetime,
) -> list[Lack]:
    """Of one record that is open; `documents` are what its reader sees of it, and who may not change it lacks nothing
    that she could mend."""
    if not fmd.rights.changes:
        return []
    judged = JudgedRecord(fmd.id, code, documents, live_codes(tx, [fmd.id]), fmd.rights.manages)
    return lacks_of(tx, secrets, settings, account, [judged], openings_of(tx, [fmd.id]), now)[fmd.id]


def blocking_lacks(
    tx: Transaction, secrets: Secrets, settings: Settings, records: Sequence[JudgedRecord]
) -> dict[int, set[str]]:
    """By record: the names of what keeps it from protecting, judged as for its owner. Two statements."""
    ways = _ways_of(tx, secrets, settings, records)
    return {record.id: {name for name, _ in _blocking(record, ways[record.id])} for record in records}


def _ways_of(
    tx: Transaction, secrets: Secrets, settings: Settings, records: Sequence[JudgedRecord]
) -> dict[int, ContactWays]:
    """By record; of one that the reader does not manage, none."""
    planned = {
        record.id: plan_steps(contacts_in(record.documents.get("emergencia")), SURE_WAYS)
        for record in records
        if record.manages
    }
    targets = targets_of_records(tx, list(planned))
    numbers = {step.address for steps in planned.values() for step in steps if step.channel == WhatsAppChannel.name}
    stopped = stopped_numbers(tx, settings.whatsapp_phone_number_id, numbers - {""})
    return {record.id: _ways(secrets, record.id, planned.get(record.id, []), targets, stopped) for record in records}


def _ways(
    secrets: Secrets,
    record_id: int,
    steps: Sequence[PlannedStep],
    targets: dict[tuple[int, bytes], TargetRow],
    stopped: set[str],
) -> ContactWays:
    is_any_open = is_any_confirmed = False
    for step in steps:
        if not step.address or (step.channel == WhatsAppChannel.name and step.address in stopped):
            continue
        both = targets_of(secrets, step.channel, step.address)
        rows = [row for target in both if (row := targets.get((record_id, target))) is not None]
        # As `known_target` chooses.
        known = min(rows, key=lambda row: (row.refused_at is None, row.confirmed_at is None), default=None)
        if closed_by(known) is not None:
            continue
        is_any_open = True
        is_any_confirmed |= known is not None and known.confirmed_at is not None
    return ContactWays(any(step.address for step in steps), is_any_open, is_any_confirmed)


def _blocking(record: JudgedRecord, ways: ContactWays) -> Iterator[tuple[str, str]]:
    personal = record.documents.get("personal", {})
    if not (has_data(personal.get("nombres")) or has_data(personal.get("apellidos"))):
        yield "name", "personal"
    if record.manages and not ways.is_any:
        yield "contact", "emergencia"
    elif record.manages and not ways.is_any_open:
        yield "contact_closed", "personas"
    if record.manages and not any(code.is_sticker and code.is_confirmed for code in record.stickers):
        waits = any(not code.is_confirmed for code in record.stickers)
        yield "sticker_unconfirmed" if waits else "sticker", "etiquetas"
    for model in ALLERGIES:
        for index, allergy in enumerate(_items(record.documents.get(model), "alergias")):
            if not has_data(allergy.get("criticidad")):
                yield "severity", f"{model}?en=alergias.{index}"
                return


def _advised(
    record: JudgedRecord, ways: ContactWays, is_verified: bool, drilled: datetime | None, now: datetime
) -> Iterator[tuple[str, str]]:
    if record.manages and not is_verified:
        yield "correo", VERIFICATION_PATH
    if record.manages and ways.is_any_open and not ways.is_any_confirmed:
        yield "contact_unconfirmed", "personas"
    if record.manages and (drilled is None or drilled < now - DRILL_WITHIN):
        yield "drill" if drilled is None else "drill_old", "simulacro"
    if any(has_uncoded_fact(document) for document in record.documents.values()):
        yield "uncoded", "codigos"


def has_uncoded_fact(document: object) -> bool:
    """Whether any of its facts names something in words alone, which no rule can judge and no other language has."""
    return any(
        has_data(term.get("texto")) and not has_data(term.get("codigo"))
        for fact in _facts(document)
        for term in (fact, *(value for value in fact.values() if isinstance(value, dict)))
    )


@dataclass(frozen=True)
class Suggestion:
    """Applies where `field` of the model is empty; where `code` is given, to its facts with such a code that lack
    `field`; where `days` is given, to facts that nobody confirmed for so long."""

    name: str
    model: str
    field: str = ""
    code: str = ""
    days: int = 0

    def applies(self, documents: Documents, today: date) -> bool:
        document = documents.get(self.model, {})
        if self.code:
            return any(not has_data(fact.get(self.field)) for fact in _facts(document) if self._has_code(fact))
        if self.days:
            return any(_age(fact, today) > self.days for fact in _facts(document))
        return not has_data(document.get(self.field) if self.field else document)

    def _has_code(self, fact: Document) -> bool:
        values = (value for value in fact.values() if isinstance(value, dict))
        return any(str(value.get("codigo", "")).startswith(self.code) for value in values)


SUGGESTIONS: Sequence[Suggestion] = (
    Suggestion("medicine_allergies", "alergiasm"),
    Suggestion("allergies", "alergiasa"),
    Suggestion("medicines", "medicacion"),
    Suggestion("since_when", "medicacion", "desde", code="B01A"),
    Suggestion("old_medicines", "medicacion", days=180),
    Suggestion("health", "salud"),
    Suggestion("surnames", "personal", "apellidos"),
    Suggestion("blood", "cuerpo", "grupo_sanguineo"),
    Suggestion("birth", "personal", "fecha_nacimiento"),
)


def _items(document: object, name: str) -> list[Document]:
    listed = document.get(name) if isinstance(document, dict) else None
    return [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []


def _facts(document: object) -> list[Document]:
    lists = [each for each in document.values() if isinstance(each, list)] if isinstance(document, dict) else []
    return [item for listed in lists for item in listed if isinstance(item, dict)]


def _age(fact: Document, today: date) -> int:
    confirmed = fact.get("confirmado_en")
    day = first_day(confirmed) if isinstance(confirmed, str) else None
    return (today - day).days if day else 0
