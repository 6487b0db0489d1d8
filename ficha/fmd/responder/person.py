"""Who the person is: name, age, photo, languages, and the country she is probably in."""

import re
from datetime import date, timedelta

from ficha.fmd.base import Door
from ficha.fmd.dates_and_amounts import age_text, amount_text, date_text
from ficha.fmd.freshness import GROWN_UP, is_current_size
from ficha.fmd.models.personal import Sexo
from ficha.fmd.responder import phrases
from ficha.fmd.responder.emergency_numbers import country_of
from ficha.fmd.responder.phrases import language_name
from ficha.fmd.responder.record_reader import Documents, RecordReader, stripped_text
from ficha.fmd.responder.view import PersonSummary
from ficha.fmd.values import first_day

# Of the date of birth what paper says: enough for an age, and no help to whoever would pass for her.
YEAR_AND_MONTH = len("2019-04")
# What `likely_country` needs.
COUNTRY_MODELS = ("personal", "emergencia", "representante", "consentimiento")
PHOTO = re.compile("[A-Za-z0-9_-]{1,64}")


def person_summary(record: RecordReader) -> PersonSummary:
    personal = record.document("personal")
    given, family = stripped_text(personal, "nombres"), stripped_text(personal, "apellidos")
    photo = stripped_text(personal, "foto_id")
    sex = record.choice_text(Sexo, personal.get("sexo"))
    return PersonSummary(
        name=f"{given} {family}" if given and family else given or family,
        given=given.partition(" ")[0],
        photo_id=photo if photo and PHOTO.fullmatch(photo) else "",
        traits=tuple(filter(None, (*_age_and_weight(record), sex.words if sex else ""))),
        is_silent="no_verbal" in [item.get("tipo") for item in record.items("consideracion", "consideraciones")],
        languages=", ".join([language_text(record, tag) for tag in spoken_languages(record)]),
    )


def _age_and_weight(record: RecordReader) -> tuple[str, ...]:
    """Doses go by a child's weight, as long as it is hers: when it was saved is all that is known of its day. Of a
    grown-up it stands with the body. Paper says when she was born: its age, and a weight, would be wrong in a year."""
    born = stripped_text(record.document("personal"), "fecha_nacimiento")
    if record.on_paper:
        day = date_text(born[:YEAR_AND_MONTH], record.language)
        return (record.translate(phrases.BORN).format(day),) if day else ()
    years = age_text(born, record.today, record.language)
    saved = record.day_saved("cuerpo")
    if saved is None or not is_child(record) or not is_current_size(saved, first_day(born), record.today):
        return (years,)
    return years, amount_text(record.document("cuerpo").get("peso_kg"), "kg", record.language)


def is_child(record: RecordReader) -> bool:
    born = first_day(stripped_text(record.document("personal"), "fecha_nacimiento"))
    # Tomorrow in UTC may be today where the person is.
    return born is not None and born <= record.today + timedelta(days=1) and record.today < born + GROWN_UP


def spoken_languages(record: RecordReader) -> list[str]:
    """The tags of the languages that the person speaks."""
    tags = record.document("personal").get("idiomas")
    return [tag for tag in tags if isinstance(tag, str) and tag] if isinstance(tags, list) else []


def likely_country(record: RecordReader) -> str:
    """Of the address that this reader may see, else of the phones of the contacts and the guardian; else empty."""
    address = record.document("personal").get("direccion")
    if isinstance(address, dict) and stripped_text(address, "pais"):
        return stripped_text(address, "pais")
    with_phone = [*record.items("emergencia", "contactos"), record.document("representante")]
    found = (country_of(item.get("cod_telefono")) for item in with_phone)
    return next(filter(None, found), "")


def country_seen_by_responder(documents: Documents, today: date) -> str:
    """For pages that do not open the record: the same country as on the page that does."""
    return likely_country(RecordReader(documents, Door.R, today, "es"))


def language_text(record: RecordReader, tag: str) -> str:
    """The name of a language, or its tag if we have no name for it."""
    words = language_name(tag)
    return record.translate(words) if words else tag
