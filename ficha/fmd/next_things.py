"""The one next useful thing for a record: rules as data, the first that applies is told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from ficha.fmd.base import Document, has_data
from ficha.fmd.values import first_day

Documents = Mapping[str, Document]


@dataclass(frozen=True)
class Rule:
    """Applies where `field` of the model is empty; where `code` is given, to its facts with such a code that lack
    `field`; where `days` is given, to facts that nobody confirmed for so long. `untried` applies where the sticker was
    never scanned and no drill was done, and `model` is then the page to try it on. `name` is that of its sentence."""

    name: str
    model: str
    field: str = ""
    code: str = ""
    days: int = 0
    untried: bool = False

    def applies(self, documents: Documents, today: date, *, is_tried: bool = True) -> bool:
        if self.untried:
            return not is_tried
        document = documents.get(self.model, {})
        if self.code:
            return any(not has_data(fact.get(self.field)) for fact in _facts(document) if self._has_code(fact))
        if self.days:
            return any(_age(fact, today) > self.days for fact in _facts(document))
        return not has_data(document.get(self.field) if self.field else document)

    def _has_code(self, fact: Document) -> bool:
        values = (value for value in fact.values() if isinstance(value, Mapping))
        return any(str(value.get("codigo", "")).startswith(self.code) for value in values)


RULES: Sequence[Rule] = (
    Rule("name", "personal", "apellidos"),
    Rule("contact", "emergencia", "contactos"),
    Rule("medicine_allergies", "alergiasm"),
    Rule("allergies", "alergiasa"),
    Rule("medicines", "medicacion"),
    Rule("since_when", "medicacion", "desde", code="B01A"),
    Rule("old_medicines", "medicacion", days=180),
    Rule("health", "salud"),
    Rule("never_scanned", "simulacro", untried=True),
    Rule("blood", "cuerpo", "grupo_sanguineo"),
    Rule("birth", "personal", "fecha_nacimiento"),
)


def next_thing(
    documents: Documents, today: date, rules: Sequence[Rule] = RULES, *, is_tried: bool = True
) -> Rule | None:
    """`is_tried`: whether the sticker was ever scanned, or a drill done."""
    return next((rule for rule in rules if rule.applies(documents, today, is_tried=is_tried)), None)


def missing_things(documents: Documents, today: date, rules: Sequence[Rule] = RULES) -> list[Rule]:
    return [rule for rule in rules if rule.applies(documents, today)]


def _facts(document: Document) -> list[Document]:
    lists = (value for value in document.values() if isinstance(value, list))
    return [item for items in lists for item in items if isinstance(item, dict)]


def _age(fact: Document, today: date) -> int:
    confirmed = fact.get("confirmado_en")
    day = first_day(confirmed) if isinstance(confirmed, str) else None
    return (today - day).days if day else 0
