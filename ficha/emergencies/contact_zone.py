"""The time zone of a contact, from the prefix of her number: an hour in the zone of somebody else helps nobody."""

from collections.abc import Mapping
from typing import Any

from ficha.core.transaction import Transaction
from ficha.emergencies.contacts import contacts_in
from ficha.emergencies.statements import number_of_account
from ficha.fmd.base import Door
from ficha.fmd.consent import visible_documents

# Of countries with several zones, that of most people.
ZONES = {
    "+1": "America/New_York",
    "+33": "Europe/Paris",
    "+34": "Europe/Madrid",
    "+39": "Europe/Rome",
    "+44": "Europe/London",
    "+49": "Europe/Berlin",
    "+51": "America/Lima",
    "+52": "America/Mexico_City",
    "+53": "America/Havana",
    "+54": "America/Argentina/Buenos_Aires",
    "+55": "America/Sao_Paulo",
    "+56": "America/Santiago",
    "+57": "America/Bogota",
    "+58": "America/Caracas",
    "+351": "Europe/Lisbon",
    "+502": "America/Guatemala",
    "+503": "America/El_Salvador",
    "+504": "America/Tegucigalpa",
    "+505": "America/Managua",
    "+506": "America/Costa_Rica",
    "+507": "America/Panama",
    "+591": "America/La_Paz",
    "+593": "America/Guayaquil",
    "+595": "America/Asuncion",
    "+598": "America/Montevideo",
}


def zone_of_number(phone: str) -> str:
    """`phone` is in E.164. Empty where the prefix is none of these."""
    return next((zone for length in (4, 3, 2) if (zone := ZONES.get(phone[:length]))), "")


def zone_for_strangers(documents: Mapping[str, Any]) -> str:
    """That of the first contact's number which the owner shows to whoever scans: the person's own zone is not shown."""
    phones = [contact.phone for contact in contacts_in(visible_documents(documents, Door.R).get("emergencia"))]
    return next((zone for phone in phones if (zone := zone_of_number(phone))), "")


def zone_of_account(tx: Transaction, account_id: int) -> str:
    """Empty where the account has no number, or none of these."""
    return zone_of_number(number_of_account(tx, account_id))
