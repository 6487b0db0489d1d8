"""The Dosages of a medicine as `dosis`, `via` and `frecuencia`."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ficha.fmd.fhir_reading import day, first_of, items, part, said, word, words
from ficha.fmd.from_fhir.terms import LONGEST, one_line
from ficha.fmd.translations import Translated

AS_NEEDED = Translated("si hace falta", "as needed", "se necessário")
# Amounts of a dose, and of each hour or day.
AMOUNTS = ("dose", "rate")
# Days and hours as FHIR names them.
DAYS_AND_HOURS = {
    "mon": Translated("lun", "Mon", "seg"),
    "tue": Translated("mar", "Tue", "ter"),
    "wed": Translated("mié", "Wed", "qua"),
    "thu": Translated("jue", "Thu", "qui"),
    "fri": Translated("vie", "Fri", "sex"),
    "sat": Translated("sáb", "Sat", "sáb"),
    "sun": Translated("dom", "Sun", "dom"),
    "MORN": Translated("por la mañana", "in the morning", "de manhã"),
    "NOON": Translated("al mediodía", "at noon", "ao meio-dia"),
    "AFT": Translated("por la tarde", "in the afternoon", "à tarde"),
    "EVE": Translated("al anochecer", "in the evening", "ao anoitecer"),
    "NIGHT": Translated("por la noche", "at night", "à noite"),
    "HS": Translated("al acostarse", "at bedtime", "ao deitar"),
    "WAKE": Translated("al despertar", "on waking", "ao acordar"),
    "C": Translated("con las comidas", "with meals", "com as refeições"),
    "CM": Translated("con el desayuno", "with breakfast", "com o café da manhã"),
    "CD": Translated("con el almuerzo", "with lunch", "com o almoço"),
    "CV": Translated("con la cena", "with dinner", "com o jantar"),
    "AC": Translated("antes de las comidas", "before meals", "antes das refeições"),
    "ACM": Translated("antes del desayuno", "before breakfast", "antes do café da manhã"),
    "ACD": Translated("antes del almuerzo", "before lunch", "antes do almoço"),
    "ACV": Translated("antes de la cena", "before dinner", "antes do jantar"),
    "PC": Translated("después de las comidas", "after meals", "depois das refeições"),
    "PCM": Translated("después del desayuno", "after breakfast", "depois do café da manhã"),
    "PCD": Translated("después del almuerzo", "after lunch", "depois do almoço"),
    "PCV": Translated("después de la cena", "after dinner", "depois do jantar"),
}
HOURS_AND_MINUTES = len("08:30")


class ReadDosage(NamedTuple):
    dose: str
    route: str
    how_often: str


def read_dosage(dosages: Sequence[Mapping[str, Any]], language: str) -> dict[str, str | None]:
    """Of several, each whole in `dosis`: neither its days nor its route may be taken for those of another."""
    read = [_read(one, language) for one in dosages]
    if len(read) < 2:
        [(dose, route, how_often)] = read or [ReadDosage("", "", "")]
        return {"dosis": one_line(dose) or None, "via": route or None, "frecuencia": one_line(how_often) or None}
    routes = {one.route for one in read}
    shared = routes.pop() if len(routes) == 1 else ""
    parts = [", ".join(filter(None, one._replace(route="" if shared else one.route))) for one in read]
    return {"dosis": _as_many_as_fit(list(filter(None, parts))) or None, "via": shared or None, "frecuencia": None}


def _read(dosage: Mapping[str, Any], language: str) -> ReadDosage:
    """The dose in the words of whoever prescribed it, else the amount."""
    amounts = first_of(items(dosage, "doseAndRate"))
    dose = word(dosage, "text") or ", ".join(filter(None, (_amount(amounts, name) for name in AMOUNTS)))
    how_often = ", ".join(filter(None, (_timing(part(dosage, "timing"), language), _as_needed(dosage, language))))
    return ReadDosage(dose, said(part(dosage, "route")), how_often)


def _amount(of: Mapping[str, Any], name: str) -> str:
    """In signs that need no language."""
    ratio, limits = part(of, f"{name}Ratio"), part(of, f"{name}Range")
    if ratio:
        above, below = (_quantity(part(ratio, one)) for one in ("numerator", "denominator"))
        return f"{above} / {below}" if above and below else ""
    low, high = part(limits, "low"), part(limits, "high")
    if not _number(low) or not _number(high):
        return _quantity(part(of, f"{name}Quantity")) or _quantity(high, "≤ ") or _quantity(low, "≥ ")
    is_one_unit = _unit(low) in ("", _unit(high))
    return f"{_number(low) if is_one_unit else _quantity(low)} – {_quantity(high)}"


def _quantity(quantity: Mapping[str, Any], sign: str = "") -> str:
    number = _number(quantity)
    return f"{sign}{number} {_unit(quantity)}".strip() if number else ""


def _number(quantity: Mapping[str, Any]) -> str:
    value = quantity.get("value")
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def _unit(quantity: Mapping[str, Any]) -> str:
    return word(quantity, "unit") or word(quantity, "code")


def _timing(timing: Mapping[str, Any], language: str) -> str:
    """In words; of `2 times each day` as numbers, in signs that need no language."""
    repeat = part(timing, "repeat")
    times, every, unit = repeat.get("frequency"), repeat.get("period"), word(repeat, "periodUnit")
    text = said(part(timing, "code"))
    if not text and isinstance(times, int) and isinstance(every, int | float) and unit:
        text = f"{times} × / {every:g} {unit}"
    named = [DAYS_AND_HOURS.get(one) for name in ("dayOfWeek", "when") for one in words(repeat, name)]
    days = [one.in_language(language) for one in named if one]
    hours = [one[:HOURS_AND_MINUTES] for one in words(repeat, "timeOfDay")]
    return ", ".join(filter(None, (text, *days, *hours, _for_how_long(repeat))))


def _for_how_long(repeat: Mapping[str, Any]) -> str:
    dates = part(repeat, "boundsPeriod")
    told = " – ".join(filter(None, (day(dates, "start"), day(dates, "end"))))
    found = _quantity(part(repeat, "boundsDuration")) or _amount(repeat, "bounds") or told
    return f"({found})" if found else ""


def _as_needed(dosage: Mapping[str, Any], language: str) -> str:
    reason = said(part(dosage, "asNeededCodeableConcept"))
    if not reason and dosage.get("asNeededBoolean") is not True and "asNeededCodeableConcept" not in dosage:
        return ""
    needed = AS_NEEDED.in_language(language)
    return f"{needed}: {reason}" if reason else needed


def _as_many_as_fit(parts: Sequence[str]) -> str:
    """Whole ones alone: half an amount is another amount."""
    kept = [one_line(one) for one in parts]
    while len(text := "; ".join(kept if len(kept) == len(parts) else [*kept, "…"])) > LONGEST and len(kept) > 1:
        kept.pop()
    return one_line(text)
