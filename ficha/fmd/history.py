"""The history of a record: every change with who made it, and the whole record at any moment."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from sqlalchemy import func, select, tuple_

from ficha.core.transaction import Transaction
from ficha.fmd.access import OpenFmd
from ficha.fmd.base import Document
from ficha.fmd.entries import EntryVersion, open_document
from ficha.fmd.stored_documents import StoredDocument


@dataclass(frozen=True)
class Change:
    """One change of the record: for each model its new version, and the merge patch that leads to it."""

    number: int
    at: datetime
    actor: str
    models: dict[str, tuple[int, Document]]


def changes_of(tx: Transaction, fmd: OpenFmd, *, before: int, limit: int, model: str | None = None) -> list[Change]:
    """Newest first, with numbers below `before`."""
    query = select(EntryVersion.change).where(EntryVersion.record_id == fmd.id, EntryVersion.change < before)
    if model is not None:
        query = query.where(EntryVersion.model == model)
    numbers = tx.orm.scalars(query.distinct().order_by(EntryVersion.change.desc()).limit(limit)).all()
    rows = tx.orm.scalars(
        select(EntryVersion)
        .where(EntryVersion.record_id == fmd.id, EntryVersion.change.in_(numbers))
        .where(*([EntryVersion.model == model] if model else []))
        .order_by(EntryVersion.change.desc(), EntryVersion.model)
    ).all()
    earlier = _previous(tx, fmd, rows)
    return [
        Change(number, group[0].at, group[0].actor, {row.model: _version_and_patch(fmd, row, earlier) for row in group})
        for number, group in ((number, list(found)) for number, found in groupby(rows, lambda row: row.change))
    ]


def _version_and_patch(
    fmd: OpenFmd, row: EntryVersion, earlier: Mapping[tuple[str, int], Document]
) -> tuple[int, Document]:
    return row.version, merge_diff(earlier.get((row.model, row.version - 1), {}), _open(fmd, row))


def record_at(tx: Transaction, fmd: OpenFmd, moment: datetime) -> dict[str, StoredDocument]:
    """Every model as it was at that moment."""
    newest = (
        select(EntryVersion.model, func.max(EntryVersion.version))
        .where(EntryVersion.record_id == fmd.id, EntryVersion.at <= moment)
        .group_by(EntryVersion.model)
    )
    rows = tx.orm.scalars(
        select(EntryVersion).where(
            EntryVersion.record_id == fmd.id, tuple_(EntryVersion.model, EntryVersion.version).in_(newest)
        )
    )
    return {row.model: StoredDocument(_open(fmd, row), row.version, row.at) for row in rows}


def merge_diff(old: Mapping[str, Any], new: Mapping[str, Any]) -> Document:
    """The merge patch that turns `old` into `new`. There always is one, because stored documents have no nulls."""
    patch: Document = {name: None for name in old if name not in new}
    for name, value in new.items():
        before = old.get(name)
        if isinstance(value, Mapping) and isinstance(before, Mapping):
            inner = merge_diff(before, value)
            if inner:
                patch[name] = inner
        elif name not in old or before != value:
            patch[name] = value
    return patch


def _previous(tx: Transaction, fmd: OpenFmd, rows: Any) -> dict[tuple[str, int], Document]:
    wanted = [(row.model, row.version - 1) for row in rows if row.version > 1]
    found = tx.orm.scalars(
        select(EntryVersion).where(
            EntryVersion.record_id == fmd.id, tuple_(EntryVersion.model, EntryVersion.version).in_(wanted)
        )
    )
    return {(row.model, row.version): _open(fmd, row) for row in found}


def _open(fmd: OpenFmd, row: EntryVersion) -> Document:
    return open_document(fmd.key, fmd.id, row.model, row.version, row.sealed)
