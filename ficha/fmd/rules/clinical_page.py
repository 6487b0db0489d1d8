"""docs/clinical.md: every stop sign, every line of advice and every conflict between lines, with words, acts and
sources, for a clinician to review."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

from ficha.fmd.rules.advice import ADVICE_VERSION, Advice, AdviceSource, Conflict, all_advice, all_conflicts
from ficha.fmd.rules.advice_acts import contradictions
from ficha.fmd.rules.record_for_rules import LONG_TERM
from ficha.fmd.rules.rule_files import acts_table, advice_table, conflict_table, sign_table
from ficha.fmd.rules.signs import SIGNS_VERSION

LANGUAGES = {"es": "Spanish", "en": "English", "pt": "Portuguese"}


def clinical_page() -> str:
    lines = [
        "# What the stranger is told\n",
        "**No clinician has reviewed this.**\n",
        f"Stop signs: version {SIGNS_VERSION} (`ficha/fmd/rules/data/signs/`). Advice: version {ADVICE_VERSION}"
        " (`ficha/fmd/rules/data/advice/`, `acts.json`, `conflicts.json`). The rules look at codes and flags, never"
        " at free text. Advice is general first aid, shown as such and after what the person or the family wrote; each"
        " line names where it comes from, and is in our own words. A source has an address and a day if somebody has"
        " read that page; of every other we say that it was not looked up. An administrator can withdraw any sign or"
        " line at once, without a release, and have it shown again (docs/console.md): the service may show less than"
        " stands here, never more.\n",
        "## Stop signs, the most dangerous first\n",
        "| rule | words | found by | advice |",
        "| --- | --- | --- | --- |",
    ]
    for rule in sign_table()["rules"]:
        lines += [
            f"| {rule['id']} | {' / '.join(line['words'].values())} | {'; '.join(map(_found_by, line['any']))}"
            f" | {line['advice']} |"
            for line in rule["lines"]
        ]
    lifelong = ", ".join(code for codes in sign_table()["lifelong"].values() for code in codes)
    lines += [
        "\nA condition that the record calls resolved raises no sign by itself, except what lasts for life or may come"
        f" again: {lifelong}."
    ]
    after = sign_table()["after_the_end"]
    lines += [
        f"\nA medicine counts for {after['days']} day after its end, as the day may not be over where the person is."
        " Of these the body feels the end for longer, and the sign says when it was:",
        *(
            f"- {', '.join(longer['atc'])}: {longer['days']} days"
            f"{f', if taken for {LONG_TERM.days} days' if longer.get('long_term') else ''}."
            for longer in after["longer"]
        ),
    ]
    lines += ["\n## Advice\n", "A name with a dot is a variant of a line, which conflicts put in its place.\n"]
    for one in all_advice().values():
        lines += _advice(one)
    lines += ["## Conflicts between lines of advice\n", *_conflicts()]
    return "\n".join(lines).rstrip() + "\n"


def _advice(one: Advice) -> Iterator[str]:
    yield f"### {one.id}\n"
    if one.is_former:
        yield "- Only on stickers printed earlier."
    for index, language in enumerate(LANGUAGES.values()):
        staff = f" **Health staff:** {one.staff[index]}" if one.staff else ""
        yield f"- {language}: **{one.title[index]}.** {one.do[index]} **Not:** {one.dont[index]}{staff}"
    if one.rescue:
        but = f" (not by {' / '.join(one.rescue.not_via)})" if one.rescue.not_via else ""
        yield f"- If the record says where {', '.join(one.rescue.groups)} is kept{but}: {' / '.join(one.rescue.words)}"
    yield f"- Acts: {'; '.join(map(str, one.acts))}."
    yield f"- Sources: {_sources(one.sources)}.\n"


def _conflicts() -> Iterator[str]:
    yield (
        "Each line says as data which acts it demands and forbids, under which conditions and to whom. Two lines"
        " contradict each other if, under conditions that can hold together, one demands what the other forbids, or"
        f" both demand what excludes each other ({_groups('excluding_acts')}); or if both demand, under different"
        f" conditions, what all must demand alike ({', '.join(acts_table()['same_everywhere'])}). These conditions"
        f" cannot hold together: {_groups('excluding_conditions')}."
        " A professional reads everything, so acts for both readers are compared.\n"
    )
    conditions = {row["id"]: row["with"].get("any", ()) for row in conflict_table()["conflicts"]}
    for conflict in all_conflicts():
        yield f"### {conflict.id}\n"
        yield f"- {conflict.why}"
        yield f"- Decided on {conflict.decided}, beside {_beside(conflict, conditions[conflict.id])}."
        yield from (
            f"- `{line}` is left out." if new is None else f"- `{line}` becomes `{new}`."
            for line, new in conflict.becomes.items()
        )
        yield f"- Sources: {_sources(conflict.sources)}.\n"
    lines = [one for one in all_advice().values() if one.id == one.line and not one.is_former]
    pairs = [
        f"{one.id} and {other.id}" for one, other in combinations(lines, 2) if contradictions(one.acts, other.acts)
    ]
    yield f"{_allergic()}\n"
    yield f"Without this table these lines would contradict each other: {'; '.join(pairs)}."


def _allergic() -> str:
    alike = "; ".join(" / ".join((*one["atc"], *one["snomed"])) for one in advice_table()["allergic_alike"])
    return (
        "Nobody is told where a medicine is to which the person is more than a little allergic: by its code, by a class"
        f" around it, by a word of its name, or by another of its kind ({alike}). Told all the same:"
        f" {', '.join(advice_table()['given_all_the_same'])}."
    )


def _beside(conflict: Conflict, conditions: Iterable[Mapping[str, Any]]) -> str:
    parts = [
        *(f"the line {name}" for name in sorted(conflict.advice)),
        *(f"a line that demands {act}" for act in sorted(conflict.demands)),
        *(f"a line that forbids {act}" for act in sorted(conflict.forbids)),
        *map(_found_by, conditions),
    ]
    return "; ".join(parts)


def _groups(name: str) -> str:
    return "; ".join(" / ".join(group) for group in acts_table()[name])


def _sources(sources: Iterable[AdviceSource]) -> str:
    return "; ".join(
        f"[{one.name}]({one.url}), read on {one.read}" if one.url else f"{one.name} (not looked up)" for one in sources
    )


def _found_by(when: Mapping[str, Any]) -> str:
    kind = next(iter(when))
    exactly = " exactly" if when.get("exact") else ""
    return f"{kind}{exactly} {', '.join(_values(when[kind]))}".strip()


def _values(found: Any) -> Iterator[str]:
    if isinstance(found, Mapping):
        yield from found.get("codes", found)
    elif isinstance(found, list):
        yield from map(str, found)
    else:
        yield str(found)
