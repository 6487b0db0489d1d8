"""Random callers, records, stickers and grants, and who may open what.

The rule is written here a second time, in plain Python and not from the selects, so that a mistake in one shows against
the other.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, NamedTuple

from hypothesis import strategies as st

from ficha.accounts.accounts import Role
from ficha.fmd.access import OWNER, Rights
from ficha.fmd.base import Door
from ficha.fmd.grants import GrantKind
from ficha.products.product import ProductState

# Before, at and just after the moment for which everything is asked, and a day after it.
BEFORE, AT, AFTER, LATER = timedelta(days=-1), timedelta(0), timedelta(microseconds=1), timedelta(days=1)


@dataclass(frozen=True)
class GrantCase:
    kind: GrantKind
    edits: bool
    granted: timedelta
    ends: timedelta

    @property
    def is_live(self) -> bool:
        return self.ends > AT


@dataclass(frozen=True)
class Case:
    """Somebody shows a token, a browser session, both or nothing, and asks for a record."""

    shows_token: bool
    shows_session: bool
    role: Role
    is_owner: bool
    # Of the caller, and of somebody else.
    grants: tuple[GrantCase, ...]
    grant_to_another: GrantCase | None
    vanishes: timedelta | None = None
    token_secret_is_right: bool = True
    token_ends: timedelta = LATER
    is_revoked: bool = False
    session_secret_is_right: bool = True
    session_ends: timedelta = LATER
    is_erased: bool = False
    product_state: ProductState = ProductState.ACTIVE
    has_tag: bool = True
    tag_is_right: bool = True


class Access(NamedTuple):
    via: str
    rights: Rights
    by_session: bool


# What may be otherwise than in the ordinary case. Two at most are, or every case would end at the first hurdle.
CHANGES: list[dict[str, Any]] = [
    *({"vanishes": moment} for moment in (BEFORE, AT, AFTER, LATER)),
    *({"token_ends": moment} for moment in (BEFORE, AT, AFTER)),
    *({"session_ends": moment} for moment in (BEFORE, AT, AFTER)),
    *({"product_state": state} for state in ProductState),
    *({name: True} for name in ("is_revoked", "is_erased")),
    *({name: False} for name in ("token_secret_is_right", "session_secret_is_right", "has_tag", "tag_is_right")),
    {"shows_token": False, "shows_session": False},
]
# Of these, those that do not depend on who asks.
STICKER = {"product_state", "is_erased", "has_tag", "tag_is_right"}
MOMENTS = st.sampled_from([BEFORE, AT, AFTER, LATER])
A_GRANT = st.builds(GrantCase, st.sampled_from(GrantKind), edits=st.booleans(), granted=MOMENTS, ends=MOMENTS)
# Granting ends what the same person had before, so that one grant is live at most.
GRANTS = st.lists(A_GRANT, max_size=2, unique_by=lambda grant: grant.is_live).map(tuple)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    shows_token, shows_session = draw(st.sampled_from([(True, False), (False, True), (True, True)]))
    is_owner = draw(st.sampled_from([False, False, True]))
    case = Case(
        shows_token, shows_session, draw(st.sampled_from(Role)), is_owner, draw(GRANTS), draw(st.none() | A_GRANT)
    )
    for change in draw(st.lists(st.sampled_from(CHANGES), max_size=2)):
        case = replace(case, **change)
    return case


def one_change_each() -> Iterator[Case]:
    """An owner with each change alone, first with a token, then with a session; then each grant at each moment."""
    with_token = Case(True, False, Role.OWNER, is_owner=True, grants=(), grant_to_another=None)
    with_session = replace(with_token, shows_token=False, shows_session=True)
    stranger = replace(with_token, is_owner=False)
    yield from (replace(with_token, **change) for change in CHANGES)
    yield from (replace(with_session, **change) for change in CHANGES if not change.keys() & STICKER)
    for kind in GrantKind:
        for ends in (BEFORE, AT, AFTER, LATER):
            yield replace(stranger, grants=(GrantCase(kind, edits=False, granted=BEFORE, ends=ends),))
        yield replace(stranger, grant_to_another=GrantCase(kind, edits=True, granted=BEFORE, ends=LATER))


def is_caller(case: Case) -> bool:
    return _session_is_good(case) or _token_is_good(case)


def access_of(case: Case) -> Access | None:
    """What somebody who is who they say may do. None if they may not open the record."""
    if case.is_erased or case.product_state not in ("claimed", "active"):
        return None
    by_session = _session_is_good(case)
    if case.is_owner:
        return Access("owner", OWNER, by_session)
    for grant in case.grants:
        if grant.is_live:
            depth = OWNER if grant.kind == "guardian" else Rights(Door.B, changes=grant.edits, manages=False)
            return Access(grant.kind, depth, by_session)
    return None


def opens_by_sticker(case: Case) -> bool:
    return case.has_tag and case.tag_is_right and not case.is_erased and case.product_state in ("claimed", "active")


def _session_is_good(case: Case) -> bool:
    good = case.shows_session and case.session_secret_is_right and case.session_ends > AT
    return good and not case.is_revoked and not _is_gone(case)


def _token_is_good(case: Case) -> bool:
    good = case.shows_token and case.token_secret_is_right and case.token_ends > AT
    return good and not case.is_revoked and not _is_gone(case)


def _is_gone(case: Case) -> bool:
    return case.vanishes is not None and case.vanishes <= AT
