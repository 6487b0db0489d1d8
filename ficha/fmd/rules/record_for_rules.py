"""A record as rules read it: codes and flags only. Damaged parts are left out and nothing raises."""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

from ficha.fmd.rules.rule_files import sign_table
from ficha.fmd.terms import lookup
from ficha.fmd.translations import Translated
from ficha.fmd.values import first_day, last_day

# After three weeks of steroids the body may not make its own.
LONG_TERM = timedelta(days=21)
# A lower dose is written as a medicine of its own: with no longer a pause than this it is the same course.
PAUSE = timedelta(days=7)
# Its letters are those of what medicines of one kind have in common: of all glucocorticoids H02AB.
ATC_GROUP = 5
# Free text that a sign repeats is cut here.
MAX_NAME = 80
MAX_KEPT_IN = 160

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
ATC_LENGTHS = range(1, 8)
# A category, and what may stand behind its dot.
CIE10_LENGTHS = (3, *range(5, 9))


class Finding(NamedTuple):
    """An item of a list and the term in it."""

    model: str
    item: Mapping[str, Any]
    term: Mapping[str, Any]
    sistema: str
    codigo: str

    @property
    def name(self) -> Translated | None:
        return lookup(self.sistema, self.codigo, self.model) or as_written(_text(self.term, "texto") or self.codigo)

    @property
    def is_lifelong(self) -> bool:
        codes = sign_table()["lifelong"]
        return self.has("snomed", codes["snomed"]) or (
            self.sistema == "cie10" and self.codigo.startswith(tuple(codes["cie10"]))
        )

    def is_in_atc(self, groups: tuple[str, ...]) -> bool:
        """Whether it is one of these groups, below one, or a class around one."""
        is_atc = self.sistema == "atc" and self.codigo != ""
        return is_atc and (self.codigo.startswith(groups) or any(group.startswith(self.codigo) for group in groups))

    def has(self, sistema: str, codes: Container[str]) -> bool:
        return self.sistema == sistema and self.codigo in codes


class RecordForRules:
    """The documents that the caller may see, by model, and what rules look for in them, collected once. Of what is read
    for long (`on_paper`) no sign says what is true only for some weeks."""

    def __init__(self, documents: Mapping[str, Any], today: date, *, on_paper: bool = False) -> None:
        self.documents, self.on_paper = documents, on_paper
        self.today = today
        # Conditions, surgeries and implants, with those that are over; then those that are not. What lasts for life is
        # never over: somebody who calls an anaphylaxis or a ketoacidosis resolved means that day, not its cause.
        self.ever = self._findings(CODED_LISTS)
        self.conditions = [one for one in self.ever if one.item.get("estado") != "resuelta" or one.is_lifelong]
        # Those that act, with those that ended not long ago; then those being taken. One whose end cannot be read is
        # being taken, and one that ended yesterday: where the person is, the day may not be over.
        grace = sign_table()["after_the_end"]["days"]
        self._written = self._findings((MEDICINES,))
        self.acting = [each for each in self._written if self._has_begun(each) and self._acts(each)]
        self.medicines = [each for each in self.acting if self._ended_within(each, grace)]
        # Those of which the dates do not say whether they act: they begin later, or the year is wrong; or the body
        # would feel that they ended, had they been taken for long, and nobody wrote since when.
        self.unclear = [each for each in self._written if not self._has_begun(each) or self._may_act(each)]
        self.allergies = self._findings(ALLERGY_LISTS)
        # By these the rules are found that can fire at all: fields, codes, and beginnings of codes that have groups.
        self.marks = {finding.codigo for finding in self.conditions}
        self.marks.update(*[document for document in documents.values() if isinstance(document, dict)])
        for medicine in self.acting:
            self.marks.update([medicine.codigo[:length] for length in ATC_LENGTHS])
        for finding in self.conditions:
            if finding.sistema == "cie10":
                self.marks.update([finding.codigo[:length] for length in CIE10_LENGTHS])

    def value(self, path: str) -> Any:
        """`model/field/field`, or None."""
        return self.value_at(path.split("/"))

    def value_at(self, steps: Sequence[str]) -> Any:
        found: Any = self.documents
        for step in steps:
            found = found.get(step) if isinstance(found, dict) else None
        return found

    def items(self, path: str) -> Iterator[Mapping[str, Any]]:
        return self.items_at(path.split("/"))

    def items_at(self, steps: Sequence[str]) -> Iterator[Mapping[str, Any]]:
        found = self.value_at(steps)
        yield from (item for item in found if isinstance(item, dict)) if isinstance(found, list) else ()

    def is_long_term(self, medicine: Finding) -> bool:
        return medicine.item.get("critico") is True or self._was_long_term(medicine)

    def has_start(self, finding: Finding) -> bool:
        """Whether it is known when it began, or when it was done."""
        return _start(finding, last_day) is not None

    def began_within(self, finding: Finding, days: int) -> bool:
        """False only where it is known that it began longer ago."""
        start = _start(finding, last_day)
        return start is None or start >= self.today - timedelta(days=days)

    def has_ended(self, medicine: Finding) -> bool:
        """Before today, though it may still act."""
        return not self._ended_within(medicine, 0)

    def is_taken_later(self, medicine: Finding) -> bool:
        """Whether the same medicine, in another dose perhaps, is still taken or ended later."""
        end = _end(medicine) or date.max
        same = [one for one in self.acting if one.name == medicine.name or _is_same_code(one, medicine)]
        return any((_end(one) or date.max) > end for one in same)

    def _acts(self, medicine: Finding) -> bool:
        """Whether it is taken, or ended so short ago that the body still feels it."""
        after = sign_table()["after_the_end"]
        return self._ended_within(medicine, after["days"]) or any(
            not longer.get("long_term") or self.is_long_term(medicine) for longer in self._longer(medicine)
        )

    def _may_act(self, medicine: Finding) -> bool:
        return not self.has_start(medicine) and not self._acts(medicine) and any(self._longer(medicine))

    def _longer(self, medicine: Finding) -> Iterator[Mapping[str, Any]]:
        """The groups that act for longer after the end, and for whose days it still does."""
        for longer in sign_table()["after_the_end"]["longer"]:
            is_of_it = medicine.sistema == "atc" and medicine.codigo.startswith(tuple(longer["atc"]))
            if is_of_it and self._ended_within(medicine, longer["days"]):
                yield longer

    def _has_begun(self, medicine: Finding) -> bool:
        """False only where it is known that it begins after tomorrow: that may be today where the person is."""
        start = _start(medicine, first_day)
        return start is None or start <= self.today + timedelta(days=1)

    def _was_long_term(self, medicine: Finding) -> bool:
        """As far as it is known since when, and until when: with the other medicines of its group that were taken
        without a longer pause before or after it."""
        start, end = self._taken(medicine)
        group = medicine.codigo[:ATC_GROUP]
        others = [one for one in self._written if one.sistema == medicine.sistema and one.codigo.startswith(group)]
        for since, until in sorted(map(self._taken, others), reverse=True):
            if since <= start <= until + PAUSE:
                start = since
        for since, until in sorted(map(self._taken, others)):
            if start <= since <= end + PAUSE:
                end = max(end, until)
        return end - start >= LONG_TERM

    def _taken(self, medicine: Finding) -> tuple[date, date]:
        """From when until when, as far as it is known: of one day alone if nobody wrote since when."""
        end = min(_end(medicine) or self.today, self.today)
        return min(_start(medicine, first_day) or end, end), end

    def _ended_within(self, medicine: Finding, days: int) -> bool:
        """False only where it is known that it ended longer ago."""
        end = _end(medicine)
        return end is None or end >= self.today - timedelta(days=days)

    def _findings(self, lists: Iterable[tuple[str, str, str]]) -> list[Finding]:
        findings = []
        for model, field, inside in lists:
            if model not in self.documents:
                continue
            document = self.documents[model]
            found = document.get(field) if isinstance(document, dict) else None
            for item in found if isinstance(found, list) else ():
                term = item.get(inside) if inside and isinstance(item, dict) else item
                if isinstance(term, dict):
                    sistema, codigo = term.get("sistema"), term.get("codigo")
                    sistema = sistema if isinstance(sistema, str) else ""
                    codigo = codigo if isinstance(codigo, str) else ""
                    findings.append(Finding(model, item, term, sistema, codigo))
        return findings


def _start(finding: Finding, day_of: Callable[[str], date | None]) -> date | None:
    """The day on which it began; of a surgery, its day."""
    since = finding.item.get("desde") or finding.item.get("fecha")
    return day_of(since) if isinstance(since, str) else None


def _end(medicine: Finding) -> date | None:
    until = medicine.item.get("hasta")
    return last_day(until) if isinstance(until, str) else None


def _is_same_code(one: Finding, other: Finding) -> bool:
    return one.codigo != "" and (one.sistema, one.codigo) == (other.sistema, other.codigo)


def name_of(term: Mapping[str, Any], model: str) -> Translated | None:
    """A known code in three languages; otherwise the text as it was written, in all of them."""
    known = lookup(_text(term, "sistema"), _text(term, "codigo"), model)
    return known or as_written(_text(term, "texto") or _text(term, "codigo"))


def as_written(words: str, most: int = MAX_NAME) -> Translated | None:
    """Somebody's own words, cut where they are long, the same in all languages. None if there are none."""
    if len(words) > most:
        words = words[: most - 1] + "…"
    return Translated(words, words, words) if words else None


def _text(term: Mapping[str, Any], name: str) -> str:
    value = term.get(name)
    return value if isinstance(value, str) else ""
