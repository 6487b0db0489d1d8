"""Allergies, to medicines and to everything else."""

from ficha.fmd.model_parts import Criticidad
from ficha.fmd.responder import phrases
from ficha.fmd.responder.record_reader import Item, RecordReader, present
from ficha.fmd.responder.sections import section, unreadable_sentence, why_empty
from ficha.fmd.responder.view import FactLine, Section
from ficha.fmd.rules.sign_conditions import LOW, SEVERE, UNKNOWN, severity_rank
from ficha.fmd.translations import Translated

LISTS = (("alergiasm", "medicamento"), ("alergiasa", "agente"))
ALLERGY_FIELDS = tuple((wire, "alergias") for wire, _ in LISTS)
RISKS = {UNKNOWN: phrases.UNKNOWN_RISK, LOW: phrases.LOW_RISK}


def allergies(record: RecordReader) -> Section:
    """Severe ones first, then those of unknown severity. Medicines and the rest are two lists, and each says why it is
    empty."""
    items = [(wire, field, item) for wire, field in LISTS for item in record.items(wire, "alergias")]
    items.sort(key=lambda found: severity_rank(found[2]))
    lines = [_allergy(record, *found) for found in items]
    to_medicines, to_others = [why_empty(record, *field) for field in ALLERGY_FIELDS]
    if to_medicines == to_others:
        sentences = [to_medicines]
    else:
        reasons = ((phrases.TO_MEDICINES, to_medicines), (phrases.TO_OTHERS, to_others))
        sentences = [record.translate(phrase).format(_lower(why)) for phrase, why in reasons if why]
    if items:
        sentences.append(record.reserved_sentence("alergiasm", "alergiasa"))
    sentences.append(unreadable_sentence(record, lines, *ALLERGY_FIELDS))
    return section("allergies", record.translate(phrases.ALLERGIES), lines, sentences)


def _allergy(record: RecordReader, wire: str, field: str, item: Item) -> FactLine | None:
    title, note = record.term_and_note(item.get(field), wire)
    if title is None:
        return None
    risk = risk_of(item)
    reactions = item.get("reacciones")
    details = present(
        record.phrase(risk, strong=risk is not phrases.LOW_RISK) if risk else None,
        note,
        *[record.term_text(reaction, wire) for reaction in (reactions if isinstance(reactions, list) else ())],
        record.phrase(phrases.AUTOINJECTOR) if item.get("autoinyector") is True else None,
        record.labelled_text(phrases.KEPT_IN, item, "guardado_en"),
    )
    return FactLine(title, details, present(record.owner_text(item, "notas")), record.confirmation(item, wire))


def risk_of(item: Item) -> Translated | None:
    """As the stop signs judge it, whatever else is written; a reaction that kills says enough by itself."""
    rank = severity_rank(item)
    if rank == SEVERE:
        return phrases.MAY_BE_FATAL if item.get("criticidad") == Criticidad.ALTA else None
    return RISKS[rank]


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
