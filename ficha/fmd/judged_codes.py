"""Which facts of a record the rules have judged: by a sign, by a line of advice, or as needing neither.

What has no code, or a code that nobody has read beside the rules, is not judged, and the page says so: silence about it
would read as "nothing serious".
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from ficha.fmd.findings import Finding, RecordFindings, as_written
from ficha.fmd.models.cardiologico import TipoDispositivo
from ficha.fmd.models.consideracion import TipoConsideracion
from ficha.fmd.rules.tables import advice_table, no_sign_table, sign_table
from ficha.fmd.translations import Choice, Translated

# Lists with kinds that say nothing by themselves, and the fields in which somebody wrote what they mean.
DESCRIBED: tuple[tuple[tuple[str, str], tuple[Choice, ...], tuple[str, ...]], ...] = (
    (("cardiologico", "dispositivos"), (TipoDispositivo.OTRO,), ("modelo", "fabricante")),
    (
        ("consideracion", "consideraciones"),
        (TipoConsideracion.RELIGIOSA, TipoConsideracion.OTRA),
        ("descripcion", "como_ayudar"),
    ),
)


class JudgedCodes(NamedTuple):
    """Codes of SNOMED CT, and beginnings of codes of ATC and CIE-10."""

    snomed: frozenset[str]
    atc: tuple[str, ...]
    cie10: tuple[str, ...]

    def has(self, finding: Finding) -> bool:
        match finding.sistema:
            case "snomed":
                return finding.codigo in self.snomed
            case "atc":
                return finding.codigo.startswith(self.atc)
            case "cie10":
                return finding.codigo.startswith(self.cie10)
        return False


def unjudged_facts(record: RecordFindings) -> list[Translated]:
    """Their names: conditions, surgeries and implants that are not over, medicines being taken, and what is only
    described; those without a code first. Allergies are all judged, by how severe they are."""
    judged = judged_codes()
    unknown = [one for one in (*record.conditions, *record.medicines) if not judged.has(one)]
    found = [one.name for one in sorted(unknown, key=lambda one: one.codigo != "")]
    found += [name for list_, kinds, fields in DESCRIBED for name in _described(record.items_at(list_), kinds, fields)]
    return list(dict.fromkeys(filter(None, found)))


@cache
def judged_codes() -> JudgedCodes:
    conditions = [when for rule in sign_table()["rules"] for line in rule["lines"] for when in line["any"]]
    conditions += [when for one in advice_table()["advice"] for when in one.get("also_for", ())]
    conditions += [{system: codes} for system, codes in no_sign_table().items()]
    snomed = {code for when in conditions for code in _snomed_of(when)}
    atc = {code for when in conditions for code in when.get("atc", ())}
    cie10 = {code for when in conditions for code in when.get("cie10", ())}
    return JudgedCodes(frozenset(snomed), tuple(sorted(atc)), tuple(sorted(cie10)))


def _snomed_of(when: Mapping[str, Any]) -> Iterator[str]:
    for name in ("codes", "with_codes", "snomed"):
        yield from when.get(name, ())
    device = when.get("device", {})
    yield from (*device.get("codes", ()), *device.get("told_by", ()))


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
