"""Facts that consent hides from whoever writes: they survive her changes, and she does not see them in the answer."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ficha.fmd.access import MayNotManage, OpenFmd
from ficha.fmd.base import Document, Door, FmdModel
from ficha.fmd.consent import visible_documents
from ficha.fmd.documents import fact_ids
from ficha.fmd.stored_documents import StoredDocument

StoredDocuments = Mapping[str, StoredDocument]


def with_hidden_facts(fmd: OpenFmd, model: type[FmdModel], wanted: Any, before: StoredDocuments) -> Any:
    """`wanted` with the facts that the writer may not see put back: who does not see a fact cannot remove it.

    Raises MayNotManage if the writer may not see the model at all.
    """
    name = model.about.wire
    old: Document = before[name].document if name in before else {}
    seen = _visible(fmd, before)
    if model.about.door is Door.P or (old and name not in seen):
        raise MayNotManage
    hidden = fact_ids(old) - fact_ids(seen.get(name, {}))
    if not hidden or not isinstance(wanted, Mapping):
        return wanted
    kept = dict(wanted)
    for field, items in old.items():
        if isinstance(items, list):
            present = fact_ids({field: kept.get(field)})
            missing = [
                item
                for item in items
                if isinstance(item, Mapping) and item.get("id") in hidden and item["id"] not in present
            ]
            kept[field] = [*(kept.get(field) or []), *missing] if missing else kept.get(field, items)
    return kept


def visible_to_writer(fmd: OpenFmd, before: StoredDocuments, answer: dict[str, StoredDocument]) -> StoredDocuments:
    """The answer with only what the writer may see."""
    if fmd.rights.door is Door.P:
        return answer
    seen = _visible(fmd, {**before, **answer})
    return {name: replace(entry, document=seen.get(name, {})) for name, entry in answer.items()}


def _visible(fmd: OpenFmd, stored: StoredDocuments) -> dict[str, Document]:
    return visible_documents({name: entry.document for name, entry in stored.items()}, fmd.rights.door)
