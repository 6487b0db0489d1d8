"""Blood group, size, glasses, hearing aids and distinguishing marks."""

from ficha.fmd.dates_and_amounts import amount_text
from ficha.fmd.models.body import GrupoSanguineo
from ficha.fmd.responder import phrases
from ficha.fmd.responder.person import is_child
from ficha.fmd.responder.record_reader import Item, RecordReader
from ficha.fmd.responder.sections import section
from ficha.fmd.responder.view import FactLine, Section, ShownText

WORN = (("usa_lentes", phrases.GLASSES), ("usa_audifonos", phrases.HEARING_AIDS))


def body(record: RecordReader) -> Section:
    cuerpo = record.document("cuerpo")
    lines = [_blood(record, cuerpo), _size(record, cuerpo), _worn(record, cuerpo)]
    marks = record.owner_text(cuerpo, "senas_particulares")
    if marks:
        lines.append(FactLine(record.phrase(phrases.MARKS), (), (marks,)))
    sentences = [record.translate(phrases.NOT_READABLE)] if "cuerpo" in record.unreadable else []
    sentences += filter(None, [record.reserved_sentence("cuerpo")])
    return section("body", record.translate(phrases.BODY), lines, sentences)


def _blood(record: RecordReader, cuerpo: Item) -> FactLine | None:
    """Spelt out: a small minus sign is easily missed."""
    group = record.choice_of(GrupoSanguineo, cuerpo.get("grupo_sanguineo"))
    if group is None:
        return None
    letters, sign = group.value[:-1], group.value[-1]
    rhesus = record.translate(phrases.POSITIVE if sign == "+" else phrases.NEGATIVE)
    title = ShownText(f"{letters} {rhesus} ({letters}{'+' if sign == '+' else '−'})")
    return FactLine(
        title,
        (record.phrase(phrases.NOT_FOR_TRANSFUSION, strong=True),),
        confirmed=record.last_saved("cuerpo"),
    )


def _size(record: RecordReader, cuerpo: Item) -> FactLine | None:
    """Of a child not on paper, which she outgrows."""
    if record.on_paper and is_child(record):
        return None
    amounts = [
        amount_text(cuerpo.get("peso_kg"), "kg", record.language),
        amount_text(cuerpo.get("estatura_cm"), "cm", record.language),
    ]
    details = tuple([ShownText(amount) for amount in amounts if amount])
    if not details:
        return None
    return FactLine(record.phrase(phrases.SIZE), details, confirmed=record.last_saved("cuerpo"))


def _worn(record: RecordReader, cuerpo: Item) -> FactLine | None:
    details = tuple([record.phrase(words) for name, words in WORN if cuerpo.get(name) is True])
    return FactLine(record.phrase(phrases.WEARS), details) if details else None
