"""What an institution says about a person, and how it is made ready to be stored."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from ficha.core.crypto import Keyring, seal, unseal
from ficha.core.errors import FichaError, Source
from ficha.core.phones import to_e164
from ficha.core.secrets import Secrets
from ficha.fmd.base import Document
from ficha.fmd.catalog import CATALOG
from ficha.fmd.documents import prepare_document
from ficha.fmd.faults import InvalidDocument
from ficha.fmd.model_parts import Fuente
from ficha.fmd.models.people import Emergencia
from ficha.institutions.institution import InstitutionFacts
from ficha.institutions.members import Lookups, lookups_of

# What an institution may fill in: who the person is, and what she is to it. Nothing about health.
ENROLMENT_MODELS = ("personal", "estudiante", "representante")
# What of a guardian an emergency contact has too.
GUARDIAN_FIELDS = ("nombre", "relacion", "cod_telefono", "telefono", "correo")


@dataclass(frozen=True)
class PersonToEnrol:
    """`documents` are merge patches of ENROLMENT_MODELS, as the wire sends them. Correo and phone are of whoever
    answers for the person, where they are not in `representante` or `personal`."""

    external_id: str
    nombre: str | None = None
    correo: str | None = None
    cod_telefono: str | None = None
    telefono: str | None = None
    idioma: str = "es"
    # Whether she is invited to make the record hers.
    invites: bool = True
    documents: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


class EnrolContext(NamedTuple):
    """Who enrols, with which keys, and when."""

    institution: InstitutionFacts
    keyring: Keyring
    secrets: Secrets
    now: datetime


class NameMissing(FichaError):
    status = 422
    code = "persona_sin_nombre"
    message = "Diga cómo se llama la persona: en nombre, o en personal."
    source = Source("pointer", "/nombre")


class PhoneUnknown(FichaError):
    status = 422
    code = "telefono_no_marcable"
    message = "Ese teléfono no se puede marcar. Escriba el prefijo del país en cod_telefono y el número en telefono."
    source = Source("pointer", "/telefono")


class InvitedContact(NamedTuple):
    """Who is invited to answer for the person, and how she is called in the institution's own list."""

    nombre: str
    correo: str | None
    telefono: str | None  # In E.164.
    idioma: str


class SchoolClass(NamedTuple):
    """Where the institution says that the person belongs."""

    grado: str = ""
    seccion: str = ""


def given_hash(secrets: Secrets, person: PersonToEnrol) -> bytes:
    """The same words give the same hash. Keyed: a plain one of a name and a number could be guessed."""
    words = json.dumps(asdict(person), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return secrets.keyed_hash("institution.given", words)


def check_models(person: PersonToEnrol) -> None:
    """Raises InvalidDocument for a model that is not an institution's to fill."""
    unknown = [name for name in person.documents if name not in ENROLMENT_MODELS]
    if unknown:
        raise InvalidDocument([{"type": "extra_forbidden", "loc": (name,), "msg": ""} for name in unknown])


def prepared_documents(person: PersonToEnrol, now: datetime) -> dict[str, Document]:
    """As they are stored in a new record, with the guardian as whom to alert. Raises InvalidDocument with the faults of
    all of them."""
    check_models(person)
    ready: dict[str, Document] = {}
    faults: list[Mapping[str, Any]] = []
    for name, given in person.documents.items():
        model = CATALOG.find(name)
        assert model is not None
        try:
            ready[name] = prepare_document(model, given, None, now, Fuente.INSTITUCION)
        except InvalidDocument as invalid:
            faults += invalid.under(name).faults
    if faults:
        raise InvalidDocument(faults)
    contact = guardian_to_alert(ready, person.idioma)
    if contact is not None:
        ready["emergencia"] = prepare_document(Emergencia, {"contactos": [contact]}, None, now, Fuente.INSTITUCION)
    return ready


def guardian_to_alert(documents: Mapping[str, Document], idioma: str) -> dict[str, Any] | None:
    """Until somebody accepts the record, an alert would reach nobody of the family but whom the institution itself
    named: her guardian, as an emergency contact. None without a phone, which every contact has."""
    guardian = documents.get("representante", {})
    if not guardian.get("telefono_e164"):
        return None
    named = {name: guardian[name] for name in GUARDIAN_FIELDS if guardian.get(name)}
    return named | {"idioma": idioma}


def given_alone(person: PersonToEnrol, now: datetime) -> dict[str, Document]:
    """What was given of each model, without those that say something only together with what the record holds."""
    ready: dict[str, Document] = {}
    for name, given in person.documents.items():
        model = CATALOG.find(name)
        assert model is not None
        with suppress(InvalidDocument):
            ready[name] = prepare_document(model, given, None, now, Fuente.INSTITUCION)
    return ready


def contact_of(
    person: PersonToEnrol, documents: Mapping[str, Document], before: InvitedContact | None = None
) -> InvitedContact:
    """A guardian who is named answers for the person; else she herself. What is not given stays as it was `before`.
    Raises NameMissing or PhoneUnknown."""
    personal, guardian = documents.get("personal", {}), documents.get("representante", {})
    called = f"{personal.get('nombres', '')} {personal.get('apellidos', '')}".strip() or person.nombre
    called = called or (before.nombre if before else None)
    if not called:
        raise NameMissing
    reached = (
        (guardian.get("correo"), guardian.get("telefono_e164")),
        (person.correo, phone_of(person)),
        (personal.get("correo"), personal.get("telefono_e164")),
        (before.correo, before.telefono) if before else (None, None),
    )
    correo, telefono = next((pair for pair in reached if any(pair)), (None, None))
    return InvitedContact(called, correo, telefono, person.idioma)


def phone_of(person: PersonToEnrol) -> str | None:
    """In E.164. Raises PhoneUnknown."""
    if not person.telefono:
        return None
    try:
        return to_e164(person.cod_telefono or "", person.telefono)
    except ValueError:
        raise PhoneUnknown from None


def lookups_for(context: EnrolContext, contact: InvitedContact, documents: Mapping[str, Document]) -> Lookups:
    documento = documents.get("personal", {}).get("documento_numero")
    values = {"documento": documento, "correo": contact.correo, "telefono_e164": contact.telefono}
    return lookups_of(context.secrets, context.institution.id, **values)


def seal_contact(contact: InvitedContact, record_id: int, key: bytes) -> bytes:
    """With the key of the record: what is erased with it cannot be read here either."""
    return seal(key, json.dumps(contact, ensure_ascii=False).encode(), _sealing_context(record_id))


def open_contact(sealed: bytes, record_id: int, key: bytes) -> InvitedContact:
    return InvitedContact._make(json.loads(unseal(key, sealed, _sealing_context(record_id))))


def given_class(person: PersonToEnrol) -> SchoolClass | None:
    """None if nothing is said about it now."""
    given = person.documents.get("estudiante")
    if given is None:
        return None
    return SchoolClass(*(str(given.get(name) or "") for name in SchoolClass._fields))


def seal_class(school_class: SchoolClass, record_id: int, key: bytes) -> bytes:
    return seal(key, json.dumps(school_class, ensure_ascii=False).encode(), _class_sealing_context(record_id))


def open_class(sealed: bytes | None, record_id: int, key: bytes) -> SchoolClass:
    if sealed is None:
        return SchoolClass()
    return SchoolClass._make(json.loads(unseal(key, sealed, _class_sealing_context(record_id))))


def _sealing_context(record_id: int) -> str:
    return f"member:{record_id}:contact"


def _class_sealing_context(record_id: int) -> str:
    return f"member:{record_id}:class"
