"""docs/clinical.md: every stop sign and every line of advice, with its words and sources, for a clinician to review."""

from collections.abc import Iterator, Mapping
from typing import Any

from ficha.fmd.advice import ADVICE_VERSION, all_advice
from ficha.fmd.rules.tables import sign_table
from ficha.fmd.signs import SIGNS_VERSION

LANGUAGES = {"es": "Spanish", "en": "English", "pt": "Portuguese"}


def clinical_page() -> str:
    lines = [
        "# What the stranger is told\n",
        f"Stop signs: version {SIGNS_VERSION} (`ficha/fmd/rules/signs/`). Advice: version {ADVICE_VERSION}"
        " (`ficha/fmd/rules/advice/`). The rules look at codes and flags, never at free text. Advice is general first"
        " aid, shown as such and after what the person or the family wrote; each line names where it comes from, and"
        " is in our own words. An administrator can withdraw any sign or line at once, without a release, and have it"
        " shown again (docs/console.md): the service may show less than stands here, never more.\n",
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
    lines.append("\n## Advice\n")
    for one in all_advice().values():
        lines.append(f"### {one.id}\n")
        for place, language in enumerate(LANGUAGES.values()):
            lines.append(f"- {language}: **{one.title[place]}.** {one.do[place]} **Not:** {one.dont[place]}")
        lines.append(f"- Sources: {'; '.join(one.sources)}.\n")
    return "\n".join(lines).rstrip() + "\n"


def _found_by(when: Mapping[str, Any]) -> str:
    kind = next(iter(when))
    return f"{kind} {', '.join(_values(when[kind]))}".strip()


def _values(found: Any) -> Iterator[str]:
    if isinstance(found, Mapping):
        yield from found.get("codes", found)
    elif isinstance(found, list):
        yield from map(str, found)
    else:
        yield str(found)
