"""What to do and what not to do for each stop sign, and for some conditions that have none: general first aid.

It is data (`rules/advice/`), published with a version of its own. Each line is taken from public first-aid guidance, in
our own words, and names its sources; docs/clinical.md lists all of them for a clinician to review.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from ficha.fmd.findings import RecordFindings
from ficha.fmd.rules.tables import advice_table
from ficha.fmd.sign_conditions import Check, compiled, marks_of
from ficha.fmd.signs import SIGNS_VERSION, Sign
from ficha.fmd.translations import Translated
from ficha.fmd.withdrawn_rules import NONE_WITHDRAWN, WithdrawnRules

ADVICE_VERSION = "1.0.0"

# What the first says includes the second.
INCLUDES = {"anafilaxia_autoinyector": "anafilaxia"}


class Advice(NamedTuple):
    """`title` says when it helps. `also_for` are conditions without a sign for which it is shown."""

    id: str
    title: Translated
    do: Translated
    dont: Translated
    sources: tuple[str, ...]
    also_for: tuple[Check, ...]
    # One of which a record must have for that, see RecordFindings.marks.
    marks: frozenset[str]


@cache
def all_advice() -> Mapping[str, Advice]:
    return {
        row["id"]: Advice(
            row["id"],
            Translated(**row["title"]),
            Translated(**row["do"]),
            Translated(**row["dont"]),
            tuple(row["sources"]),
            tuple(map(compiled, row.get("also_for", ()))),
            frozenset().union(*map(marks_of, row.get("also_for", ()))),
        )
        for row in advice_table()["advice"]
    }


@cache
def _beyond_signs() -> Sequence[Advice]:
    return [one for one in all_advice().values() if one.also_for]


@cache
def dont_word() -> Translated:
    return Translated(**advice_table()["dont_word"])


def advice_for(
    record: RecordFindings, signs: Iterable[Sign], withdrawn: WithdrawnRules = NONE_WITHDRAWN
) -> list[Advice]:
    """For the signs in their order, then for the conditions without one. Each line once."""
    known = all_advice()
    found = dict.fromkeys(one for sign in signs for one in sign.advice)
    for one in _beyond_signs():
        if not one.marks.isdisjoint(record.marks) and any(check(record) for check in one.also_for):
            found[one.id] = None
    # Before lines leave each other out: a withdrawn one takes no other with it.
    for gone in withdrawn.advice:
        found.pop(gone, None)
    included = {INCLUDES[one] for one in found if one in INCLUDES}
    return [known[one] for one in found if one not in included]


def rules_version(withdrawn: WithdrawnRules) -> str:
    """What was shown to somebody was made by these rules: "2.0.0/1.0.0+7" are the signs, the advice, and the number of
    the newest change by which any of them was withdrawn or shown again."""
    return f"{SIGNS_VERSION}/{ADVICE_VERSION}+{withdrawn.change_id}"
