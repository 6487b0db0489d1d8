"""Who the person is, whom to call, and who answers or pays for her."""

import re

from ficha.fmd.models.personal import Sexo
from ficha.fmd.models.representante import Custodia
from ficha.fmd.responder import phrases
from ficha.fmd.responder.clinical import lost, section
from ficha.fmd.responder.dates_and_amounts import age
from ficha.fmd.responder.emergency_numbers import country_of, helpline, number_of
from ficha.fmd.responder.languages import language_name
from ficha.fmd.responder.record_reader import Item, Reading, texts, written
from ficha.fmd.responder.view import Contact, Line, Section, Text, Who
from ficha.fmd.values import last_day

PHOTO = re.compile("[A-Za-z0-9_-]{1,64}")


def who(reading: Reading) -> Who:
    personal = reading.document("personal")
    given, family = written(personal, "nombres"), written(personal, "apellidos")
    photo = written(personal, "foto_id")
    sex = reading.chosen(Sexo, personal.get("sexo"))
    years = age(personal.get("fecha_nacimiento"), reading.today, reading.language)
    return Who(
        name=" ".join(part for part in (given, family) if part),
        given=given.partition(" ")[0],
        photo_id=photo if PHOTO.fullmatch(photo) else "",
        traits=tuple(trait for trait in (years, sex.words if sex else "") if trait),
        languages=", ".join(_language(reading, tag) for tag in spoken(reading)),
    )


def spoken(reading: Reading) -> list[str]:
    """The tags of the languages that the person speaks."""
    tags = reading.document("personal").get("idiomas")
    return [tag for tag in tags if isinstance(tag, str) and tag] if isinstance(tags, list) else []


def country(reading: Reading) -> str:
    """Where the person most likely is, by what this reader may see: an address, else whose phones are called."""
    address = reading.document("personal").get("direccion")
    if isinstance(address, dict) and written(address, "pais"):
        return written(address, "pais")
    callable_ = [*reading.items("emergencia", "contactos"), reading.document("representante")]
    found = (country_of(item.get("cod_telefono")) for item in callable_)
    return next(filter(None, found), "")


def contacts(reading: Reading) -> tuple[Contact, ...]:
    """In the owner's order; those without a place in it last, as they were entered."""
    ordered = sorted(reading.items("emergencia", "contactos"), key=_place)
    return tuple(contact for item in ordered if (contact := _contact(reading, item)))


def _place(item: Item) -> int:
    place = item.get("prioridad")
    return place if isinstance(place, int) else 99


def _contact(reading: Reading, item: Item) -> Contact | None:
    name, number = written(item, "nombre"), number_of(item)
    if not name and number is None:
        return None
    notes = []
    if item.get("puede_decidir") is True:
        notes.append(reading.say(phrases.MAY_DECIDE))
    tag = written(item, "idioma")
    if tag and tag.partition("-")[0].lower() != reading.language:
        notes.append(reading.say(phrases.SPEAKS).format(_language(reading, tag)))
    if number is None:
        notes.append(reading.say(phrases.NO_PHONE))
    shown = name or (number.shown if number else "")
    return Contact(shown, reading.relation(item), number, tuple(notes), reading.confirmed(item, "emergencia"))


def why_no_contact(reading: Reading, called: tuple[Contact, ...]) -> tuple[str, ...]:
    """What must be said of the list of contacts: that there is none, or that not all could be read."""
    if "emergencia" in reading.unreadable:
        return (reading.say(phrases.NOT_READABLE),)
    unreadable: list[Line | None] = [None] * (len(reading.items("emergencia", "contactos")) - len(called))
    lost_ones = lost(reading, "emergencia", "contactos", unreadable)
    return (lost_ones,) if lost_ones else () if called else (reading.say(phrases.NO_CONTACTS),)


def people(reading: Reading) -> Section:
    """Insurance, guardian, doctors, and the hospital that she prefers."""
    policies = [_policy(reading, item) for item in reading.items("poliza", "polizas")]
    doctors = [_doctor(reading, item) for item in reading.items("personalsermed", "medicos")]
    says = [
        *(reading.say(phrases.NOT_READABLE) for wire in ("poliza", "representante", "personalsermed")
          if wire in reading.unreadable),
        lost(reading, "poliza", "polizas", policies),
        lost(reading, "personalsermed", "medicos", doctors),
    ]  # fmt: skip
    lines = [*policies, _guardian(reading), *doctors, _cardiologist(reading), _hospital(reading)]
    return section("people", reading.say(phrases.PEOPLE), lines, dict.fromkeys(says))


def _policy(reading: Reading, item: Item) -> Line | None:
    insurer, holder, until = written(item, "aseguradora"), written(item, "titular"), written(item, "vigente_hasta")
    number = written(item, "numero")
    if not insurer and not number:
        return None
    end = last_day(until) if until else None
    ends = phrases.EXPIRED if end and end < reading.today else phrases.UNTIL
    details = texts(
        Text(f"{reading.say(phrases.POLICY)} {number}") if number and insurer else None,
        reading.own(item, "plan"),
        Text(f"{reading.say(phrases.HOLDER)} {holder}") if holder else None,
        reading.since(phrases.SINCE, item.get("vigente_desde")),
        reading.since(ends, item.get("vigente_hasta")),
    )
    help_ = helpline(item.get("telefono_asistencia"), reading.say(phrases.HELPLINE))
    return Line(Text(insurer or number), details, confirmed=reading.confirmed(item, "poliza"), number=help_)


def _guardian(reading: Reading) -> Line | None:
    item = reading.document("representante")
    name = written(item, "nombre")
    if not name:
        return None
    custody = reading.chosen(Custodia, item.get("custodia"))
    document, mail = written(item, "documento"), written(item, "correo")
    details = texts(
        Text(reading.say(phrases.GUARDIAN)),
        reading.relation(item),
        Text(f"{reading.say(phrases.CUSTODY)} {custody.words}") if custody else None,
        Text(document) if document else None,
        Text(mail) if mail else None,
    )
    return Line(Text(name), details, confirmed=reading.saved("representante"), number=number_of(item))


def _doctor(reading: Reading, item: Item) -> Line | None:
    name = written(item, "nombre")
    if not name:
        return None
    place, licence = written(item, "institucion"), written(item, "registro")
    details = texts(
        reading.own(item, "especialidad"),
        Text(place) if place else None,
        Text(f"{reading.say(phrases.LICENCE)} {licence}") if licence else None,
    )
    return Line(Text(name), details, confirmed=reading.confirmed(item, "personalsermed"), number=number_of(item))


def _cardiologist(reading: Reading) -> Line | None:
    name = written(reading.document("cardiologico"), "cardiologo")
    if not name:
        return None
    return Line(Text(name), (Text(reading.say(phrases.CARDIOLOGIST)),), confirmed=reading.saved("cardiologico"))


def _hospital(reading: Reading) -> Line | None:
    name = written(reading.document("emergencia"), "hospital_preferido")
    if not name:
        return None
    return Line(Text(name), (Text(reading.say(phrases.HOSPITAL)),), confirmed=reading.saved("emergencia"))


def _language(reading: Reading, tag: str) -> str:
    words = language_name(tag)
    return reading.say(words) if words else tag
