"""Documents for tests: the examples of the models, how a document is stored, why one is refused, and its stop signs."""

from copy import deepcopy
from datetime import UTC, date, datetime
from typing import Any

import pytest

from ficha.fmd.base import FmdModel
from ficha.fmd.catalog import CATALOG
from ficha.fmd.documents import prepare_document
from ficha.fmd.faults import InvalidDocument, pointer
from ficha.fmd.rules.record_for_rules import RecordForRules
from ficha.fmd.rules.signs import Sign, found_signs

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
TODAY = NOW.date()


def model_named(wire: str) -> type[FmdModel]:
    found = CATALOG.find(wire)
    assert found, wire
    return found


def example_of(of: type[FmdModel]) -> dict[str, Any]:
    return deepcopy(dict(of.about.example))


def stored_form(of: type[FmdModel] | str, document: Any, previous: Any = None) -> dict[str, Any]:
    return prepare_document(model_named(of) if isinstance(of, str) else of, document, previous, NOW)


def refusals(of: type[FmdModel] | str, document: Any, previous: Any = None) -> dict[str, str]:
    """The pointers to the wrong fields, and the kind of each fault. Fails if the document is accepted."""
    with pytest.raises(InvalidDocument) as caught:
        stored_form(of, document, previous)
    return {pointer(fault["loc"]): fault["type"] for fault in caught.value.faults}


def stop_signs(documents: Any, today: date) -> list[Sign]:
    """Of a record, of which `documents` is what the reader may see: those for which there is room."""
    found = found_signs(RecordForRules(documents, today))
    return [*found.shown, *([found.unknown] if found.unknown else [])]
