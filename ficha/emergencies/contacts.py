"""The contacts of a record in their order, read so that one damaged entry does not hide the others, and their time
zones: an hour in the zone of somebody else helps nobody."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ficha.core.phones import NotDialable, to_e164, zone_of_number
from ficha.fmd.base import Door
from ficha.fmd.consent import visible_documents
from ficha.fmd.models.people import MAX_CONTACTS
from ficha.fmd.stored_documents import Documents, text_in

CONTACT_LANGUAGES = ("es", "en", "pt")


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


def contacts_in(document: Mapping[str, Any] | None) -> list[Contact]:
    """In the order of `prioridad`; those without one last, as they were entered."""
    return [_contact(index, item) for index, item in enumerate(sorted(_items(document), key=_order))]


def contact_with(documents: Documents, contact_id: str | None) -> Contact | None:
    contacts = contacts_in(documents.get("emergencia"))
    return next((contact for contact in contacts if contact.id == contact_id), None)


def door_of_number(documents: Documents, contact_id: str) -> Door:
    """By which door a stranger sees this contact's number. The owner's consent must be among the documents."""

    def shows(door: Door) -> bool:
        seen = contacts_in(visible_documents(documents, door).get("emergencia"))
        return any(contact.id == contact_id and contact.phone for contact in seen)

    return next((door for door in (Door.R, Door.B) if shows(door)), Door.P)


def has_reachable_contact(document: Mapping[str, Any] | None) -> bool:
    """Whether any has a phone or a correo. Asked for every opened page, so numbers are parsed last: that is slow."""
    items = _items(document)
    if any(text_in(item, "correo") or text_in(item, "telefono_e164") for item in items):
        return True
    return any(_phone(item) for item in items)


def language_of(contact: Contact | None, documents: Documents) -> str:
    for tag in (contact.idioma if contact else "", text_in(documents.get("preferencia", {}), "idioma")):
        language = tag.partition("-")[0].lower()
        if language in CONTACT_LANGUAGES:
            return language
    return CONTACT_LANGUAGES[0]


def shares_position(documents: Documents) -> bool:
    """True unless the owner said no: in an emergency the position is what helps."""
    return documents.get("consentimiento", {}).get("comparte_ubicacion") is not False


def _items(document: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    listed = document.get("contactos") if document else None
    return [item for item in listed if isinstance(item, Mapping)] if isinstance(listed, list) else []


def _contact(index: int, item: Mapping[str, Any]) -> Contact:
    canales = item.get("canales")
    return Contact(
        id=text_in(item, "id")[:8] or f"#{index}",
        nombre=text_in(item, "nombre"),
        relacion=text_in(item, "relacion"),
        phone=_phone(item),
        correo=text_in(item, "correo"),
        canales=tuple(each for each in canales if isinstance(each, str)) if isinstance(canales, list) else (),
        idioma=text_in(item, "idioma"),
    )


def _phone(item: Mapping[str, Any]) -> str:
    stored = text_in(item, "telefono_e164")
    if stored:
        return stored
    try:
        return to_e164(text_in(item, "cod_telefono"), text_in(item, "telefono"))
    except (NotDialable, ValueError):
        return ""


def _order(item: Mapping[str, Any]) -> int:
    order = item.get("prioridad")
    return order if isinstance(order, int) else MAX_CONTACTS + 1


def zone_for_strangers(documents: Mapping[str, Any]) -> str:
    """That of the first contact's number which the owner shows to whoever scans: the person's own zone is not shown."""
    phones = [contact.phone for contact in contacts_in(visible_documents(documents, Door.R).get("emergencia"))]
    return next((zone for phone in phones if (zone := zone_of_number(phone))), "")
