"""Which facts of a record the rules have judged: by a sign, by a line of advice, or as needing neither.

What has no code, or a code that nobody has read beside the rules, is not judged, and the page says so: silence about it
would read as "nothing serious". What somebody wrote in words, no rule has judged either.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from ficha.fmd.models.allergies import Categoria
from ficha.fmd.models.body import TipoDispositivo
from ficha.fmd.models.health import TipoConsideracion
from ficha.fmd.rules.record_for_rules import Finding, RecordForRules, as_written
from ficha.fmd.rules.rule_files import advice_table, no_sign_table, sign_table
from ficha.fmd.rules.sign_conditions import LOW, has_needed, severity_rank
from ficha.fmd.translations import Choice, Translated

# Lists with kinds that say nothing by themselves, and the fields in which somebody wrote what they mean. Of the other
# kinds, a stent and a need with moving about were judged to need no sign.
DESCRIBED: tuple[tuple[tuple[str, str], tuple[Choice, ...], tuple[str, ...]], ...] = (
    (("cardiologico", "dispositivos"), (TipoDispositivo.OTRO,), ("modelo", "fabricante")),
    (
        ("consideracion", "consideraciones"),
        (TipoConsideracion.RELIGIOSA, TipoConsideracion.OTRA),
        ("descripcion", "como_ayudar"),
    ),
)

# Where somebody may have written in words what nobody coded. Names, doses and places are not of that kind.
TEXTS_OF_FACTS = ("plan", "motivo", "notas")
TEXTS_OF_NEEDS = ("descripcion", "como_ayudar")
TEXTS = (("emergencia", "instrucciones"), ("cuerpo", "senas_particulares"))

# A condition that finds something only together with something else that the record may not say.
NARROWED = ("long_term", "with_codes")


class JudgedCodes(NamedTuple):
    """Codes of SNOMED CT, beginnings of codes of ATC and CIE-10, and conditions by which a fact is judged only where
    what else they ask is known."""

    snomed: frozenset[str]
    atc: tuple[str, ...]
    cie10: tuple[str, ...]
    exact_atc: frozenset[str]
    narrowed: tuple[Mapping[str, Any], ...]

    def has(self, finding: Finding) -> bool:
        match finding.sistema:
            case "snomed":
                return finding.codigo in self.snomed
            case "atc":
                return finding.codigo.startswith(self.atc) or finding.codigo in self.exact_atc
            case "cie10":
                return finding.codigo.startswith(self.cie10)
        return False


def unjudged_facts(record: RecordForRules, fired: Collection[str] = ()) -> list[Translated]:
    """Their names: conditions, surgeries and implants that are not over, medicines being taken, those of which the
    dates do not say whether they act, and what is only described; those without a code first. An allergy is judged by
    how severe it is, unless that is little and it has no code: rules that look at the substance cannot. `fired` are
    the rules that found something: the medicines that help with it are judged by them."""
    helping = _helping(frozenset(fired))
    unknown = [one for one in (*record.conditions, *record.medicines) if not _is_judged(one, record, helping)]
    unknown += record.unclear
    unknown += [one for one in record.allergies if severity_rank(one.item) == LOW and not _is_known_substance(one)]
    found = [one.name for one in sorted(unknown, key=lambda one: one.codigo != "")]
    found += [name for list_, kinds, fields in DESCRIBED for name in _described(record.items_at(list_), kinds, fields)]
    return list(dict.fromkeys(filter(None, found)))


def is_written(record: RecordForRules) -> bool:
    """Whether somebody wrote something in words, of what is not over."""
    facts = (*record.conditions, *record.medicines, *record.allergies)
    texts: list[Any] = [fact.item.get(name) for fact in facts for name in TEXTS_OF_FACTS]
    texts += [reaction for fact in record.allergies for reaction in _uncoded_reactions(fact)]
    needs = record.items_at(("consideracion", "consideraciones"))
    texts += [need.get(name) for need in needs for name in TEXTS_OF_NEEDS]
    texts += [record.value_at(path) for path in TEXTS]
    return any(isinstance(text, str) and text.strip() for text in texts)


@cache
def judged_codes() -> JudgedCodes:
    conditions = [when for rule in sign_table()["rules"] for line in rule["lines"] for when in line["any"]]
    conditions += [when for one in advice_table()["advice"] for when in one.get("also_for", ())]
    conditions += [{system: codes} for system, codes in no_sign_table().items()]
    narrowed = tuple(when for when in conditions if any(name in when for name in NARROWED))
    whole = [when for when in conditions if when not in narrowed]
    snomed = {code for when in conditions for code in _snomed_of(when)}
    atc = {code for when in whole if not when.get("exact") for code in when.get("atc", ())}
    exact_atc = {code for when in whole if when.get("exact") for code in when.get("atc", ())}
    cie10 = {code for when in whole for code in when.get("cie10", ())}
    return JudgedCodes(frozenset(snomed), tuple(sorted(atc)), tuple(sorted(cie10)), frozenset(exact_atc), narrowed)


def _snomed_of(when: Mapping[str, Any]) -> Iterator[str]:
    for name in ("codes", "with_codes", "snomed"):
        yield from when.get(name, ())
    device = when.get("device", {})
    yield from (*device.get("codes", ()), *device.get("told_by", ()))


def _is_judged(finding: Finding, record: RecordForRules, helping: tuple[str, ...]) -> bool:
    judged, system = judged_codes(), finding.sistema
    if judged.has(finding) or (system == "atc" and finding.codigo.startswith(helping)):
        return True
    return any(
        finding.codigo.startswith(tuple(when[system])) and _is_known(finding, record, when)
        for when in judged.narrowed
        if system in when
    )


def _is_known_substance(allergy: Finding) -> bool:
    return allergy.codigo != "" or allergy.item.get("categoria") == Categoria.LATEX


def _is_known(finding: Finding, record: RecordForRules, when: Mapping[str, Any]) -> bool:
    """Whether the record says what a narrowed condition asks: without it, nobody knows what the fact means."""
    if when.get("long_term"):
        return record.has_start(finding) or record.is_long_term(finding)
    return has_needed(record, when)


@cache
def _helping(fired: frozenset[str]) -> tuple[str, ...]:
    """The ATC groups of medicines that belong to what these rules found: named by them, or as helping by them or by
    their advice."""
    rules = [rule for rule in sign_table()["rules"] if rule["id"] in fired]
    lines = [line for rule in rules for line in rule["lines"]]
    advised = {line["advice"] for line in lines}
    groups = [rule.get("rescue", ()) for rule in rules]
    groups += [when["atc"] for line in lines for when in line["any"] if "with_codes" in when]
    groups += [(one.get("rescue") or {}).get("atc", ()) for one in advice_table()["advice"] if one["id"] in advised]
    return tuple(sorted({code for codes in groups for code in codes}))


def _uncoded_reactions(allergy: Finding) -> Iterator[Any]:
    reactions = allergy.item.get("reacciones")
    for reaction in reactions if isinstance(reactions, list) else ():
        if isinstance(reaction, dict) and not reaction.get("codigo"):
            yield reaction.get("texto")


def _described(
    items: Iterable[Mapping[str, Any]], kinds: Sequence[Choice], fields: Sequence[str]
) -> Iterator[Translated | None]:
    """What is written of items whose kind says nothing, or the words of that kind."""
    by_value = {kind.value: kind.words for kind in kinds}
    for item in items:
        words = by_value.get(str(item.get("tipo")))
        if words is not None:
            written = [item[field] for field in fields if isinstance(item.get(field), str)]
            yield next(filter(None, map(as_written, written)), words)
