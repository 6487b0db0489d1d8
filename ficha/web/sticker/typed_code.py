"""What a typed code tells about its owner: a first name, languages and a country. Nothing clinical."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ficha.accounts.accounts import Idioma
from ficha.core.transaction import Transaction
from ficha.emergencies.alert_progress import ProgressKind, ProgressLine
from ficha.emergencies.contacts import zone_for_strangers
from ficha.emergencies.opening import permission_by_code
from ficha.fmd.access import FmdNotFound
from ficha.fmd.base import Door
from ficha.fmd.readable_documents import documents_of
from ficha.fmd.responder.person import COUNTRY_MODELS, likely_country, person_summary
from ficha.fmd.responder.record_reader import RecordReader
from ficha.parts import Parts
from ficha.web.kit.alert_headlines import Reader, headline
from ficha.web.sticker.page_facts import AlertFacts


@dataclass(frozen=True)
class CodeOwner:
    record_id: int
    first_name: str
    country: str
    documents: dict[str, Any]
    at: datetime

    def languages(self, language: Idioma) -> str:
        return person_summary(RecordReader(self.documents, Door.R, self.at.date(), language.value)).languages


def typed_alert(owner: CodeOwner | None, held: datetime | None, language: Idioma) -> AlertFacts:
    """What whoever typed the code is told of the alert: that we have it, and when it leaves while it is held back."""
    if owner is None or held is None:
        return AlertFacts()
    line = ProgressLine(ProgressKind.HELD_BACK, owner.at, 0, until=held)
    return AlertFacts(title=headline(Reader.STRANGER, [line], language, zone_for_strangers(owner.documents)))


def find_code_owner(tx: Transaction, parts: Parts, code: str, now: datetime) -> CodeOwner | None:
    """None if the code opens no record."""
    try:
        permission = permission_by_code(tx, parts.keyring, code, "")
    except FmdNotFound:
        return None
    documents = documents_of(tx, permission.record.id, permission.key, COUNTRY_MODELS)
    record = RecordReader(documents, Door.R, now.date(), "es")
    return CodeOwner(permission.record.id, person_summary(record).given, likely_country(record), documents, now)
