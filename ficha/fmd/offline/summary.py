"""The lines of a record that a sticker holds: only what a responder may see, the most urgent first."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain
from typing import Any

from ficha.fmd.advice import GivenAdvice, advice_for
from ficha.fmd.base import Door
from ficha.fmd.catalog import CATALOG, Catalog
from ficha.fmd.consent import visible_documents
from ficha.fmd.findings import RecordFindings
from ficha.fmd.offline.wording import escaped, with_references
from ficha.fmd.responder.generic import generic_sections
from ficha.fmd.responder.record_reader import RecordReader
from ficha.fmd.sign_conditions import severe_allergies
from ficha.fmd.signs import MAX_NAMES, Sign, found_signs
from ficha.fmd.withdrawn_rules import NONE_WITHDRAWN, WithdrawnRules

# The first letter of a line says what it is. A viewer leaves out lines that it does not know.
STOP, DETAIL, ALLERGY, MEDICINE, CONTACT, PLAN, ADVICE, OTHER, MORE = "!:amcpdo~"

MAX_NAME = 60
MAX_CONTACT = 40
# A longer dose is left out: cut, it could be read as another one.
MAX_DOSE = 40
# A longer plan is left out: cut, it could say the contrary.
MAX_PLAN = 200


@dataclass(frozen=True, eq=False)
class SummaryLine:
    """`short` replaces the text if there is no space: of a stop sign its kind, of other lines nothing."""

    text: str
    short: str = ""


@dataclass(frozen=True)
class OfflineSummary:
    """The lines in the order in which they are shown, and by urgency: the least urgent are left out first.
    `has_withdrawn`: a rule found something that it may not show now, so that there is more online in any case."""

    head: str
    shown: Sequence[SummaryLine]
    by_urgency: Sequence[SummaryLine]
    has_withdrawn: bool = False

    def text(self, fits: Callable[[str], bool]) -> str:
        """All lines, or as many as fit. If some were left out, the last line says so."""
        for count in range(len(self.by_urgency) + 1):
            text = self._without(self.by_urgency[len(self.by_urgency) - count :])
            if fits(text):
                break
        return text

    def _without(self, left_out: Sequence[SummaryLine]) -> str:
        parts = [line.short if line in left_out else line.text for line in self.shown]
        return "\n".join([self.head, *filter(None, parts), *([MORE] if left_out or self.has_withdrawn else [])])


def offline_summary(
    documents: Mapping[str, Any],
    code: str,
    today: date,
    catalog: Catalog = CATALOG,
    *,
    withdrawn: WithdrawnRules = NONE_WITHDRAWN,
) -> OfflineSummary:
    """`documents` is the whole record. Only what the responder's door may see of it is used."""
    record = RecordFindings(visible_documents(documents, Door.R, catalog), today)
    found = found_signs(record, withdrawn)
    signs = found.all
    stops = [_stop(sign) for sign in signs]
    allergies = list(_allergies(record, signs))
    plans = list(_plans(record))
    advice = [_advice(one) for one in advice_for(record, signs, withdrawn)]
    medicines = list(_medicines(record))
    contacts = list(_contacts(record))
    others = list(_others(documents, today, catalog))
    return OfflineSummary(
        head=f"{code}{today:%Y%m%d}{_birth(record)}\n{_name(record)}",
        shown=[*stops, *allergies, *plans, *advice, *contacts, *medicines, *others],
        # The first contact is more useful than the seventh allergy.
        by_urgency=[
            *stops,
            *contacts[:1],
            *allergies,
            *plans[:1],
            *advice,
            *medicines,
            *contacts[1:],
            *plans[1:],
            *others,
        ],
        has_withdrawn=bool(found.unjudged),
    )


def _name(record: RecordFindings) -> str:
    parts = (record.value(f"personal/{field}") for field in ("nombres", "apellidos"))
    return escaped(_cut(" ".join(part for part in parts if isinstance(part, str)), MAX_NAME))


def _birth(record: RecordFindings) -> str:
    """Year and month: enough for an age. The full date could help to impersonate the person."""
    born = record.value("personal/fecha_nacimiento")
    return born[:7].replace("-", "") if isinstance(born, str) else ""


def _stop(sign: Sign) -> SummaryLine:
    detail = f"\n{DETAIL}{with_references(sign.detail)}" if sign.detail else ""
    return SummaryLine(f"{STOP}{with_references(sign.text)}{detail}", f"{STOP}{with_references(sign.label)}")


def _advice(given: GivenAdvice) -> SummaryLine:
    """The viewer has the words of each advice: the line is its name, and where the medicine is that helps."""
    where = f"|{with_references(given.where)}" if given.where else ""
    return SummaryLine(f"{ADVICE}{given.advice.id}{where}")


def _allergies(record: RecordFindings, signs: Sequence[Sign]) -> Iterator[SummaryLine]:
    """Severe ones that no stop sign names: if there are many, one sign is for all and names only the first."""
    hits = sorted(severe_allergies(record), key=lambda hit: hit.is_other)
    signed = sum(sign.rule == "alergia" for sign in signs)
    if len(hits) == signed:
        return
    names = list(dict.fromkeys(hit.name for hit in hits if hit.name))
    # Without a sign, which may be withdrawn, none of them is named yet.
    yield from (SummaryLine(ALLERGY + with_references(name)) for name in names[MAX_NAMES if signed else 0 :])


def _medicines(record: RecordFindings) -> Iterator[SummaryLine]:
    """Those that must not be interrupted."""
    for finding in record.medicines:
        if finding.item.get("critico") is True and finding.name:
            dose = finding.item.get("dosis")
            dose_text = f", {escaped(dose)}" if isinstance(dose, str) and len(dose) <= MAX_DOSE else ""
            yield SummaryLine(f"{MEDICINE}{with_references(finding.name)}{dose_text}")


def _plans(record: RecordFindings) -> Iterator[SummaryLine]:
    """What the owner wrote for an emergency: in general, and for each condition."""
    written = [record.value("emergencia/instrucciones")]
    written += (item.get("plan") for item in record.items("salud/condiciones") if item.get("estado") != "resuelta")
    for plan in written:
        if isinstance(plan, str) and 0 < len(plan) <= MAX_PLAN:
            yield SummaryLine(PLAN + escaped(plan))


def _others(documents: Mapping[str, Any], today: date, catalog: Catalog) -> Iterator[SummaryLine]:
    """The facts of models that have no lines of their own, in Spanish."""
    reader = RecordReader(documents, Door.R, today, "es", catalog=catalog)
    for part in generic_sections(reader):
        for line in part.lines:
            words = " · ".join(text.words for text in line.details)
            title = f"{part.title}: {line.title.words}"
            yield SummaryLine(OTHER + escaped(_cut(f"{title}: {words}" if words else title, MAX_PLAN)))


def _contacts(record: RecordFindings) -> Iterator[SummaryLine]:
    """By `prioridad`; those without one last."""
    people = list(record.items("emergencia/contactos"))
    numbered = [person for person in people if isinstance(person.get("prioridad"), int)]
    others = [person for person in people if not isinstance(person.get("prioridad"), int)]
    for person in chain(sorted(numbered, key=lambda one: int(one["prioridad"])), others):
        number = person.get("telefono_e164")
        if isinstance(number, str):
            words = [person[field] for field in ("nombre", "relacion") if isinstance(person.get(field), str)]
            yield SummaryLine(f"{CONTACT}{number} {escaped(', '.join(_cut(word, MAX_CONTACT) for word in words))}")


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
