"""Any input the OpenAPI document allows, and much that it does not: never a 5xx, never an unpromised answer."""

import json
import os
import shutil
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from ficha.accounts.accounts import Account, Role
from ficha.accounts.tokens import issue_token
from ficha.core.clock import SystemClock
from ficha.fmd.records import records_of
from ficha.products.codes import issue_code
from ficha.products.statements import live_codes
from ficha.sandbox.server import Sandbox
from tests.databases import empty
from tests.processes import Server
from tests.world import World, build_world, settings_for

if TYPE_CHECKING:
    from tests.project.any_input import AnyInput

pytestmark = pytest.mark.slow

# As committed, which is as served: every test process collects this file, and making it again takes two seconds.
DOCUMENT = json.loads((Path(__file__).parents[2] / "openapi.json").read_text("utf-8"))
# A stream of events that was begun never ends; its own tests send it whatever there is.
OPERATIONS = [
    f"{method.upper()} {path}"
    for path, methods in DOCUMENT["paths"].items()
    for method in methods
    if path != "/v2/events"
]

DATABASES = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)]
# Of the operations, chosen by their names, a third are sent the edges of each value, and a sixth anything on
# PostgreSQL, too. All of it on both databases with `make storm`.
IS_STORM = bool(os.environ.get("FICHA_STORM"))
# The edges of all seventeen models, and of all that a message may hold, take a minute: they are sent in a storm.
HAS_MANY_EDGES = (
    "PATCH /v2/fmd/{code}/{model}",
    "PUT /v2/fmd/{code}/{model}",
    "PATCH /v2/fmd/{code}",
    "POST /v2/whatsapp/messages/media",
    "POST /v2/whatsapp/messages/template",
    "POST /v2/whatsapp/messages/location",
)


def share_of(operation: str) -> int:
    return zlib.crc32(operation.encode()) % 6


CASES = [("sqlite", operation) for operation in OPERATIONS] + [
    pytest.param("postgresql", operation, marks=pytest.mark.postgresql)
    for operation in OPERATIONS
    if IS_STORM or share_of(operation) == 2
]

# To look for somebody in a picture takes two seconds, so that only the first one is whole.
CUT_OUT = "/api/remove-background"
BROKEN_PICTURE = b"\x89PNG\r\n\x1a\n"


class ServerWithAdmin:
    """A real server, and an administrator with a fresh account if the last request erased hers."""

    def __init__(self, server: Server, world: World) -> None:
        self.url = f"http://127.0.0.1:{server.port}"
        self._world = world
        self._account_id = 0
        self._code = self._token = ""
        self._calls = count()
        self._keys: set[str] = set()
        self._pictures = count()

    def begin(self) -> None:
        self._calls, self._pictures = count(), count()

    def prepare(self, case: Any) -> None:
        if "code" in (case.path_parameters or {}) and next(self._calls) % 3:
            case.path_parameters["code"] = self.code()  # So that most requests may see a record.
        if case.path == CUT_OUT and case.media_type != "multipart/form-data" and next(self._pictures):
            case.body = BROKEN_PICTURE
        self.renew_key(case.headers)

    def note(self, method: str, status: int) -> None:
        """Only what was carried out can have ended her token, her code or her account."""
        if method != "GET" and not 400 <= status < 500:
            self._code = self._token = ""

    def renew_key(self, headers: Any) -> None:
        """A key that was sent before gets a new one in its place: with another body it would be refused for that alone,
        as was every third request."""
        key = (headers or {}).get("Idempotency-Key")
        if key in self._keys:
            headers["Idempotency-Key"] = str(uuid4())
        elif key is not None:
            self._keys.add(key)

    def code(self) -> str:
        """A live code of her record, which some requests end."""
        if not self._code:
            self.headers()
            with self._world.parts.database.writing() as tx:
                record = records_of(tx, self._account_id)[0]
                live = live_codes(tx, [record.id])
                self._code = (live[0] if live else issue_code(tx, SystemClock().now(), record_id=record.id)).code
        return self._code

    def headers(self) -> dict[str, str]:
        if not self._token:
            if self._world.account(self._account_id) is None:
                self._account_id = self._world.somebody_with(Role.ADMIN).id
            with self._world.parts.database.writing() as tx:
                account = tx.orm.get_one(Account, self._account_id)
                self._token = issue_token(tx, account, SystemClock().now(), 60).text
        return {"Authorization": f"Bearer {self._token}"}


class AnyInputs:
    """A server on each database, for all operations: the one is started when it is first asked for."""

    def __init__(self, request: pytest.FixtureRequest, folder: Path) -> None:
        self._request, self._folder = request, folder
        self._open = ExitStack()
        self._started: dict[str, AnyInput] = {}

    def on(self, database: str) -> "AnyInput":
        if database not in self._started:
            self._started[database] = self._start(database)
        return self._started[database]

    def end(self) -> None:
        self._open.close()

    def _start(self, database: str) -> "AnyInput":
        from tests.project.any_input import AnyInput  # Schemathesis: a second and a half, in every test process.

        folder = self._folder / database
        folder.mkdir()
        if database == "sqlite":
            shutil.copy(self._request.getfixturevalue("sqlite_file"), folder / "ficha.db")
            url = f"sqlite:///{folder / 'ficha.db'}"
        else:
            url = self._request.getfixturevalue("postgres_url")
            empty(url)
        world = build_world(settings_for(url, folder / "data"))
        self._open.callback(world.close)
        # The first batch, which is asked for most, is a small one: a sheet of the thousand that somebody may order next
        # takes seconds to draw.
        assert world.somebody_with(Role.ADMIN).post("/v2/generators/codes", {"count": 3}).status_code == 201
        platform = self._open.enter_context(Sandbox())
        server = Server(
            url,
            folder / "data",
            FICHA_LOG_LEVEL="error",
            FICHA_WHATSAPP_BASE_URL=platform.url,
            FICHA_CHATWOOT_BASE_URL=platform.url,
            FICHA_CHATWOOT_BRIDGE="false",
        )
        return AnyInput(DOCUMENT, ServerWithAdmin(self._open.enter_context(server), world))


@pytest.fixture(scope="module")
def any_inputs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[AnyInputs]:
    inputs = AnyInputs(request, tmp_path_factory.mktemp("any-input"))
    yield inputs
    inputs.end()


@pytest.mark.parametrize(("database", "operation"), CASES)
def test_any_input(database: str, operation: str, any_inputs: AnyInputs) -> None:
    has_edges = share_of(operation) < 2 and operation not in HAS_MANY_EDGES
    any_inputs.on(database).send_to(*operation.split(" ", 1), has_edges=IS_STORM or has_edges)


@pytest.mark.parametrize("database", DATABASES)
def test_any_story(database: str, any_inputs: AnyInputs) -> None:
    """What one operation answers is sent to the next."""
    any_inputs.on(database).tell_stories()
