"""Conditions of health, the history of the heart, pregnancy and blood pressure."""

from ficha.fmd.dates_and_amounts import is_long_past, pregnancy_text
from ficha.fmd.models.health import Estado, EstadoEmbarazo, Gravedad
from ficha.fmd.responder import phrases
from ficha.fmd.responder.record_reader import Item, RecordReader, present, stripped_text
from ficha.fmd.responder.sections import section, term_line, unreadable_sentence, why_empty
from ficha.fmd.responder.view import FactLine, Section, ShownText
from ficha.fmd.values import last_day

LISTS = (("salud", "condiciones"), ("cardiologico", "antecedentes"))
FLAGS = (("via_aerea_dificil", phrases.DIFFICULT_AIRWAY), ("hipertermia_maligna", phrases.HYPERTHERMIA))


def conditions(record: RecordReader) -> Section:
    """Those that are over come last. The plans of the others are not here but under what to do."""
    items = record.items("salud", "condiciones")
    lines = [_condition(record, item) for item in sorted(items, key=is_over)]
    history = record.items("cardiologico", "antecedentes")
    lines += [term_line(record, item, "cardiologico", phrases.HEART) for item in history]
    sentences = [
        None if history and not items else why_empty(record, "salud", "condiciones"),
        record.reserved_sentence("salud", "cardiologico") if items or history else None,
        unreadable_sentence(record, lines, *LISTS),
    ]
    lines += [*_flags(record), _pregnancy(record), _pressure(record)]
    return section("conditions", record.translate(phrases.CONDITIONS), lines, sentences)


def _condition(record: RecordReader, item: Item) -> FactLine | None:
    title, note = record.term_and_note(item.get("condicion"), "salud")
    if title is None:
        return None
    details = present(
        note,
        record.choice_text(Estado, item.get("estado")),
        record.choice_text(Gravedad, item.get("gravedad")),
        record.labelled_date(phrases.SINCE, item.get("desde")),
    )
    plan = present(record.owner_text(item, "plan")) if is_over(item) else ()
    return FactLine(title, details, plan, record.confirmation(item, "salud"))


def is_over(item: Item) -> bool:
    return item.get("estado") == Estado.RESUELTA


def _flags(record: RecordReader) -> list[FactLine]:
    """What an anaesthetist must know. Only what is so: the form asks everybody."""
    salud = record.document("salud")
    return [
        FactLine(record.phrase(words, strong=True), confirmed=record.last_saved("salud"))
        for name, words in FLAGS
        if salud.get(name) is True
    ]


def _pregnancy(record: RecordReader) -> FactLine | None:
    details = pregnancy_details(record)
    if not details:
        return None
    return FactLine(record.phrase(phrases.PREGNANCY), details, confirmed=record.last_saved("salud"))


def pregnancy_details(record: RecordReader) -> tuple[ShownText, ...]:
    """Its state and its due date, and whether that is long past."""
    pregnancy = record.document("salud").get("embarazo")
    if not isinstance(pregnancy, dict):
        return ()
    is_expecting = pregnancy.get("estado") != EstadoEmbarazo.NO_EMBARAZADA
    due = pregnancy.get("fecha_probable_parto") if is_expecting else None
    day = last_day(due) if isinstance(due, str) else None
    is_past = day is not None and is_long_past(day, record.today)
    has_weeks = day is not None and not is_past and not record.on_paper
    weeks = pregnancy_text(day, record.today, phrases.WEEKS, phrases.DUE_AROUND) if day and has_weeks else None
    return present(
        record.choice_text(EstadoEmbarazo, pregnancy.get("estado")),
        ShownText(record.translate(weeks)) if weeks else record.labelled_date(phrases.DUE, due),
        record.phrase(phrases.LONG_PAST) if is_past else None,
    )


def _pressure(record: RecordReader) -> FactLine | None:
    pressure = stripped_text(record.document("cardiologico"), "presion_habitual")
    if not pressure:
        return None
    return FactLine(
        record.phrase(phrases.PRESSURE), (ShownText(pressure),), confirmed=record.last_saved("cardiologico")
    )
