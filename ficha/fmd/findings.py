"""A record as rules read it: codes and flags only. Damaged parts are left out and nothing raises."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import Any

from ficha.fmd.terms import lookup
from ficha.fmd.translations import Translated
from ficha.fmd.values import first_day, last_day

# After three weeks of steroids the body may not make its own.
LONG_TERM = timedelta(days=21)
# Free text that a sign repeats is cut here.
MAX_NAME = 80

# The lists of coded findings except medicines and allergies: model, list, field of the item ("" for the item itself).
CODED_LISTS = (
    ("salud", "condiciones", "condicion"),
    ("salud", "cirugias", ""),
    ("cardiologico", "antecedentes", ""),
    ("cuerpo", "implantes", ""),
    ("cuerpo", "protesis", ""),
)
ALLERGY_LISTS = (("alergiasa", "alergias", "agente"), ("alergiasm", "alergias", "medicamento"))
MEDICINES = ("medicacion", "medicamentos", "medicamento")


@dataclass(frozen=True)
class Finding:
    """An item of a list and the term in it."""

    model: str
    item: Mapping[str, Any]
    sistema: str
    codigo: str
    name: Translated | None

    def has(self, sistema: str, codes: Mapping[str, Any]) -> bool:
        return self.sistema == sistema and self.codigo in codes


@dataclass(frozen=True)
class RecordFindings:
    """The documents that the caller may see, by model."""

    documents: Mapping[str, Any]
    today: date

    def value(self, path: str) -> Any:
        """`model/field/field`, or None."""
        found: Any = self.documents
        for step in path.split("/"):
            found = found.get(step) if isinstance(found, Mapping) else None
        return found

    def items(self, path: str) -> Iterator[Mapping[str, Any]]:
        found = self.value(path)
        yield from (item for item in found if isinstance(item, Mapping)) if isinstance(found, list) else ()

    def conditions(self, *, resolved: bool = False) -> list[Finding]:
        """Conditions, surgeries and implants; those that are over only if `resolved`."""
        return [finding for finding in self._coded if resolved or finding.item.get("estado") != "resuelta"]

    def medicines(self) -> list[Finding]:
        """Those being taken. One whose end cannot be read is being taken."""
        return self._taken

    def allergies(self) -> list[Finding]:
        return self._allergies

    # Every rule uses these, so they are collected once.
    @cached_property
    def _coded(self) -> list[Finding]:
        return [finding for place in CODED_LISTS for finding in self._findings(*place)]

    @cached_property
    def _taken(self) -> list[Finding]:
        return [finding for finding in self._findings(*MEDICINES) if not self._is_over(finding.item.get("hasta"))]

    @cached_property
    def _allergies(self) -> list[Finding]:
        return [finding for place in ALLERGY_LISTS for finding in self._findings(*place)]

    def is_long_term(self, medicine: Finding) -> bool:
        if medicine.item.get("critico") is True:
            return True
        since = medicine.item.get("desde")
        start = first_day(since) if isinstance(since, str) else None
        return start is not None and start <= self.today - LONG_TERM

    def _is_over(self, until: object) -> bool:
        end = last_day(until) if isinstance(until, str) else None
        return end is not None and end < self.today

    def _findings(self, model: str, field: str, inside: str) -> Iterator[Finding]:
        for item in self.items(f"{model}/{field}"):
            term = item.get(inside) if inside else item
            if isinstance(term, Mapping):
                sistema, codigo = _text(term, "sistema"), _text(term, "codigo")
                yield Finding(model, item, sistema, codigo, name_of(term, model))


def name_of(term: Mapping[str, Any], model: str) -> Translated | None:
    """A known code in three languages; otherwise the text as it was written, in all of them."""
    written = _text(term, "texto") or _text(term, "codigo")
    if len(written) > MAX_NAME:
        written = written[: MAX_NAME - 1] + "…"
    own = Translated(written, written, written) if written else None
    return lookup(_text(term, "sistema"), _text(term, "codigo"), model) or own


def _text(term: Mapping[str, Any], name: str) -> str:
    value = term.get(name)
    return value if isinstance(value, str) else ""
