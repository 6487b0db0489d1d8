"""Some rows of a roster in one transaction: each is enrolled, kept as doubtful, or refused with its reasons.

What a row becomes depends on the file before it and the database alone. So a roster that was interrupted is simply
given again: what is done already is unchanged, and the end is the same as in one go.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import select

from ficha.core.crypto import Keyring
from ficha.core.errors import FichaError
from ficha.core.phones import to_e164
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction
from ficha.institutions.enrol import REFUSALS, NotEnrolled, enrol_people
from ficha.institutions.given_person import GivenPerson, contact_of, given_hash, lookups_for, prepared_documents
from ficha.institutions.institution import InstitutionFacts
from ficha.institutions.members import LOOKED_UP_AT_ONCE, Lookups, Member, external_hash, lookups_of
from ficha.institutions.roster_columns import FormulaInCell, person_of
from ficha.institutions.roster_doubts import (
    SENTENCES,
    DoubtReason,
    DoubtState,
    NewDoubt,
    decisions,
    pair_hash,
    store_doubts,
)
from ficha.institutions.roster_files import RosterRow
from ficha.institutions.roster_matching import Stranger, match_strangers, name_key


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
    # One for each field that is wrong, with the field's name.
    reasons: tuple[str, ...] = ()
    bp_code: str | None = None


class RowRefused(Exception):
    """Its text says why."""


class RosterDesk(NamedTuple):
    """Who imports, and with what."""

    institution: InstitutionFacts
    keyring: Keyring
    secrets: Secrets
    now: datetime


class _Known(NamedTuple):
    id: int
    external_hash: bytes
    given_hash: bytes
    documento_hash: bytes | None
    bp_code: str


@dataclass
class _Person:
    row: RosterRow
    given: GivenPerson
    is_named_by_us: bool
    known: _Known | None = None


@dataclass
class RosterRows:
    """The rows of one file. Give them in order, some hundreds at a time."""

    desk: RosterDesk
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
        enrolled: dict[int, GivenPerson] = {}
        strangers: list[Stranger] = []
        for each in people:
            if each.known is None:
                try:
                    strangers.append(self._stranger(each))
                except (RowRefused, *REFUSALS) as error:
                    results[each.row.number] = _refused(each.row.number, each.given.external_id, error)
            elif each.known.given_hash == given_hash(self.desk.secrets, each.given):
                results[each.row.number] = RowResult(
                    each.row.number, each.given.external_id, RowOutcome.UNCHANGED, (), each.known.bp_code
                )
            else:
                enrolled[each.row.number] = each.given
        results |= self._without_other_documents(tx, people, enrolled)
        results |= self._enrol(tx, enrolled)
        first, later = _apart(strangers)
        for some in (first, later):  # Those of the same name and address as one before find her enrolled by then.
            results |= self._enrol_strangers(tx, some)
        return [results[row.number] for row in rows]

    def _read(self, row: RosterRow) -> _Person:
        """Raises why the row is refused."""
        given = person_of(row.cells)
        is_named_by_us = not given.external_id
        if is_named_by_us:
            given = replace(given, external_id=self._own_name(given))
        desk = self.desk
        self._note(external_hash(desk.secrets, desk.institution.id, given.external_id), row, "el external_id")
        documento = self._documento(given)
        if documento is not None:
            self._note(documento, row, "el documento")
        return _Person(row, given, is_named_by_us)

    def _note(self, key: bytes, row: RosterRow, what: str) -> None:
        first = self._seen.setdefault(key, row.number)
        if first != row.number:
            raise RowRefused(f"Repite {what} de la fila {first}.")

    def _own_name(self, given: GivenPerson) -> str:
        """The same person gets the same, so that the same file again finds her. Says nothing about her to others."""
        name, lookups = self._found_by(given)
        if lookups.documento is not None:
            return f"doc-{lookups.documento.hex()[:24]}"
        reached = lookups.correo or lookups.telefono
        if reached is None:
            raise RowRefused("Falta con qué reconocer a la persona: external_id, documento_numero, correo o telefono.")
        return f"per-{self.desk.secrets.keyed_hash('roster.person', f'{reached.hex()}:{name}').hex()[:24]}"

    def _documento(self, given: GivenPerson) -> bytes | None:
        documento = given.documents.get("personal", {}).get("documento_numero")
        lookups = lookups_of(
            self.desk.secrets, self.desk.institution.id, documento=documento, correo=None, telefono_e164=None
        )
        return lookups.documento

    def _found_by(self, given: GivenPerson) -> tuple[str, Lookups]:
        """Name and lookups, from the words as they are: enrolling reads them properly, once."""
        documents = {name: dict(document) for name, document in given.documents.items()}
        guardian = documents.get("representante", {})
        with suppress(KeyError, ValueError):
            guardian["telefono_e164"] = to_e164(guardian["cod_telefono"], guardian["telefono"])
        contact = contact_of(given, documents)
        lookups = lookups_for(self.desk.secrets, self.desk.institution.id, contact, documents)
        return name_key(contact.nombre), lookups

    def _stranger(self, each: _Person) -> Stranger:
        name, lookups = self._found_by(each.given)
        return Stranger(each.row.number, each.given, each.is_named_by_us, name, lookups)

    def _find_known(self, tx: Transaction, people: Sequence[_Person]) -> None:
        desk = self.desk
        hashes = {external_hash(desk.secrets, desk.institution.id, each.given.external_id): each for each in people}
        asked = list(hashes)
        columns = [getattr(Member, name) for name in _Known._fields]
        for start in range(0, len(asked), LOOKED_UP_AT_ONCE):
            some = asked[start : start + LOOKED_UP_AT_ONCE]
            query = select(*columns).where(Member.institution_id == desk.institution.id, Member.external_hash.in_(some))
            for row in tx.orm.execute(query):
                hashes[row.external_hash].known = _Known._make(row)

    def _without_other_documents(
        self, tx: Transaction, people: Sequence[_Person], enrolled: dict[int, GivenPerson]
    ) -> dict[int, RowResult]:
        """Takes those out of `enrolled` whose name is known for somebody with another document."""
        desk = self.desk
        pairs: dict[int, tuple[NewDoubt, bytes]] = {}
        for each in people:
            known, documento = each.known, self._documento(each.given)
            if each.row.number not in enrolled or known is None or None in (known.documento_hash, documento):
                continue
            if documento != known.documento_hash:
                doubt = NewDoubt(each.given, known.id, each.row.number, DoubtReason.OTHER_DOCUMENT)
                pair = pair_hash(desk.secrets, desk.institution.id, each.given.external_id, known.id)
                pairs[each.row.number] = doubt, pair
        said = decisions(tx, [pair for _, pair in pairs.values()])
        results, doubts = {}, []
        for number, (doubt, pair) in pairs.items():
            state, external_id = said.get(pair), doubt.person.external_id
            if state is DoubtState.SAME:
                continue
            del enrolled[number]
            if state is DoubtState.OTHER:
                why = RowRefused("external_id: Es de otra persona. Dele uno propio.")
                results[number] = _refused(number, external_id, why)
            else:
                doubts.append(doubt)
        return results | self._keep_doubts(tx, doubts)

    def _enrol_strangers(self, tx: Transaction, strangers: Sequence[Stranger]) -> dict[int, RowResult]:
        if not strangers:
            return {}
        desk = self.desk
        found = match_strangers(tx, desk.institution.id, strangers, desk.keyring, desk.secrets)
        people = {number: one for number, one in found.items() if isinstance(one, GivenPerson)}
        results = self._keep_doubts(tx, [one for one in found.values() if isinstance(one, NewDoubt)])
        return results | self._enrol(tx, people)

    def _keep_doubts(self, tx: Transaction, doubts: Sequence[NewDoubt]) -> dict[int, RowResult]:
        """Nobody is asked about a row that would be refused."""
        results, kept = {}, []
        for doubt in doubts:
            try:
                prepared_documents(doubt.person, self.desk.now)
            except REFUSALS as error:
                results[doubt.row_number] = _refused(doubt.row_number, doubt.person.external_id, error)
            else:
                kept.append(doubt)
                results[doubt.row_number] = _doubtful(doubt)
        store_doubts(tx, self.desk.institution.id, self.desk.secrets, kept, self.desk.now)
        return results

    def _enrol(self, tx: Transaction, people: dict[int, GivenPerson]) -> dict[int, RowResult]:
        if not people:
            return {}
        desk = self.desk
        made = enrol_people(tx, desk.institution, list(people.values()), desk.keyring, desk.secrets, desk.now)
        return {
            number: _refused(number, each.external_id, each.error)
            if isinstance(each, NotEnrolled)
            else RowResult(number, each.external_id, RowOutcome(each.outcome), (), each.bp_code)
            for number, each in zip(people, made, strict=True)
        }


def _apart(strangers: Sequence[Stranger]) -> tuple[list[Stranger], list[Stranger]]:
    """Those who have the same name and address as one before them come later."""
    seen: set[tuple[str, bytes]] = set()
    first: list[Stranger] = []
    later: list[Stranger] = []
    for each in strangers:
        keys = {(each.called, value) for value in (each.lookups.correo, each.lookups.telefono) if value is not None}
        (later if keys & seen else first).append(each)
        seen |= keys
    return first, later


def _doubtful(doubt: NewDoubt) -> RowResult:
    return RowResult(doubt.row_number, doubt.person.external_id, RowOutcome.DOUBTFUL, (SENTENCES[doubt.reason],))


def _refused(number: int, external_id: str, error: Exception) -> RowResult:
    reasons: tuple[str, ...] = (str(error),)
    if isinstance(error, FichaError):
        reasons = tuple(
            f"{problem.source.name.strip('/').replace('/', '_')}: {problem.detail}"
            if problem.source
            else problem.detail
            for problem in error.problems[:20]
        )
    return RowResult(number, external_id, RowOutcome.REFUSED, reasons)
