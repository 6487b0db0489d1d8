"""Sessions and the fast lane execute the same selects: whoever comes, both answer alike, and as the rule says."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ficha.accounts.tokens import Unauthenticated
from ficha.fastlane import store_for
from ficha.fastlane.lane import LaneRequest
from ficha.fastlane.paths import Read
from ficha.fastlane.statements import find_read
from ficha.fastlane.store import Store
from ficha.fmd.access import FmdNotFound, access_in, open_fmd
from ficha.fmd.scanning import scan
from ficha.http.callers import first_caller, presented_credentials
from ficha.http.client_address import TrustedProxies
from ficha.web.sticker.scanned_page import LaneScans
from tests.fastlane.access_cases import Case, access_of, cases, is_caller, one_change_each, opens_by_sticker
from tests.fastlane.stored_cases import StoredCase, store_case
from tests.world import World

UNAUTHENTICATED, NOT_FOUND = "unauthenticated", "not found"


class Executors:
    """One database, asked in both ways."""

    def __init__(self, world: World, runner: asyncio.Runner, store: Store) -> None:
        self.parts = world.parts
        self.now: datetime = world.clock.now()
        self._runner = runner
        self._store = store
        self._page = LaneScans(world.parts, store, TrustedProxies())

    def store_case(self, case: Case) -> StoredCase:
        with self.parts.database.writing() as tx:
            return store_case(tx, self.parts.keyring, case, self.now)

    def by_session(self, stored: StoredCase) -> Any:
        with self.parts.database.writing() as tx:
            found = first_caller(tx, self._credentials(stored), self.now, staff_second_factor=False)
            if found is None:
                return UNAUTHENTICATED
            caller, credential = found
            try:
                fmd = open_fmd(tx, self.parts.keyring, caller, stored.code, self.now)
            except FmdNotFound:
                return NOT_FOUND
            ids = (caller.account_id, caller.token_id, fmd.id)
            return *ids, fmd.via, fmd.rights, credential.is_session, fmd.key

    def by_lane(self, stored: StoredCase, read: Read) -> Any:
        asked = find_read(self._store, read, self._credentials(stored), self.now, stored.code, [""])
        try:
            found = self._runner.run(asked)
            access = access_in(found.account_id, found.access)
        except Unauthenticated:
            return UNAUTHENTICATED
        except FmdNotFound:
            return NOT_FOUND
        ids = (found.account_id, found.token_id, access.record_id)
        return *ids, access.via, access.rights, found.credential.is_session, access.key(self.parts.keyring)

    def scan_by_session(self, stored: StoredCase) -> bool:
        with suppress(FmdNotFound), self.parts.database.reading() as tx:
            return scan(tx, self.parts.keyring, stored.code, stored.tag).record.id == stored.record_id
        return False

    def scan_by_lane(self, stored: StoredCase) -> bool:
        scope = {"type": "http", "query_string": b"", "headers": []}
        found = self._page.find("GET", f"/e/{stored.code}/{stored.tag}")
        if found is None:
            return False
        return self._runner.run(found[1](LaneRequest(scope, asyncio.Queue[Any]().get, {}))) is not None

    def _credentials(self, stored: StoredCase) -> Any:
        return presented_credentials(stored.browser_secret, stored.authorization)


@pytest.fixture
def executors(world: World) -> Iterator[Executors]:
    store = store_for(world.parts.database, 1)
    with asyncio.Runner() as runner:
        runner.run(store.open())
        yield Executors(world, runner, store)
        runner.run(store.close())


def with_each_change(test: Callable[..., None]) -> Callable[..., None]:
    for case in one_change_each():
        test = example(case=case, read=Read.RECORD_EXISTS)(test)
    return test


@pytest.mark.slow
@with_each_change
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=cases(), read=st.sampled_from(Read))
def test_whoever_comes_both_executors_answer_alike(executors: Executors, case: Case, read: Read) -> None:
    stored = executors.store_case(case)
    by_session, by_lane = executors.by_session(stored), executors.by_lane(stored, read)
    assert by_lane == by_session
    access = access_of(case)
    if not is_caller(case):
        assert by_session == UNAUTHENTICATED
    elif access is None:
        assert by_session == NOT_FOUND
    else:
        assert by_session[:-1] == (stored.account_id, stored.token_id, stored.record_id, *access)
    assert executors.scan_by_session(stored) == executors.scan_by_lane(stored) == opens_by_sticker(case)
