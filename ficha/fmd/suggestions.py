"""What the owner is asked to add to a record next: suggestions as data, the first that applies is made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from ficha.fmd.base import Document, has_data
from ficha.fmd.values import first_day

Documents = Mapping[str, Document]


@dataclass(frozen=True)
class Suggestion:
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


SUGGESTIONS: Sequence[Suggestion] = (
    Suggestion("name", "personal", "apellidos"),
    Suggestion("contact", "emergencia", "contactos"),
    Suggestion("medicine_allergies", "alergiasm"),
    Suggestion("allergies", "alergiasa"),
    Suggestion("medicines", "medicacion"),
    Suggestion("since_when", "medicacion", "desde", code="B01A"),
    Suggestion("old_medicines", "medicacion", days=180),
    Suggestion("health", "salud"),
    Suggestion("never_scanned", "simulacro", untried=True),
    Suggestion("blood", "cuerpo", "grupo_sanguineo"),
    Suggestion("birth", "personal", "fecha_nacimiento"),
)


def next_suggestion(documents: Documents, today: date, *, is_tried: bool = True) -> Suggestion | None:
    """`is_tried`: whether the sticker was ever scanned, or a drill done."""
    return next((one for one in SUGGESTIONS if one.applies(documents, today, is_tried=is_tried)), None)


def all_suggestions(documents: Documents, today: date) -> list[Suggestion]:
    return [one for one in SUGGESTIONS if one.applies(documents, today)]


def _facts(document: Document) -> list[Document]:
    lists = (value for value in document.values() if isinstance(value, list))
    return [item for items in lists for item in items if isinstance(item, dict)]


def _age(fact: Document, today: date) -> int:
    confirmed = fact.get("confirmado_en")
    day = first_day(confirmed) if isinstance(confirmed, str) else None
    return (today - day).days if day else 0
