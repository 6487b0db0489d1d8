"""What a sticker says of a record without a network: exactly what a responder may see, the most urgent first."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain
from typing import Any

from ficha.fmd.base import Door
from ficha.fmd.consent import visible
from ficha.fmd.findings import Record
from ficha.fmd.offline.wording import as_written, referring
from ficha.fmd.sign_conditions import hits_of
from ficha.fmd.signs import MAX_NAMES, Sign, stop_signs

# The first letter of a line says what it is. A viewer passes over those that it does not know.
STOP, DETAIL, ALLERGY, MEDICINE, CONTACT, MORE = "!:amc~"

MAX_NAME = 60
MAX_CONTACT = 40
# A dose that was cut could be read as another one: a longer one is left out.
MAX_DOSE = 40


@dataclass(frozen=True, eq=False)
class Line:
    """`short` is what stays of it when there is no room: of a stop sign its kind, of the others nothing."""

    text: str
    short: str = ""


@dataclass(frozen=True)
class Card:
    """The lines in the order in which they are shown, and in the order in which they are given up."""

    head: str
    shown: Sequence[Line]
    by_urgency: Sequence[Line]

    def text(self, fits: Callable[[str], bool]) -> str:
        """All of it, or as much as fits; what had to go is told by a line of its own."""
        for count in range(len(self.by_urgency) + 1):
            text = self._without(self.by_urgency[len(self.by_urgency) - count :])
            if fits(text):
                break
        return text

    def _without(self, cut: Sequence[Line]) -> str:
        parts = [line.short if line in cut else line.text for line in self.shown]
        return "\n".join([self.head, *filter(None, parts), *([MORE] if cut else [])])


def card_of(documents: Mapping[str, Any], code: str, today: date) -> Card:
    """`documents` is the whole record. Nothing of it is used but what the responder's door opens."""
    record = Record(visible(documents, Door.R), today)
    signs = stop_signs(record.documents, today)
    stops = [_stop(sign) for sign in signs]
    allergies = list(_allergies(record, signs))
    medicines = list(_medicines(record))
    contacts = list(_contacts(record))
    return Card(
        head=f"{code}{today:%Y%m%d}{_birth(record)}\n{_name(record)}",
        shown=[*stops, *allergies, *contacts, *medicines],
        # Somebody to call is worth more than the seventh allergy.
        by_urgency=[*stops, *contacts[:1], *allergies, *medicines, *contacts[1:]],
    )


def _name(record: Record) -> str:
    parts = (record.value(f"personal/{field}") for field in ("nombres", "apellidos"))
    return as_written(_cut(" ".join(part for part in parts if isinstance(part, str)), MAX_NAME))


def _birth(record: Record) -> str:
    """Year and month: enough for an age, and less than what opens a bank account."""
    born = record.value("personal/fecha_nacimiento")
    return born[:7].replace("-", "") if isinstance(born, str) else ""


def _stop(sign: Sign) -> Line:
    detail = f"\n{DETAIL}{referring(sign.detail)}" if sign.detail else ""
    return Line(f"{STOP}{referring(sign.text)}{detail}", f"{STOP}{referring(sign.label)}")


def _allergies(record: Record, signs: Sequence[Sign]) -> Iterator[Line]:
    """Severe ones that no stop sign names: when there are many, one sign speaks of all and names the first."""
    hits = hits_of({"allergy": "severe"}, record)
    if len(hits) == sum(sign.rule == "alergia" for sign in signs):
        return
    names = list(dict.fromkeys(hit.name for hit in hits if hit.name))
    yield from (Line(ALLERGY + referring(name)) for name in names[MAX_NAMES:])


def _medicines(record: Record) -> Iterator[Line]:
    """Those that must not be interrupted."""
    for finding in record.medicines():
        if finding.item.get("critico") is True and finding.name:
            dose = finding.item.get("dosis")
            said = f", {as_written(dose)}" if isinstance(dose, str) and len(dose) <= MAX_DOSE else ""
            yield Line(f"{MEDICINE}{referring(finding.name)}{said}")


def _contacts(record: Record) -> Iterator[Line]:
    """In the order of calling; those without a place in it come last."""
    people = list(record.items("emergencia/contactos"))
    numbered = [person for person in people if isinstance(person.get("prioridad"), int)]
    others = [person for person in people if not isinstance(person.get("prioridad"), int)]
    for person in chain(sorted(numbered, key=lambda one: int(one["prioridad"])), others):
        number = person.get("telefono_e164")
        if isinstance(number, str):
            words = [person[field] for field in ("nombre", "relacion") if isinstance(person.get(field), str)]
            yield Line(f"{CONTACT}{number} {as_written(', '.join(_cut(word, MAX_CONTACT) for word in words))}")


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
