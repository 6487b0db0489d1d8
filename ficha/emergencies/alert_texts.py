"""What an alert says: a first name, a time and a place, and never anything about health."""

from dataclasses import dataclass, field

from ficha.core.crypto import Keyring
from ficha.core.phones import zone_of_number
from ficha.core.transaction import Transaction
from ficha.emergencies.contacts import Contact, language_of
from ficha.emergencies.emergency import AnyEmergency
from ficha.emergencies.positions import MapProvider, Position, map_url, opened_landmark, opened_position
from ficha.fmd.dates_and_amounts import local_time_text
from ficha.fmd.records import Record, RecordRow
from ficha.fmd.stored_documents import Documents, documents_of, unfiltered_first_name, zone_of
from ficha.fmd.translations import Translated

ALERT_MODELS = ("emergencia", "personal", "preferencia")

SOMEBODY = Translated(
    "La persona que lo eligió como contacto de emergencia",
    "The person who chose you as an emergency contact",
    "A pessoa que escolheu você como contato de emergência",
)
NO_POSITION = Translated("sin ubicación", "position not known", "sem localização")
ABOUT = Translated("unos {} m alrededor", "within about {} m", "cerca de {} m ao redor")


@dataclass(frozen=True)
class AlertSource:
    """What the alerts of an emergency are made from. `key` is the record's."""

    emergency: AnyEmergency
    record: Record | RecordRow
    key: bytes = field(repr=False)
    documents: Documents


def alert_source(tx: Transaction, keyring: Keyring, emergency: AnyEmergency, record: Record | RecordRow) -> AlertSource:
    key = record.open_key(keyring)
    return AlertSource(emergency, record, key, documents_of(tx, record.id, key, ALERT_MODELS))


@dataclass(frozen=True)
class AlertText:
    """The parts of an alert in the contact's language. `is_test`: nothing happened, and the message says so."""

    language: str
    person: str
    time: str
    where: str
    is_test: bool = False


def alert_text(source: AlertSource, contact: Contact, zone_here: str) -> AlertText:
    """The hour is that of the contact's number, else of the record, else of the service."""
    emergency, documents = source.emergency, source.documents
    language = language_of(contact, documents)
    zone = zone_of_number(contact.phone) or zone_of(documents) or zone_here
    return AlertText(
        language,
        person=unfiltered_first_name(documents) or SOMEBODY.in_language(language),
        time=local_time_text(emergency.opened_at, zone, language),
        where=where_of(source, language),
        is_test=emergency.is_drill,
    )


def where_of(source: AlertSource, language: str) -> str:
    """Of the emergency as it is now."""
    emergency = source.emergency
    position = opened_position(source.key, emergency.record_id, emergency.position)
    return where_text(position, language, opened_landmark(source.key, emergency.record_id, emergency.landmark))


def where_text(position: Position | None, language: str, landmark: str = "") -> str:
    """The landmark and a link to a map, as far as they are known."""
    if position is None:
        return landmark or NO_POSITION.in_language(language)
    link = _with_accuracy(map_url(MapProvider.GOOGLE, position.lat, position.lng), position, language)
    return f"{landmark}. {link}" if landmark else link


def coordinates_text(position: Position, language: str) -> str:
    """For a page that shows a link to a map beside it."""
    return _with_accuracy(f"{position.lat:.5f}, {position.lng:.5f}", position, language)


def _with_accuracy(where: str, position: Position, language: str) -> str:
    if position.accuracy_m is None:
        return where
    return f"{where} ({ABOUT.in_language(language).format(round(position.accuracy_m))})"
