"""Some rows of a roster in one transaction: each is enrolled, kept as doubtful, or refused with its reasons.

What a row becomes depends on the file before it and the database alone. So a roster that was interrupted is simply
given again: what is done already is unchanged, and the end is the same as in one go.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, NamedTuple

from ficha.core.phones import to_e164
from ficha.core.transaction import Transaction
from ficha.institutions.enrol import REFUSALS, NotEnrolled, enrol_people
from ficha.institutions.members import KnownMember, Lookups, external_hash, known_members, lookups_of
from ficha.institutions.person_to_enrol import (
    EnrolContext,
    PersonToEnrol,
    contact_of,
    given_hash,
    lookups_for,
    prepared_documents,
)
from ficha.institutions.roster_columns import FormulaInCell, person_of
from ficha.institutions.roster_doubts import (
    SENTENCES,
    DoubtReason,
    DoubtState,
    NewDoubt,
    UnmatchedRow,
    decisions,
    match_rows,
    name_key,
    pair_hash,
    store_doubts,
)
from ficha.institutions.roster_files import RosterRow
from ficha.institutions.roster_reasons import RowReason, RowRefused, reasons_for
from ficha.institutions.roster_words import EXAMPLE_ID


class RowOutcome(StrEnum):
    CREATED = "created"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    DOUBTFUL = "doubtful"
    REFUSED = "refused"


class RowResult(NamedTuple):
    number: int
    external_id: str
    outcome: RowOutcome
    # One for each field that is wrong.
    reasons: tuple[RowReason, ...] = ()
    bp_code: str | None = None
    # How the row calls the person, and all that it says, of one that needs somebody.
    nombre: str = ""
    cells: Mapping[str, str] = {}


@dataclass
class _Person:
    row: RosterRow
    given: PersonToEnrol
    is_named_by_us: bool
    known: KnownMember | None = None


NEEDS_SOMEBODY = (RowOutcome.REFUSED, RowOutcome.DOUBTFUL)
IS_EXAMPLE = "Es la fila de ejemplo de la plantilla. Bórrela."
NOBODY_NAMED = "Falta con qué reconocer a la persona: su código, su documento, un correo o un teléfono."
OF_ANOTHER = "Es de otra persona. Dele uno propio."
# Rows that need somebody are told one by one, up to so many; all are counted.
MOST_TOLD = 1000


@dataclass
class RosterReport:
    ignored_columns: list[str]
    is_dry_run: bool
    rows: int = 0
    counts: Counter[RowOutcome] = field(default_factory=Counter)
    told: list[RowResult] = field(default_factory=list)

    def add(self, results: list[RowResult]) -> None:
        self.rows += len(results)
        for result in results:
            self.counts[result.outcome] += 1
            if result.outcome in NEEDS_SOMEBODY and len(self.told) < MOST_TOLD:
                self.told.append(result)

    def as_json(self) -> dict[str, Any]:
        return {
            "dry_run": self.is_dry_run,
            "rows": self.rows,
            **{outcome.value: self.counts[outcome] for outcome in RowOutcome},
            "ignored_columns": self.ignored_columns,
            "told": [
                {
                    "row": result.number,
                    "external_id": result.external_id,
                    "nombre": result.nombre,
                    "outcome": result.outcome.value,
                    "reasons": [reason.in_words() for reason in result.reasons],
                    "faults": [reason._asdict() for reason in result.reasons],
                    "cells": dict(result.cells),
                }
                for result in self.told
            ],
        }


@dataclass
class RosterRows:
    """The rows of one file. Give them in order, some hundreds at a time."""

    context: EnrolContext
    # Of phones that are written without a prefix.
    country: str = ""
    upload_id: int | None = None
    # By whom a row is about: the number of the first row that was about her.
    _seen: dict[bytes, int] = field(default_factory=dict)

    def carry_out(self, tx: Transaction, rows: Sequence[RosterRow]) -> list[RowResult]:
        """In the caller's transaction; a result for each row, in order. A row that fails stops no other."""
        results: dict[int, RowResult] = {}
        people: list[_Person] = []
        for row in rows:
            try:
                people.append(self._read(row))
            except (FormulaInCell, RowRefused, *REFUSALS) as error:
                results[row.number] = _refused(row.number, row.cells.get("external_id", ""), error)
        self._find_known(tx, people)
        enrolled: dict[int, PersonToEnrol] = {}
        unmatched: list[UnmatchedRow] = []
        for each in people:
            if each.known is None:
                try:
                    unmatched.append(self._unmatched_row(each))
                except (RowRefused, *REFUSALS) as error:
                    results[each.row.number] = _refused(each.row.number, each.given.external_id, error)
            elif each.known.given_hash == given_hash(self.context.secrets, each.given):
                results[each.row.number] = RowResult(
                    each.row.number, each.given.external_id, RowOutcome.UNCHANGED, (), each.known.bp_code
                )
            else:
                enrolled[each.row.number] = each.given
        results |= self._without_other_documents(tx, people, enrolled)
        results |= self._enrol(tx, enrolled)
        first, later = _apart(unmatched)
        for some in (first, later):  # Those of the same name and address as one before find her enrolled by then.
            results |= self._enrol_unmatched(tx, some)
        return [_told(results[row.number], row) for row in rows]

    def _read(self, row: RosterRow) -> _Person:
        """Raises why the row is refused."""
        given = person_of(row.cells, self.country)
        if given.external_id == EXAMPLE_ID:
            raise RowRefused(RowReason("", IS_EXAMPLE))
        is_named_by_us = not given.external_id
        if is_named_by_us:
            given = replace(given, external_id=self._own_name(given))
        self._note(
            external_hash(self.context.secrets, self.context.institution.id, given.external_id), row, "external_id"
        )
        documento = self._documento(given)
        if documento is not None:
            self._note(documento, row, "documento_numero")
        return _Person(row, given, is_named_by_us)

    def _note(self, key: bytes, row: RosterRow, column: str) -> None:
        first = self._seen.setdefault(key, row.number)
        if first != row.number:
            raise RowRefused(RowReason(column, "", first_row=first))

    def _own_name(self, given: PersonToEnrol) -> str:
        """The same person gets the same, so that the same file again finds her. Says nothing about her to others."""
        name, lookups = self._found_by(given)
        if lookups.documento is not None:
            return f"doc-{lookups.documento.hex()[:24]}"
        reached = lookups.correo or lookups.telefono
        if reached is None:
            raise RowRefused(RowReason("", NOBODY_NAMED))
        return f"per-{self.context.secrets.keyed_hash('roster.person', f'{reached.hex()}:{name}').hex()[:24]}"

    def _documento(self, given: PersonToEnrol) -> bytes | None:
        documento = given.documents.get("personal", {}).get("documento_numero")
        lookups = lookups_of(
            self.context.secrets, self.context.institution.id, documento=documento, correo=None, telefono_e164=None
        )
        return lookups.documento

    def _found_by(self, given: PersonToEnrol) -> tuple[str, Lookups]:
        """Name and lookups, from the words as they are: enrolling reads them properly, once."""
        documents = {name: dict(document) for name, document in given.documents.items()}
        guardian = documents.get("representante", {})
        with suppress(KeyError, ValueError):
            guardian["telefono_e164"] = to_e164(guardian["cod_telefono"], guardian["telefono"])
        contact = contact_of(given, documents)
        lookups = lookups_for(self.context, contact, documents)
        return name_key(contact.nombre), lookups

    def _unmatched_row(self, each: _Person) -> UnmatchedRow:
        name, lookups = self._found_by(each.given)
        return UnmatchedRow(each.row.number, each.given, each.is_named_by_us, name, lookups)

    def _find_known(self, tx: Transaction, people: Sequence[_Person]) -> None:
        hashes = [self._external_hash(each.given) for each in people]
        found = known_members(tx, self.context.institution.id, hashes)
        for each, hashed in zip(people, hashes, strict=True):
            each.known = found.get(hashed)

    def _external_hash(self, given: PersonToEnrol) -> bytes:
        return external_hash(self.context.secrets, self.context.institution.id, given.external_id)

    def _without_other_documents(
        self, tx: Transaction, people: Sequence[_Person], enrolled: dict[int, PersonToEnrol]
    ) -> dict[int, RowResult]:
        """Takes those out of `enrolled` whose name is known for somebody with another document."""
        pairs: dict[int, tuple[NewDoubt, bytes]] = {}
        for each in people:
            known, documento = each.known, self._documento(each.given)
            if each.row.number not in enrolled or known is None or None in (known.documento_hash, documento):
                continue
            if documento != known.documento_hash:
                doubt = NewDoubt(each.given, known.id, each.row.number, DoubtReason.OTHER_DOCUMENT)
                pair = pair_hash(self.context.secrets, self.context.institution.id, each.given.external_id, known.id)
                pairs[each.row.number] = doubt, pair
        said = decisions(tx, [pair for _, pair in pairs.values()])
        results, doubts = {}, []
        for number, (doubt, pair) in pairs.items():
            state, external_id = said.get(pair), doubt.person.external_id
            if state is DoubtState.SAME:
                continue
            del enrolled[number]
            if state is DoubtState.OTHER:
                why = RowRefused(RowReason("external_id", OF_ANOTHER))
                results[number] = _refused(number, external_id, why)
            else:
                doubts.append(doubt)
        return results | self._keep_doubts(tx, doubts)

    def _enrol_unmatched(self, tx: Transaction, unmatched: Sequence[UnmatchedRow]) -> dict[int, RowResult]:
        if not unmatched:
            return {}
        found = match_rows(tx, self.context, unmatched)
        people = {number: one for number, one in found.items() if isinstance(one, PersonToEnrol)}
        results = self._keep_doubts(tx, [one for one in found.values() if isinstance(one, NewDoubt)])
        return results | self._enrol(tx, people)

    def _keep_doubts(self, tx: Transaction, doubts: Sequence[NewDoubt]) -> dict[int, RowResult]:
        """Nobody is asked about a row that would be refused."""
        results, kept = {}, []
        for doubt in doubts:
            try:
                prepared_documents(doubt.person, self.context.now)
            except REFUSALS as error:
                results[doubt.row_number] = _refused(doubt.row_number, doubt.person.external_id, error)
            else:
                kept.append(doubt)
                results[doubt.row_number] = _doubtful(doubt)
        store_doubts(tx, self.context, kept, self.upload_id)
        return results

    def _enrol(self, tx: Transaction, people: dict[int, PersonToEnrol]) -> dict[int, RowResult]:
        if not people:
            return {}
        made = enrol_people(tx, self.context, list(people.values()))
        return {
            number: _refused(number, each.external_id, each.error)
            if isinstance(each, NotEnrolled)
            else RowResult(number, each.external_id, RowOutcome(each.outcome), (), each.bp_code)
            for number, each in zip(people, made, strict=True)
        }


def _apart(unmatched: Sequence[UnmatchedRow]) -> tuple[list[UnmatchedRow], list[UnmatchedRow]]:
    """Those who have the same name and address as one before them come later."""
    seen: set[tuple[str, bytes]] = set()
    first: list[UnmatchedRow] = []
    later: list[UnmatchedRow] = []
    for each in unmatched:
        keys = {(each.called, value) for value in (each.lookups.correo, each.lookups.telefono) if value is not None}
        (later if keys & seen else first).append(each)
        seen |= keys
    return first, later


def _doubtful(doubt: NewDoubt) -> RowResult:
    why = RowReason("", SENTENCES[doubt.reason])
    return RowResult(doubt.row_number, doubt.person.external_id, RowOutcome.DOUBTFUL, (why,))


def _refused(number: int, external_id: str, error: Exception) -> RowResult:
    return RowResult(number, external_id, RowOutcome.REFUSED, reasons_for(error))


def _told(result: RowResult, row: RosterRow) -> RowResult:
    """With what the row says, where somebody is to mend it."""
    if result.outcome not in NEEDS_SOMEBODY:
        return result
    cells = row.cells
    reasons = tuple([one._replace(cell=cells.get(one.column, "")) for one in result.reasons])
    called = cells.get("nombre") or f"{cells.get('nombres', '')} {cells.get('apellidos', '')}".strip()
    return result._replace(reasons=reasons, nombre=called, cells=cells)
