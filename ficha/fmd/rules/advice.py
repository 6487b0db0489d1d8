"""What to do and what not to do for each stop sign, and for some conditions that have none: general first aid.

It is data (`data/advice/`), published with a version of its own. Each line is taken from public first-aid guidance, in
our own words, and names its sources; docs/clinical.md lists all of them for a clinician to review.

Lines that are right alone can be wrong beside each other. `data/conflicts.json` says which line gives way, or which of
its variants replaces it; nothing else may leave out or change a line.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from ficha.fmd.rules.advice_acts import Act, act_from, implied
from ficha.fmd.rules.record_for_rules import MAX_KEPT_IN, Finding, RecordForRules, as_written
from ficha.fmd.rules.rule_files import advice_table, conflict_table
from ficha.fmd.rules.sign_conditions import Check, compiled, is_allergic_to, marks_of
from ficha.fmd.rules.signs import SIGNS_VERSION, Sign
from ficha.fmd.rules.withdrawn_rules import NONE_WITHDRAWN, WithdrawnRules
from ficha.fmd.terms import words_in
from ficha.fmd.translations import Translated

ADVICE_VERSION = "3.2.0"


class AdviceSource(NamedTuple):
    """Where it can be read. `url` and `read`, the day, only if somebody has read that page."""

    name: str
    url: str = ""
    read: str = ""


class Rescue(NamedTuple):
    """A sentence for whoever finds one of these medicines, by ATC group, with `{where}` for its name and place, unless
    its way has one of the words `not_via`. `act` is what the line demands with it."""

    act: str
    groups: tuple[str, ...]
    not_via: tuple[str, ...]
    words: Translated


class Advice(NamedTuple):
    """`title` says when it helps. `staff` is for health professionals only. A variant of a line has an id of its own
    and names its `line`; of every other, `line` is the id. A former one is only on stickers printed long ago."""

    id: str
    line: str
    title: Translated
    do: Translated
    dont: Translated
    staff: Translated | None
    rescue: Rescue | None
    acts: tuple[Act, ...]
    sources: tuple[AdviceSource, ...]
    is_former: bool
    # Conditions without a sign for which it is shown, and marks of which a record must have one for that, see
    # RecordForRules.marks.
    also_for: tuple[Check, ...]
    marks: frozenset[str]


class GivenAdvice(NamedTuple):
    """A line for a record. `rescue` is the line's sentence with `where`: the medicine that helps and where it is."""

    advice: Advice
    rescue: Translated | None = None
    where: Translated | None = None


class Conflict(NamedTuple):
    """A line of `becomes` gives way (None) or is replaced by a variant, if the record has one of the lines `advice`,
    if another of its lines demands or forbids one of the acts named, or if the record meets a condition."""

    id: str
    becomes: Mapping[str, str | None]
    advice: frozenset[str]
    demands: frozenset[str]
    forbids: frozenset[str]
    conditions: tuple[Check, ...]
    # One of which a record must have for these to be met.
    marks: frozenset[str]
    why: str
    sources: tuple[AdviceSource, ...]
    decided: str


@cache
def all_advice() -> Mapping[str, Advice]:
    """Every line, each followed by its variants."""
    lines: dict[str, Advice] = {}
    for row in advice_table()["advice"]:
        lines[row["id"]] = _advice(row["id"], row)
        for name, changed in row.get("variants", {}).items():
            lines[f"{row['id']}.{name}"] = _advice(row["id"], {**row, **changed, "id": f"{row['id']}.{name}"})
    return lines


@cache
def all_conflicts() -> Sequence[Conflict]:
    return [
        Conflict(
            row["id"],
            row["becomes"],
            frozenset(row["with"].get("advice", ())),
            frozenset(row["with"].get("demands", ())),
            frozenset(row["with"].get("forbids", ())),
            tuple(map(compiled, row["with"].get("any", ()))),
            frozenset().union(*map(marks_of, row["with"].get("any", ()))),
            row["why"],
            sources_of(row),
            row["decided"],
        )
        for row in conflict_table()["conflicts"]
    ]


@cache
def dont_word() -> Translated:
    return Translated(**advice_table()["dont_word"])


def sources_of(row: Mapping[str, Any]) -> tuple[AdviceSource, ...]:
    return tuple(AdviceSource(**source) for source in row["sources"])


def advice_for(
    record: RecordForRules, signs: Iterable[Sign], withdrawn: WithdrawnRules = NONE_WITHDRAWN
) -> list[GivenAdvice]:
    """For the signs in their order, then for the conditions without one. Each line once, and none that contradicts
    another."""
    found = dict.fromkeys(one for sign in signs for one in sign.advice)
    for one in _beyond_signs():
        if not one.marks.isdisjoint(record.marks) and any(check(record) for check in one.also_for):
            found[one.id] = None
    # Before lines give way to each other: a withdrawn one takes no other with it.
    for gone in withdrawn.advice:
        found.pop(gone, None)
    met = [
        conflict.id
        for conflict in _conflicts_of_records()
        if not conflict.marks.isdisjoint(record.marks)
        and not found.keys().isdisjoint(conflict.becomes)
        and any(check(record) for check in conflict.conditions)
    ]
    lines = [one for one in resolved(tuple(found), frozenset(met)) if one.id not in withdrawn.advice]
    kept = [
        medicine
        for medicine in record.medicines
        if medicine.item.get("guardado_en") and not is_allergic_to(medicine, record)
    ]
    return [_given(one, kept) for one in lines] if kept else [GivenAdvice(one) for one in lines]


@lru_cache(maxsize=4096)
def resolved(found: tuple[str, ...], met: frozenset[str] = frozenset()) -> tuple[Advice, ...]:
    """The lines with these ids, as they may stand together. `met` are conflicts whose conditions the record meets."""
    known = all_advice()
    lines = [known[one] for one in found]
    for conflict in all_conflicts():
        others = {one.line for one in lines}
        kept = []
        for one in lines:
            is_changed = one.id in conflict.becomes and (
                conflict.id in met
                or not conflict.advice.isdisjoint(others - {one.line})
                or any(_asks(other, conflict) for other in lines if other.line != one.line)
            )
            new_id = conflict.becomes[one.id] if is_changed else one.id
            if new_id is not None:
                kept.append(known[new_id])
        lines = kept
    return tuple(lines)


def _asks(line: Advice, conflict: Conflict) -> bool:
    demanded, forbidden = _asked(line)
    return not (conflict.demands.isdisjoint(demanded) and conflict.forbids.isdisjoint(forbidden))


@cache
def _asked(line: Advice) -> tuple[frozenset[str], frozenset[str]]:
    """All acts that it demands, with those implied, and all that it forbids, whatever the conditions."""
    demanded = frozenset().union(*[implied(act.act) for act in line.acts if act.is_demand])
    return demanded, frozenset(act.act for act in line.acts if not act.is_demand)


@cache
def _beyond_signs() -> Sequence[Advice]:
    return [one for one in all_advice().values() if one.also_for]


@cache
def _conflicts_of_records() -> Sequence[Conflict]:
    return [conflict for conflict in all_conflicts() if conflict.conditions]


def _given(line: Advice, kept: Sequence[Finding]) -> GivenAdvice:
    where = _where(line.rescue, kept) if line.rescue else None
    if line.rescue is None or where is None:
        return GivenAdvice(line)
    pairs = zip(line.rescue.words, where, strict=True)
    return GivenAdvice(line, Translated(*[words.format(where=kept_in) for words, kept_in in pairs]), where)


def _where(rescue: Rescue, kept: Sequence[Finding]) -> Translated | None:
    """Medicines that it means with their place, of those whose place is recorded: "Midazolam (mochila azul)"."""
    found = []
    for medicine in kept:
        where = medicine.item.get("guardado_en")
        is_meant = medicine.codigo.startswith(rescue.groups) and not _is_taken_by(medicine, rescue.not_via)
        if isinstance(where, str) and medicine.sistema == "atc" and is_meant:
            name, kept_in = medicine.name, as_written(where, MAX_KEPT_IN)
            if name and kept_in:
                found.append([f"{word} ({kept_in.es})" for word in name])
    return Translated(*map(", ".join, zip(*found, strict=True))) if found else None


def _is_taken_by(medicine: Finding, ways: tuple[str, ...]) -> bool:
    """By one of these words of its way, which somebody wrote."""
    way = medicine.item.get("via")
    return isinstance(way, str) and not set(ways).isdisjoint(words_in(way))


def _advice(line: str, row: Mapping[str, Any]) -> Advice:
    also_for = row.get("also_for", ()) if row["id"] == line else ()
    rescue = row.get("rescue")
    return Advice(
        row["id"],
        line,
        Translated(**row["title"]),
        Translated(**row["do"]),
        Translated(**row["dont"]),
        Translated(**row["staff"]) if "staff" in row else None,
        Rescue(rescue["act"], tuple(rescue["atc"]), tuple(rescue.get("not_via", ())), Translated(**rescue["words"]))
        if rescue
        else None,
        tuple(map(act_from, row["acts"])),
        sources_of(row),
        row.get("former", False),
        tuple(map(compiled, also_for)),
        frozenset().union(*map(marks_of, also_for)),
    )


def rules_version(withdrawn: WithdrawnRules) -> str:
    """What was shown to somebody was made by these rules: "3.0.0/3.0.0+7" are the signs, the advice, and the number of
    the newest change by which any of them was withdrawn or shown again."""
    return f"{SIGNS_VERSION}/{ADVICE_VERSION}+{withdrawn.change_id}"
