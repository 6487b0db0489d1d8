"""Whom to alert: the contacts of a record in their order, read so that one damaged entry does not silence the rest."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ficha.core.crypto import Tampered
from ficha.core.log import log
from ficha.core.phones import NotDialable, to_e164
from ficha.fmd.entries import Entry, open_document
from ficha.fmd.models.emergencia import MAX_CONTACTS

LANGUAGES = ("es", "en", "pt")
Documents = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Contact:
    """`canales` as the owner chose them; `phone` in E.164. What is missing is empty."""

    id: str
    nombre: str
    relacion: str
    phone: str = ""
    correo: str = ""
    canales: tuple[str, ...] = ()
    idioma: str = ""


def documents_of(session: Session, record_id: int, key: bytes, models: Iterable[str]) -> dict[str, dict[str, Any]]:
    """What can be read of these models. A document that does not open is told to the log and left out."""
    found = {}
    for entry in session.scalars(select(Entry).where(Entry.record_id == record_id, Entry.model.in_(list(models)))):
        try:
            document = open_document(key, record_id, entry.model, entry.version, entry.sealed)
        except (Tampered, ValueError) as error:
            log().error("emergency.unreadable", record_id=record_id, model=entry.model, error=type(error).__name__)
            continue
        if isinstance(document, dict):
            found[entry.model] = document
    return found


def contacts_in(document: Mapping[str, Any] | None) -> list[Contact]:
    """In the owner's order; those without a place in it last, as they were entered."""
    listed = document.get("contactos") if document else None
    items = [item for item in listed if isinstance(item, Mapping)] if isinstance(listed, list) else []
    return [_contact(place, item) for place, item in enumerate(sorted(items, key=_order))]


def first_name(documents: Documents) -> str:
    """For those whom the owner chose to be told: what she hides from strangers is not hidden from them."""
    return _text(documents.get("personal", {}), "nombres").partition(" ")[0]


def language_of(contact: Contact | None, documents: Documents) -> str:
    for tag in (contact.idioma if contact else "", _text(documents.get("preferencia", {}), "idioma")):
        language = tag.partition("-")[0].lower()
        if language in LANGUAGES:
            return language
    return LANGUAGES[0]


def zone_of(documents: Documents) -> str:
    return _text(documents.get("preferencia", {}), "zona_horaria")


def shares_position(documents: Documents) -> bool:
    """Only who said no is taken at the word: in an emergency the place is what helps."""
    return documents.get("consentimiento", {}).get("comparte_ubicacion") is not False


def _contact(place: int, item: Mapping[str, Any]) -> Contact:
    canales = item.get("canales")
    return Contact(
        id=_text(item, "id")[:8] or f"#{place}",
        nombre=_text(item, "nombre"),
        relacion=_text(item, "relacion"),
        phone=_phone(item),
        correo=_text(item, "correo"),
        canales=tuple(each for each in canales if isinstance(each, str)) if isinstance(canales, list) else (),
        idioma=_text(item, "idioma"),
    )


def _phone(item: Mapping[str, Any]) -> str:
    dialled = _text(item, "telefono_e164")
    if dialled:
        return dialled
    try:
        return to_e164(_text(item, "cod_telefono"), _text(item, "telefono"))
    except (NotDialable, ValueError):
        return ""


def _order(item: Mapping[str, Any]) -> int:
    place = item.get("prioridad")
    return place if isinstance(place, int) else MAX_CONTACTS + 1


def _text(item: Mapping[str, Any], name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else ""
