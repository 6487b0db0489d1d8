"""The emergency contacts: whom to call."""

from ficha.fmd.responder import phrases
from ficha.fmd.responder.emergency_numbers import number_of
from ficha.fmd.responder.person import language_text
from ficha.fmd.responder.record_reader import Item, RecordReader, stripped_text
from ficha.fmd.responder.sections import unreadable_sentence
from ficha.fmd.responder.view import ContactToCall, FactLine


def contacts(record: RecordReader) -> tuple[ContactToCall, ...]:
    """By `prioridad`; those without one last, as they were entered."""
    ordered = sorted(record.items("emergencia", "contactos"), key=_priority)
    return tuple([contact for item in ordered if (contact := _contact(record, item))])


def _priority(item: Item) -> int:
    priority = item.get("prioridad")
    return priority if isinstance(priority, int) else 99


def _contact(record: RecordReader, item: Item) -> ContactToCall | None:
    name, number = stripped_text(item, "nombre"), number_of(item)
    if not name and number is None:
        return None
    notes = []
    if item.get("puede_decidir") is True:
        notes.append(record.translate(phrases.MAY_DECIDE))
    tag = stripped_text(item, "idioma")
    if tag and tag.partition("-")[0].lower() != record.language:
        notes.append(record.translate(phrases.SPEAKS).format(language_text(record, tag)))
    if number is None:
        notes.append(record.translate(phrases.NO_PHONE))
    shown = name or (number.shown if number else "")
    return ContactToCall(
        shown, record.relation_text(item), number, tuple(notes), record.confirmation(item, "emergencia")
    )


def contact_sentences(record: RecordReader, shown: tuple[ContactToCall, ...]) -> tuple[str, ...]:
    """That there are no contacts, or that not all of them could be read."""
    if "emergencia" in record.unreadable:
        return (record.translate(phrases.NOT_READABLE),)
    unreadable: list[FactLine | None] = [None] * (len(record.items("emergencia", "contactos")) - len(shown))
    sentence = unreadable_sentence(record, unreadable, ("emergencia", "contactos"))
    reserved = record.reserved_sentence("emergencia")
    if sentence or reserved:
        return tuple(filter(None, (sentence, reserved)))
    return () if shown else (record.translate(phrases.NO_CONTACTS),)
