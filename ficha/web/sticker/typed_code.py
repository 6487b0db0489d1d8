"""What a code that was only typed may tell: a first name, a language, a country. Nothing clinical, and no more."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from ficha.accounts.accounts import Idioma
from ficha.emergencies.alert_permission import permission_by_code
from ficha.fmd.access import FmdNotFound
from ficha.fmd.base import Door
from ficha.fmd.readable_documents import documents_of
from ficha.fmd.responder.people import country, who
from ficha.fmd.responder.record_reader import Reading
from ficha.parts import Parts


@dataclass(frozen=True)
class Named:
    record_id: int
    first_name: str
    country: str
    documents: dict[str, Any]
    at: datetime

    def languages(self, language: Idioma) -> str:
        return who(Reading(self.documents, Door.R, self.at.date(), language.value)).languages


def named(session: Session, parts: Parts, code: str, now: datetime) -> Named | None:
    try:
        alarm = permission_by_code(session, parts.keyring, code, "")
    except FmdNotFound:
        return None
    documents = documents_of(session, alarm.record.id, alarm.key, ["personal", "consentimiento"])
    reading = Reading(documents, Door.R, now.date(), "es")
    return Named(alarm.record.id, who(reading).given, country(reading), documents, now)
