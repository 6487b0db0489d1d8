"""The conditions that signs.json uses. Each takes the condition and the record, and returns what it found."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from importlib.resources import files
from typing import Any

from ficha.fmd.findings import Finding, RecordFindings, name_of
from ficha.fmd.terms import lookup
from ficha.fmd.translations import Translated
from ficha.fmd.values import last_day

Condition = Mapping[str, Any]

# A due date this long past means that nobody updated the record after the birth.
OVERDUE = timedelta(days=42)


@dataclass(frozen=True)
class Hit:
    """What a condition found: its name, if it has one, and notes for the small line below."""

    name: Translated | None = None
    notes: tuple[Translated, ...] = ()


@cache
def sign_table() -> Mapping[str, Any]:
    """signs.json, as it is published."""
    table: Mapping[str, Any] = json.loads(files("ficha.fmd").joinpath("signs.json").read_text("utf-8"))
    return table


def phrase(name: str) -> Translated:
    return Translated(**sign_table()["phrases"][name])


def hits_of(when: Condition, record: RecordFindings) -> list[Hit]:
    """What the condition finds. Its first key says which condition it is."""
    return _CONDITIONS[next(iter(when))](when, record)


def _by_codes(when: Condition, record: RecordFindings) -> list[Hit]:
    return [Hit(finding.name) for finding in record.conditions() if finding.has("snomed", when["codes"])]


def _by_atc(when: Condition, record: RecordFindings) -> list[Hit]:
    """Medicines of these ATC groups; `exact`, `long_term` and `with_codes` narrow it down."""
    if "with_codes" in when and not any(
        finding.has("snomed", when["with_codes"]) for finding in record.conditions(resolved=True)
    ):
        return []
    groups = tuple(when["atc"])
    return [
        Hit(finding.name)
        for finding in record.medicines()
        if finding.sistema == "atc"
        and (finding.codigo in groups if when.get("exact") else finding.codigo.startswith(groups))
        and (not when.get("long_term") or record.is_long_term(finding))
    ]


def _by_flag(when: Condition, record: RecordFindings) -> list[Hit]:
    return [Hit()] if record.value(when["flag"]) is True else []


def _by_presence(when: Condition, record: RecordFindings) -> list[Hit]:
    return [Hit()] if record.value(when["present"]) else []


def _by_item(when: Condition, record: RecordFindings) -> list[Hit]:
    path, _, field = when["item"].rpartition("/")
    return [Hit() for item in record.items(path) if item.get(field) in when["is"]]


def _by_allergy(_when: Condition, record: RecordFindings) -> list[Hit]:
    """Severe allergies, with their reactions and the autoinjector."""
    hits = []
    for finding in filter(_is_severe, record.allergies()):
        notes = list(_severe_reactions(finding))
        if finding.item.get("autoinyector") is True:
            notes.append(phrase("autoinjector"))
        hits.append(Hit(finding.name, tuple(notes)))
    return hits


def _by_latex(when: Condition, record: RecordFindings) -> list[Hit]:
    """Latex allergies that are not severe: the severe ones have a sign already."""
    found = [
        finding
        for finding in record.allergies()
        if finding.has("snomed", when["latex"]) or finding.item.get("categoria") == when["categoria"]
    ]
    return [Hit(finding.name) for finding in found if not _is_severe(finding)]


def _is_severe(finding: Finding) -> bool:
    is_high = finding.item.get("criticidad") in sign_table()["severe_allergy"]["criticidad"]
    return is_high or any(_severe_reactions(finding))


def _severe_reactions(finding: Finding) -> Iterator[Translated]:
    codes = sign_table()["severe_allergy"]["reacciones"]
    reactions = finding.item.get("reacciones")
    for reaction in reactions if isinstance(reactions, list) else ():
        is_coded = isinstance(reaction, Mapping) and reaction.get("sistema") == "snomed"
        if is_coded and isinstance(reaction.get("codigo"), str) and reaction["codigo"] in codes:
            name = name_of(reaction, finding.model)
            if name:
                yield name


def _by_device(when: Condition, record: RecordFindings) -> list[Hit]:
    """Devices found by their kind, by a code or by a surgery. One is not MRI safe unless its entry says so."""
    kinds, codes, told_by = (when["device"][name] for name in ("tipos", "codes", "told_by"))
    safe: dict[str, bool] = {}
    for item in record.items("cardiologico/dispositivos"):
        kind = item.get("tipo")
        if isinstance(kind, str) and kind in kinds:
            safe[kinds[kind]] = safe.get(kinds[kind], True) and item.get("compatible_rm") is True
    for finding in record.conditions():
        code = told_by.get(finding.codigo, finding.codigo)
        if finding.sistema == "snomed" and code in codes:
            # The same device may be found twice; only its own entry can say that it is safe.
            safe.setdefault(code, False)
    note = phrase("mri_safe" if all(safe.values()) else "mri_unsafe")
    return [Hit(lookup("snomed", code), (note,)) for code in safe]


def _by_pregnancy(when: Condition, record: RecordFindings) -> list[Hit]:
    if record.value("salud/embarazo/estado") not in when["pregnancy"]:
        return []
    due = record.value("salud/embarazo/fecha_probable_parto")
    day = last_day(due) if isinstance(due, str) else None
    if day is None:
        return [Hit()]
    if day + OVERDUE < record.today:
        return []
    return [Hit(notes=(Translated(*(f"{words}: {day}" for words in phrase("due"))),))]


_CONDITIONS: Mapping[str, Callable[[Condition, RecordFindings], list[Hit]]] = {
    "codes": _by_codes,
    "atc": _by_atc,
    "flag": _by_flag,
    "present": _by_presence,
    "item": _by_item,
    "allergy": _by_allergy,
    "latex": _by_latex,
    "device": _by_device,
    "pregnancy": _by_pregnancy,
}
