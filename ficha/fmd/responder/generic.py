"""Models that have no section of their own: one is made from their fields, so that whatever may be seen is shown."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from ficha.fmd.base import Door, FmdModel, Shape
from ficha.fmd.catalog import Catalog
from ficha.fmd.dates_and_amounts import amount_text, date_text
from ficha.fmd.fields import ShapeField, fields_of
from ficha.fmd.model_parts import Coded, Fact
from ficha.fmd.responder import phrases
from ficha.fmd.responder.person import language_text
from ficha.fmd.responder.record_reader import Item, RecordReader, present
from ficha.fmd.responder.sections import section, unreadable_sentence
from ficha.fmd.responder.view import FactLine, Section, ShownText


def names_in(words: str) -> frozenset[str]:
    return frozenset(words.split())


# The models whose facts other files of this folder show, or that are settings and no facts.
OWN_SECTION = names_in(
    "personal alergiasa alergiasm medicacion salud cardiologico cuerpo vacuna emergencia"
    " consideracion consentimiento representante estudiante personalsermed poliza preferencia modulo"
)
BOOKKEEPING = frozenset({"id", "confirmado_en", "fuente"})
# Said once, by the whole number that is made from them.
PARTS_OF_NUMBER = frozenset({"cod_telefono", "telefono"})
LANGUAGES = frozenset({"idioma", "idiomas"})
ONLY_ID = frozenset({"id"})
SAID_BY_NUMBER = PARTS_OF_NUMBER | ONLY_ID


def generic_sections(record: RecordReader) -> list[Section]:
    return [model_section(record, model) for model in _without_section(record.catalog)]


@cache
def _without_section(catalog: Catalog) -> list[type[FmdModel]]:
    return [model for model in catalog if model.about.wire not in OWN_SECTION]


def model_section(record: RecordReader, model: type[FmdModel]) -> Section:
    """All that this reader may see of a model, field by field."""
    wire, title = model.about.wire, record.translate(model.about.title)
    document = record.document(wire)
    lines = [line for field in fields_of(model) for line in _lines(record, wire, field, document.get(field.name))]
    lists = [(wire, field.name) for field in fields_of(model) if field.many and field.shape]
    sentences = [
        record.translate(phrases.NOT_READABLE) if wire in record.unreadable else None,
        record.reserved_sentence(wire),
        unreadable_sentence(record, lines, *lists),
    ]
    return section(wire, title, lines, sentences)


def said_in(record: RecordReader, model: type[FmdModel]) -> list[str]:
    """What a model says, in a few words: the names of its facts, that there are none, and which fields are filled."""
    document = record.document(model.about.wire)
    said: list[str] = []
    for field in fields_of(model):
        value = document.get(field.name)
        lines = filter(None, _lines(record, model.about.wire, field, value))
        if isinstance(value, bool):  # The name alone would say yes.
            said += [f"{line.title.words}: {line.details[0].words}" for line in lines]
        elif field.name == "ausencia" or (field.many and field.shape and issubclass(field.shape, Coded)):
            said += [text.words for line in lines for text in line.details]
        else:
            said += [line.title.words for line in lines]
    return list(dict.fromkeys(said))


def titled_facts(record: RecordReader, model: type[FmdModel]) -> Iterator[tuple[str, str]]:
    """The id of each fact of a model, and what it says first."""
    wire = model.about.wire
    for field in fields_of(model):
        if field.many and field.shape and issubclass(field.shape, Fact):
            for item in record.items(wire, field.name):
                texts = present(record.term_text(item, wire)) if issubclass(field.shape, Coded) else ()
                said = [*texts, *_texts(record, wire, field.shape, item)]
                if said and isinstance(item.get("id"), str):
                    yield item["id"], said[0].words


def labelled_texts(record: RecordReader, wire: str, shape: type[Shape], item: Item) -> Iterator[tuple[str, str]]:
    """Every field of a shape that says something, with its label. A phone that can be dialled is said once."""
    silent = SAID_BY_NUMBER if "telefono_e164" in item else ONLY_ID
    for field in fields_of(shape):
        name = field.name
        if name in item and name not in silent:
            words = field_text(record, wire, field, item[name])
            if words:
                yield record.translate(field.shown.label), words


def field_text(record: RecordReader, wire: str, field: ShapeField, value: Any) -> str:
    """What one field says; of a list, all of it."""
    if field.many and isinstance(value, list):
        return ", ".join(text.words for text in present(*(_text(record, wire, field, each) for each in value)))
    text = _text(record, wire, field, value)
    return text.words if text else ""


def _lines(record: RecordReader, wire: str, field: ShapeField, value: Any) -> Iterator[FactLine | None]:
    """A line for the field; for a list of facts one for each."""
    if field.many and field.shape and not issubclass(field.shape, Coded):
        for item in value if isinstance(value, list) else ():
            texts = list(_texts(record, wire, field.shape, item))
            is_fact = issubclass(field.shape, Fact)
            confirmed = record.confirmation(item, wire) if is_fact else None
            yield FactLine(texts[0], tuple(texts[1:]), confirmed=confirmed) if texts else None
        return
    values = value if field.many and isinstance(value, list) else [value]
    details = present(*(_text(record, wire, field, each) for each in values))
    if details:
        yield FactLine(record.phrase(field.shown.label), details, confirmed=record.last_saved(wire))


def _texts(record: RecordReader, wire: str, shape: type[Shape], item: Item) -> Iterator[ShownText]:
    silent = BOOKKEEPING | PARTS_OF_NUMBER if item.get("telefono_e164") else BOOKKEEPING
    for field in fields_of(shape):
        value = item.get(field.name)
        values = value if field.many and isinstance(value, list) else [value]
        if field.name == "relacion":
            yield from present(record.relation_text(item))
        elif isinstance(value, bool | int | float):  # A bare "yes" or "1" in the middle of a line says nothing.
            yield ShownText(f"{record.translate(field.shown.label)}: {_plain_text(record, field, value).words}")
        elif field.name not in silent:
            yield from present(*(_text(record, wire, field, each) for each in values))


def _text(record: RecordReader, wire: str, field: ShapeField, value: Any) -> ShownText | None:
    return None if value is None or value == "" else _present_text(record, wire, field, value)


def _present_text(record: RecordReader, wire: str, field: ShapeField, value: Any) -> ShownText | None:
    if field.is_coded:
        return record.term_text(value, wire)
    if field.shape:
        inner = " · ".join(text.words for text in _texts(record, wire, field.shape, value))
        return ShownText(inner, own=True) if inner else None
    if field.choice:
        return record.choice_text(field.choice, value)
    if isinstance(value, Mapping):  # The owner's decisions about models and facts.
        return ShownText(" · ".join(_decision(record, name, said) for name, said in value.items()))
    return _plain_text(record, field, value)


def _plain_text(record: RecordReader, field: ShapeField, value: Any) -> ShownText:
    if isinstance(value, bool):
        return record.phrase(phrases.YES if value else phrases.NO)
    if not isinstance(value, str):
        return ShownText(amount_text(value, "", record.language).strip() or str(value))
    if field.name in LANGUAGES:
        return ShownText(language_text(record, value))
    day = date_text(value, record.language) if field.is_date else ""
    return ShownText(day) if day else ShownText(value, own=True)


def _decision(record: RecordReader, name: str, said: Any) -> str:
    wire, _, fact = name.partition("/")
    model = record.catalog.find(wire)
    door = record.choice_of(Door, said)
    words = record.translate(door.words if door else phrases.YES if said else phrases.NO)
    return f"{record.translate(model.about.title) if model else wire}{'/' if fact else ''}{fact}: {words}"
