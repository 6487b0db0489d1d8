"""Any input the OpenAPI document allows, and much that it does not: never a 5xx, never an unpromised answer."""

import json
import os
import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from ficha.accounts.accounts import Account, Role
from ficha.accounts.tokens import issue_token
from ficha.core.clock import SystemClock
from ficha.fmd.records import records_of
from ficha.products.codes import issue_code
from ficha.products.product import live_codes
from ficha.sandbox.server import Sandbox
from tests.processes import Server
from tests.world import World, build_world, settings_for

pytestmark = pytest.mark.slow

EXAMPLES = int(os.environ.get("FICHA_TEST_EXAMPLES", "15"))
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]

# Pictures are bytes: whatever else is inside, the service says what is wrong with them.
for kind in ("image/jpeg", "image/png", "image/webp", "image/heic"):
    schemathesis.serializer.alias(kind, "application/octet-stream")
# As committed, which is as served: every test process collects this file, and making it again takes two seconds.
DOCUMENT = json.loads((Path(__file__).parents[2] / "openapi.json").read_text("utf-8"))
# A stream of events that was begun never ends; its own tests send it whatever there is.
schema = schemathesis.openapi.from_dict(DOCUMENT).exclude(path="/v2/events")


class ServerWithAdmin:
    """A real server, and an administrator with a fresh account if the last request erased hers."""

    def __init__(self, server: Server, world: World) -> None:
        self.server = server
        self._world = world
        self._account_id = 0
        self._code = self._token = ""
        self.calls = count()

    def note(self, method: str, status: int) -> None:
        """Only what was carried out can have ended her token, her code or her account."""
        if method != "GET" and not 400 <= status < 500:
            self._code = self._token = ""

    def code(self) -> str:
        """A live code of her record, which some requests end."""
        if not self._code:
            self.headers()
            with self._world.parts.database.writing() as session:
                record = records_of(session, self._account_id)[0]
                live = live_codes(session, [record.id])
                self._code = (live[0] if live else issue_code(session, SystemClock().now(), record_id=record.id)).code
        return self._code

    def headers(self) -> dict[str, str]:
        if not self._token:
            if self._world.account(self._account_id) is None:
                self._account_id = self._world.somebody_with(Role.ADMIN).id
            with self._world.parts.database.writing() as session:
                account = session.get_one(Account, self._account_id)
                self._token = issue_token(session, account, SystemClock().now(), 60).text
        return {"Authorization": f"Bearer {self._token}"}


@pytest.fixture(scope="module")
def on_server(sqlite_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerWithAdmin]:
    folder = tmp_path_factory.mktemp("any-input")
    shutil.copy(sqlite_file, folder / "ficha.db")
    url = f"sqlite:///{folder / 'ficha.db'}"
    world = build_world(settings_for(url, folder / "data"))
    with (
        Sandbox() as platform,
        Server(
            url,
            folder / "data",
            FICHA_LOG_LEVEL="error",
            FICHA_WHATSAPP_BASE_URL=platform.url,
            FICHA_CHATWOOT_BASE_URL=platform.url,
            FICHA_CHATWOOT_BRIDGE="false",
        ) as server,
    ):
        yield ServerWithAdmin(server, world)
    world.close()


@schema.parametrize()
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_any_input(case: Any, on_server: ServerWithAdmin) -> None:
    if "code" in (case.path_parameters or {}) and next(on_server.calls) % 3:
        case.path_parameters["code"] = on_server.code()  # So that most requests pass the door.
    is_public = not case.operation.definition.raw.get("security")
    response = case.call(
        base_url=f"http://127.0.0.1:{on_server.server.port}", headers={} if is_public else on_server.headers()
    )
    on_server.note(case.method, response.status_code)
    # What the platform refuses is a documented 502, and no fault of ours.
    refused = response.status_code == 502 and "502" in case.operation.definition.raw["responses"]
    case.validate_response(response, checks=CHECKS[1:] if refused else CHECKS)
