"""Allergies, to medicines and to everything else."""

from ficha.fmd.responder import phrases
from ficha.fmd.responder.record_reader import Item, RecordReader, present, stripped_text
from ficha.fmd.responder.sections import section, unreadable_sentence, why_empty
from ficha.fmd.responder.view import FactLine, Section
from ficha.fmd.rules.sign_conditions import severity_rank

LISTS = (("alergiasm", "medicamento"), ("alergiasa", "agente"))
INSTITUTIONS = tuple((wire, "alergias") for wire, _ in LISTS)
RISKS = {"alta": phrases.MAY_BE_FATAL, "baja": phrases.LOW_RISK, "desconocida": phrases.UNKNOWN_RISK}


def allergies(record: RecordReader) -> Section:
    """Severe ones first, then those of unknown severity. Medicines and the rest are two lists, and each says why it is
    empty."""
    items = [(wire, field, item) for wire, field in LISTS for item in record.items(wire, "alergias")]
    items.sort(key=lambda found: severity_rank(found[2]))
    lines = [_allergy(record, *found) for found in items]
    to_medicines, to_others = [why_empty(record, *place) for place in INSTITUTIONS]
    if to_medicines == to_others:
        sentences = [to_medicines]
    else:
        reasons = ((phrases.TO_MEDICINES, to_medicines), (phrases.TO_OTHERS, to_others))
        sentences = [record.translate(phrase).format(_lower(why)) for phrase, why in reasons if why]
    if items:
        sentences.append(record.reserved_sentence("alergiasm", "alergiasa"))
    sentences.append(unreadable_sentence(record, lines, *INSTITUTIONS))
    return section("allergies", record.translate(phrases.ALLERGIES), lines, sentences)


def _allergy(record: RecordReader, wire: str, field: str, item: Item) -> FactLine | None:
    title, note = record.term_and_note(item.get(field), wire)
    if title is None:
        return None
    # A reaction that kills says enough; of what nobody answered, nobody knows.
    risk = RISKS.get(stripped_text(item, "criticidad")) or (phrases.UNKNOWN_RISK if severity_rank(item) else None)
    reactions = item.get("reacciones")
    details = present(
        record.phrase(risk, strong=risk is not phrases.LOW_RISK) if risk else None,
        note,
        *[record.term_text(reaction, wire) for reaction in (reactions if isinstance(reactions, list) else ())],
        record.phrase(phrases.AUTOINJECTOR) if item.get("autoinyector") is True else None,
        record.labelled_text(phrases.KEPT_IN, item, "guardado_en"),
    )
    return FactLine(title, details, present(record.owner_text(item, "notas")), record.confirmation(item, wire))


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
