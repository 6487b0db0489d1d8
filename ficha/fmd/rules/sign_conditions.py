"""The conditions that the rules use. Each is compiled once into a function of the record."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from ficha.fmd.dates_and_amounts import date_text, due_text, is_long_past, pregnancy_text
from ficha.fmd.models.health import EstadoEmbarazo
from ficha.fmd.rules.record_for_rules import ALLERGY_LISTS, MAX_KEPT_IN, Finding, RecordForRules, as_written, name_of
from ficha.fmd.rules.rule_files import advice_table, sign_table
from ficha.fmd.terms import lookup, words_in
from ficha.fmd.translations import LANGUAGE_INDEX, Translated
from ficha.fmd.values import last_day

Condition = Mapping[str, Any]

STATE = ("salud", "embarazo", "estado")
# A word of fewer letters does not name a medicine.
SHORTEST_NAMING = 6


class Hit(NamedTuple):
    """What a condition found: its name, if it has one, and notes for the small line below. `advice` replaces the
    line's own; of allergies, those to medicines are named before others where one sign is for all. A name `as_typed`
    is in the owner's language only, and does not stand alone."""

    name: Translated | None = None
    notes: tuple[Translated, ...] = ()
    advice: str = ""
    is_other: bool = False
    as_typed: bool = False


Check = Callable[[RecordForRules], Sequence[Hit]]


@cache
def phrase(name: str) -> Translated:
    return Translated(**sign_table()["phrases"][name])


def compiled(when: Condition) -> Check:
    """The condition as a function. Its first key says which condition it is. Most records have nothing that it looks
    for: that is seen at once."""
    check, marks = _COMPILERS[next(iter(when))](when), marks_of(when)
    return lambda record: () if marks.isdisjoint(record.marks) else check(record)


def marks_of(when: Condition) -> frozenset[str]:
    """What a record must have for the condition to find anything, see RecordForRules.marks: one of these codes, the
    beginning of a medicine's code, or a field of a model."""
    kind, value = next(iter(when.items()))
    if kind in ("codes", "cie10", "atc"):
        return frozenset(value)
    if kind == "device":
        return frozenset((*value["codes"], *value["told_by"], "dispositivos"))
    if kind in ("allergy", "latex", "allergic_to"):
        return frozenset(field for _, field, _ in ALLERGY_LISTS)
    return frozenset(("embarazo",) if kind == "pregnancy" else (value.split("/")[1],))


def _codes(when: Condition) -> Check:
    """By SNOMED code; see _narrowed for what is left out."""
    codes, is_left = frozenset(when["codes"]), _narrowed(when)

    def check(record: RecordForRules) -> Sequence[Hit]:
        if codes.isdisjoint(record.marks):
            return ()
        found = [finding for finding in record.conditions if finding.has("snomed", codes)]
        return [Hit(finding.name) for finding in found if is_left(finding, record)]

    return check


def _narrowed(when: Condition) -> Callable[[Finding, RecordForRules], bool]:
    """`recent_days` leaves out what is known to have begun longer ago, `days_if_not_pregnant` the same of whoever is
    not pregnant any more, `unless_present` everything if a field says more."""
    days, after = when.get("recent_days"), when.get("days_if_not_pregnant")
    better = when["unless_present"].split("/") if "unless_present" in when else None

    def is_left(finding: Finding, record: RecordForRules) -> bool:
        if better is not None and record.value_at(better):
            return False
        is_over = after is not None and record.value_at(STATE) == EstadoEmbarazo.NO_EMBARAZADA
        most = after if is_over else days
        return most is None or record.began_within(finding, most)

    return is_left


def _cie10(when: Condition) -> Check:
    """By category or code of CIE-10, with everything below it; see _narrowed for what is left out. `unless_device` are
    devices that say more; `note` is added below."""
    beginnings, is_left = tuple(when["cie10"]), _narrowed(when)
    devices = frozenset(when.get("unless_device", ()))
    notes = (phrase(when["note"]),) if "note" in when else ()

    def check(record: RecordForRules) -> Sequence[Hit]:
        if devices and not devices.isdisjoint(_devices_in(record)):
            return ()
        return [
            Hit(finding.name, notes, as_typed=lookup("cie10", finding.codigo) is None)
            for finding in record.conditions
            if finding.sistema == "cie10" and finding.codigo.startswith(beginnings) and is_left(finding, record)
        ]

    return check


def _atc(when: Condition) -> Check:
    """Medicines of these ATC groups; `exact`, `long_term`, `with_codes` and `with_cie10` narrow it down. `note` is
    added below while one is taken."""
    groups, is_exact, is_long_term = tuple(when["atc"]), when.get("exact"), when.get("long_term")
    notes = (phrase(when["note"]),) if "note" in when else ()

    def check(record: RecordForRules) -> Sequence[Hit]:
        found = [
            finding
            for finding in record.acting
            if finding.sistema == "atc"
            and (finding.codigo in groups if is_exact else finding.codigo.startswith(groups))
            and (not is_long_term or record.is_long_term(finding))
        ]
        if not found or not has_needed(record, when):
            return ()
        return [Hit(one.name, _end_notes(one, record) if record.has_ended(one) else notes) for one in found]

    return check


def _end_notes(medicine: Finding, record: RecordForRules) -> tuple[Translated, ...]:
    """`Warfarina: terminó en 14/11/2026`, of one that still acts: nobody may read that it is still taken."""
    if medicine.name is None or record.is_taken_later(medicine):
        return ()
    until = [date_text(medicine.item.get("hasta"), language) for language in LANGUAGE_INDEX]
    said = zip(medicine.name, phrase("ended"), until, strict=True)
    return (Translated(*(f"{name}: {ended} {day}" for name, ended, day in said)),)


def has_needed(record: RecordForRules, when: Condition) -> bool:
    """Whether the record has, or ever had, one of the conditions without which a medicine says nothing, if any."""
    if "with_codes" not in when:
        return True
    codes, beginnings = when["with_codes"], tuple(when.get("with_cie10", ()))
    return any(
        finding.has("snomed", codes) or (finding.sistema == "cie10" and finding.codigo.startswith(beginnings))
        for finding in record.ever
    )


def _flag(when: Condition) -> Check:
    steps = when["flag"].split("/")
    return lambda record: (Hit(),) if record.value_at(steps) is True else ()


def _present(when: Condition) -> Check:
    steps = when["present"].split("/")
    return lambda record: (Hit(),) if record.value_at(steps) else ()


def _item(when: Condition) -> Check:
    *steps, field = when["item"].split("/")
    values = tuple(when["is"])
    return lambda record: [Hit() for item in record.items_at(steps) if item.get(field) in values]


def _allergy(_when: Condition) -> Check:
    return severe_allergies


def severe_allergies(record: RecordForRules) -> list[Hit]:
    """With their reactions, the autoinjector and where it is."""
    return [_allergy_hit(finding, severe_reactions(finding)) for finding in severe_findings(record)]


def unknown_allergies(record: RecordForRules) -> list[Hit]:
    """Those of which nobody said how severe they are. They may be, and count as serious."""
    return [_allergy_hit(finding, ()) for finding in unknown_findings(record)]


def severe_findings(record: RecordForRules) -> list[Finding]:
    return [finding for finding in record.allergies if _is_severe(finding)]


def unknown_findings(record: RecordForRules) -> list[Finding]:
    return [one for one in record.allergies if severity_rank(one.item) == UNKNOWN]


def _allergy_hit(finding: Finding, reactions: tuple[Translated, ...]) -> Hit:
    has_injector = finding.item.get("autoinyector") is True
    notes = (*reactions, _autoinjector(finding)) if has_injector else reactions
    advice = "anafilaxia_autoinyector" if has_injector else ""
    return Hit(finding.name, notes, advice, finding.model != "alergiasm")


def _autoinjector(finding: Finding) -> Translated:
    """With the place where it is kept."""
    return with_kept_in(phrase("autoinjector"), finding.item.get("guardado_en"))


def with_kept_in(words: Translated, where: object) -> Translated:
    kept_in = as_written(where, MAX_KEPT_IN) if isinstance(where, str) else None
    return Translated(*(f"{word}: {kept_in.es}" for word in words)) if kept_in else words


def _latex(when: Condition) -> Check:
    """Latex allergies that are not severe: the severe ones have a sign already."""
    codes, categoria = frozenset(when["latex"]), when["categoria"]

    def check(record: RecordForRules) -> Sequence[Hit]:
        found = [
            finding
            for finding in record.allergies
            if finding.has("snomed", codes) or finding.item.get("categoria") == categoria
        ]
        return [Hit(finding.name) for finding in found if not _is_severe(finding)]

    return check


def _allergic_to(when: Condition) -> Check:
    """Allergies to medicines of these ATC groups or, by `snomed`, to these substances, however severe. With
    `or_unknown`, to a medicine that no rule can read: in words only, or by a code of which we have no words."""
    groups, codes, or_unknown = tuple(when["allergic_to"]), frozenset(when.get("snomed", ())), when.get("or_unknown")

    def check(record: RecordForRules) -> Sequence[Hit]:
        return [
            Hit(finding.name)
            for finding in record.allergies
            if finding.is_in_atc(groups) or finding.has("snomed", codes) or (or_unknown and _is_unread(finding))
        ]

    return check


def _is_unread(allergy: Finding) -> bool:
    """Of a code of ATC its letters say enough, with words or without."""
    is_known = allergy.sistema == "atc" or lookup(allergy.sistema, allergy.codigo, allergy.model)
    return allergy.model == "alergiasm" and not (allergy.codigo and is_known)


def is_allergic_to(medicine: Finding, record: RecordForRules) -> bool:
    """Whether nobody may point at it: an allergy, more than a little one, to it, to a class around it, or to what it is
    alike. Adrenaline and naloxone are given all the same."""
    if medicine.codigo in advice_table()["given_all_the_same"]:
        return False
    return any(_bars(one, medicine) for one in record.allergies if severity_rank(one.item) != LOW)


def _bars(allergy: Finding, medicine: Finding) -> bool:
    if medicine.sistema == "atc" and allergy.is_in_atc((medicine.codigo,)):
        return True
    for alike in advice_table()["allergic_alike"]:
        groups = tuple(alike["atc"])
        if medicine.sistema == "atc" and medicine.codigo.startswith(groups):
            return allergy.is_in_atc(groups) or allergy.has("snomed", alike["snomed"]) or _is_named(allergy, medicine)
    return _is_named(allergy, medicine)


def _is_named(allergy: Finding, medicine: Finding) -> bool:
    """Whether an allergy that no rule can read has a word of the medicine's name, in any language."""
    if not _is_unread(allergy) or allergy.name is None or medicine.name is None:
        return False
    written = {word for word in words_in(" ".join(allergy.name)) if len(word) >= SHORTEST_NAMING}
    return not written.isdisjoint(words_in(" ".join(medicine.name)))


SEVERE, UNKNOWN, LOW = range(3)


def severity_rank(item: Mapping[str, Any]) -> int:
    """Of an allergy: SEVERE, LOW, or UNKNOWN if nobody said how severe it is. Nor is it known where it is called low
    and adrenaline is carried against it: one of the two is wrong."""
    if _is_severe(Finding("", item, {}, "", "")):
        return SEVERE
    is_low = item.get("criticidad") in sign_table()["severe_allergy"]["low"]
    return LOW if is_low and item.get("autoinyector") is not True else UNKNOWN


def _is_severe(finding: Finding) -> bool:
    is_high = finding.item.get("criticidad") in sign_table()["severe_allergy"]["criticidad"]
    return is_high or bool(severe_reactions(finding))


def severe_reactions(finding: Finding) -> tuple[Translated, ...]:
    reactions = finding.item.get("reacciones")
    if not isinstance(reactions, list):
        return ()
    codes = sign_table()["severe_allergy"]["reacciones"]
    severe = [
        reaction
        for reaction in reactions
        if isinstance(reaction, dict)
        and reaction.get("sistema") == "snomed"
        and isinstance(code := reaction.get("codigo"), str)
        and code in codes
    ]
    return tuple(filter(None, [name_of(reaction, finding.model) for reaction in severe]))


def _device(when: Condition) -> Check:
    """Devices found by their kind, by a code or by a surgery. None is safe for MRI before its model was checked."""
    advice = when["device"]["advice"]

    def check(record: RecordForRules) -> Sequence[Hit]:
        safe = _devices_in(record)
        note = phrase("mri_safe" if all(safe.values()) else "mri_unsafe")
        return [Hit(lookup("snomed", code), (note,), advice.get(code, "")) for code in safe]

    return check


def _devices_in(record: RecordForRules) -> dict[str, bool]:
    """Their codes, and whether each is safe for MRI under conditions."""
    kinds, codes, told_by = (_device_table()[name] for name in ("tipos", "codes", "told_by"))
    safe: dict[str, bool] = {}
    for item in record.items_at(("cardiologico", "dispositivos")):
        kind = item.get("tipo")
        if isinstance(kind, str) and kind in kinds:
            safe[kinds[kind]] = safe.get(kinds[kind], True) and item.get("compatible_rm") is True
    if not record.marks.isdisjoint((*codes, *told_by)):
        for finding in record.conditions:
            code = told_by.get(finding.codigo, finding.codigo)
            if finding.sistema == "snomed" and code in codes:
                # The same device may be found twice; only its own entry can say that it is safe.
                safe.setdefault(code, False)
    return safe


@cache
def _device_table() -> Mapping[str, Any]:
    conditions = (when for rule in sign_table()["rules"] for line in rule["lines"] for when in line["any"])
    table: Mapping[str, Any] = next(when["device"] for when in conditions if "device" in when)
    return table


def _pregnancy(when: Condition) -> Check:
    """In one of these states. A due date without a state is a possible pregnancy; and so is a state that nobody changed
    since a due date long past: she may be pregnant again."""
    states = tuple(when["pregnancy"])

    def check(record: RecordForRules) -> Sequence[Hit]:
        due = record.value_at(("salud", "embarazo", "fecha_probable_parto"))
        day = last_day(due) if isinstance(due, str) else None
        state = record.value_at(STATE) or (EstadoEmbarazo.POSIBLE if day else None)
        if day is not None and is_long_past(day, record.today):
            is_stale = record.value_at(STATE) == EstadoEmbarazo.EMBARAZADA
            day, state = None, EstadoEmbarazo.POSIBLE if is_stale else None
        if state not in states:
            return ()
        if day is None:
            return (Hit(),)
        if record.on_paper:
            return (Hit(notes=(due_text(day, phrase("due")),)),)
        return (Hit(notes=(pregnancy_text(day, record.today, phrase("weeks"), phrase("due")),)),)

    return check


_COMPILERS: Mapping[str, Callable[[Condition], Check]] = {
    "codes": _codes,
    "cie10": _cie10,
    "atc": _atc,
    "flag": _flag,
    "present": _present,
    "item": _item,
    "allergy": _allergy,
    "latex": _latex,
    "allergic_to": _allergic_to,
    "device": _device,
    "pregnancy": _pregnancy,
}
