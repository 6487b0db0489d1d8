"""Whether a row of a roster speaks of somebody who is enrolled already: by document, correo and phone.

Surely, if the file gives no name of its own for the person and the document is the same. Perhaps, if the document is
the same under another name, or if name and address are: that is for a person to decide. A correo or phone alone says
nothing: brothers and sisters share their mother's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from sqlalchemy import select

from ficha.core.crypto import Keyring
from ficha.core.secrets import Secrets, opened_key
from ficha.core.transaction import Transaction
from ficha.fmd.records import Record, record_key_bound_to
from ficha.institutions.given_person import GivenPerson, open_contact
from ficha.institutions.members import LOOKED_UP_AT_ONCE, Lookups, Member, MemberMatch, find_members
from ficha.institutions.roster_columns import plain
from ficha.institutions.roster_doubts import DoubtReason, DoubtState, NewDoubt, decisions, pair_hash


class Stranger(NamedTuple):
    """Somebody whom the institution does not know under this name."""

    row_number: int
    person: GivenPerson
    # The file gives no name for her: ours comes from the document, or from name and address.
    is_named_by_us: bool
    called: str
    lookups: Lookups


class Possible(NamedTuple):
    """A member whom a row may be about, and what was decided about the two."""

    match: MemberMatch
    reason: DoubtReason
    pair: bytes


def name_key(nombre: str) -> str:
    """`PÉREZ, Ana` and `Ana Perez` are one name."""
    return " ".join(sorted(plain(nombre).replace(",", " ").split()))


def match_strangers(
    tx: Transaction, institution_id: int, strangers: Sequence[Stranger], keyring: Keyring, secrets: Secrets
) -> dict[int, GivenPerson | NewDoubt]:
    """By the row's number: whom to enrol, under the name of the member she was found to be; or a doubt."""
    matches = find_members(tx, institution_id, [each.lookups for each in strangers])
    names = _names_of(tx, keyring, [match.id for match in matches])
    by_value: dict[bytes, list[MemberMatch]] = {}
    for match in sorted(matches, key=lambda match: match.id):
        for value in (match.documento, match.correo, match.telefono):
            if value is not None:
                by_value.setdefault(value, []).append(match)
    possible: dict[int, list[Possible]] = {}
    for each in strangers:
        reasons = _possible(each, by_value, names)
        possible[each.row_number] = [
            Possible(match, reason, pair_hash(secrets, institution_id, each.person.external_id, match.id))
            for match, reason in reasons
        ]
    said = decisions(tx, [one.pair for found in possible.values() for one in found])
    return {each.row_number: _verdict(each, possible[each.row_number], said) for each in strangers}


def _possible(
    each: Stranger, by_value: Mapping[bytes, list[MemberMatch]], names: Mapping[int, str]
) -> list[tuple[MemberMatch, DoubtReason]]:
    """The same document first. Two who each have a document of their own are two."""
    found = {}
    for match in by_value.get(each.lookups.documento or b"", []):
        found[match.id] = (match, DoubtReason.SAME_DOCUMENT)
    for value in (each.lookups.correo, each.lookups.telefono):
        for match in by_value.get(value or b"", []):
            are_two = match.documento is not None and each.lookups.documento is not None
            if match.id not in found and not are_two and names.get(match.id) == each.called:
                found[match.id] = (match, DoubtReason.SAME_NAME_AND_CONTACT)
    return list(found.values())


def _verdict(each: Stranger, possible: Sequence[Possible], said: Mapping[bytes, DoubtState]) -> GivenPerson | NewDoubt:
    for match, reason, pair in possible:
        state = said.get(pair)
        is_sure = each.is_named_by_us and reason is DoubtReason.SAME_DOCUMENT
        if match.external_id is not None and (state is DoubtState.SAME or (state is None and is_sure)):
            return replace(each.person, external_id=match.external_id)
        if state is not DoubtState.OTHER:
            return NewDoubt(each.person, match.id, each.row_number, reason)
    return each.person


def _names_of(tx: Transaction, keyring: Keyring, members: Sequence[int]) -> dict[int, str]:
    """As the institution itself gave them, and sealed with the record's key."""
    found: dict[int, str] = {}
    columns = (Member.id, Member.record_id, Member.sealed, Record.key_id, Record.wrapped_key)
    for start in range(0, len(members), LOOKED_UP_AT_ONCE):
        some = members[start : start + LOOKED_UP_AT_ONCE]
        query = select(*columns).join(Record, Record.id == Member.record_id).where(Member.id.in_(some))
        for row in tx.orm.execute(query.where(Member.sealed.is_not(None), Record.key_id.is_not(None))):
            key = opened_key(keyring, row.key_id, row.wrapped_key, record_key_bound_to(row.record_id))
            found[row.id] = name_key(open_contact(row.sealed, row.record_id, key).nombre)
    return found
