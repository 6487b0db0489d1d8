"""From a record to what a responder sees of it, in her language and in the order in which it helps."""

from collections.abc import Mapping
from datetime import date, datetime

from ficha.fmd.base import Door
from ficha.fmd.models.consideracion import TipoConsideracion
from ficha.fmd.responder import phrases
from ficha.fmd.responder.break_glass_sections import identity, school, vaccines
from ficha.fmd.responder.clinical import allergies, conditions, devices, is_over, medicines
from ficha.fmd.responder.emergency_numbers import emergency_numbers
from ficha.fmd.responder.languages import language_name
from ficha.fmd.responder.people import contacts, country, people, spoken, who, why_no_contact
from ficha.fmd.responder.record_reader import Documents, Item, Reading, texts
from ficha.fmd.responder.view import Line, ResponderView, Section, StopSign, Text, Who
from ficha.fmd.responder.wishes import body, wishes
from ficha.fmd.signs import stop_signs

# These always stand in their place, to say why they are empty; of the others only what there is.
ALWAYS = frozenset({"medicines", "allergies", "conditions"})
NEVER_MISSED = frozenset({"devices", "vaccines", "identity", "school"})


def responder_view(
    documents: Documents,
    door: Door,
    now: datetime,
    language: str,
    *,
    written_in: str = "",
    where: str = "",
    saved: Mapping[str, datetime] | None = None,
) -> ResponderView:
    """What the page shows at `door` (R, or B after the glass was broken).

    `documents` are all documents of the record, `consentimiento` among them, as they were decrypted; one that could
    not be is `DAMAGED`. `written_in` is the language of the owner's account, where known. `where` is the responder's
    country, where known. `saved` says when each model was last saved.
    """
    reading = Reading(documents, door, now.date(), language, saved)
    if reading.consent_unreadable:
        return _closed(language, where)
    own_language = written_in or next(iter(spoken(reading)), "")
    sections = [part(reading) for part in (medicines, allergies, conditions, devices, wishes, people, body)]
    sections += [part(reading) for part in (vaccines, identity, school)]
    named = language_name(own_language)
    called = contacts(reading)
    return ResponderView(
        language=language,
        who=who(reading),
        signs=tuple(
            StopSign(reading.say(sign.text), reading.say(sign.detail) if sign.detail else "")
            for sign in stop_signs(reading.seen, reading.today)
        ),
        to_do=_to_do(reading),
        emergency=emergency_numbers(where or country(reading)),
        contacts=called,
        contacts_say=why_no_contact(reading, called),
        sections=tuple(part for part in sections if part.key in ALWAYS or part.lines or part.says),
        written_in=own_language,
        written_in_name=reading.say(named) if named else "",
        unreadable=tuple(reading.unreadable.values()),
        missing=_missing(sections),
    )


def _closed(language: str, where: str) -> ResponderView:
    """Without knowing what the owner hid, nothing is shown; nor is it said of anything that it is not recorded."""
    return ResponderView(
        language, Who(), (), (), emergency_numbers(where), contacts=(), contacts_say=(), sections=(),
        consent_unreadable=True,
    )  # fmt: skip


def first_name(documents: Documents) -> str:
    """What a code that was only typed may tell: the first given name, unless the owner hid it."""
    return who(Reading(documents, Door.R, date.min, "es")).given


def _to_do(reading: Reading) -> tuple[Line, ...]:
    """The owner's instructions, how to help with a special need, and the plan for each condition."""
    lines: list[Line] = []
    instructions = reading.own(reading.document("emergencia"), "instrucciones")
    if instructions:
        lines.append(Line(Text(""), (), (instructions,), reading.saved("emergencia")))
    lines += (_need(reading, item) for item in reading.items("consideracion", "consideraciones"))
    for item in reading.items("salud", "condiciones"):
        plan, title = reading.own(item, "plan"), reading.coded(item.get("condicion"), "salud")
        if plan and not is_over(item):
            lines.append(Line(title or Text(""), (), (plan,), reading.confirmed(item, "salud")))
    return tuple(lines)


def _need(reading: Reading, item: Item) -> Line:
    kind = reading.choice(TipoConsideracion, item.get("tipo"))
    title = kind.words if kind and kind is not TipoConsideracion.OTRA else phrases.OTHER_NEED
    notes = texts(reading.own(item, "como_ayudar"), reading.own(item, "descripcion"))
    return Line(Text(reading.say(title)), (), notes, reading.confirmed(item, "consideracion"))


def _missing(sections: list[Section]) -> tuple[str, ...]:
    """Names of the lesser parts that are not there, in one place rather than one heading for each."""
    optional = [part for part in sections if part.key not in ALWAYS | NEVER_MISSED]
    return tuple(part.title.lower() for part in optional if not part.lines and not part.says)
