"""The floor answers what the service answers: the same fields, in as many bytes."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from httpx2 import Response
from starlette.testclient import TestClient

from bench.dataset import Dataset
from bench.entries import ENTRIES
from bench.entries.entry import Entry
from bench.floor import Floor
from bench.rounds import SAME_SIZE_BYTES, SAME_SIZE_SHARE, shape
from bench.store import store_at
from ficha.app import create_app
from ficha.parts import build_parts
from tests.world import settings_for

COMPARED = [entry for entry in ENTRIES.values() if not entry.is_page]


@dataclass(frozen=True)
class BothServers:
    dataset: Dataset
    service: TestClient
    floor: TestClient


@pytest.fixture(scope="module")
def both(sqlite_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[BothServers]:
    """On one SQLite file: the floor's statements are written for the database of its process."""
    folder = tmp_path_factory.mktemp("bench")
    file = folder / "ficha.db"
    file.write_bytes(sqlite_file.read_bytes())
    url = f"sqlite:///{file}"
    parts = build_parts(settings_for(url, folder / "data"))
    parts.secrets.ensure_root()
    app = create_app(parts)
    dataset = Dataset(folder / "data", url)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("FICHA_DATA_DIR", str(folder / "data"))
        bare: Any = Floor(store_at(url))
        with TestClient(app) as service, TestClient(bare) as floor:
            yield BothServers(dataset, service, floor)
    dataset.close()
    parts.messenger.close()
    parts.database.close()


@pytest.mark.parametrize("entry", COMPARED, ids=lambda entry: entry.name)
def test_the_floor_answers_alike(both: BothServers, entry: Entry) -> None:
    service, floor = (ask(client, entry, both.dataset) for client in (both.service, both.floor))
    assert (service.status_code, floor.status_code) == (entry.status, entry.status), service.text
    assert kind_of_etag(service) == kind_of_etag(floor)
    assert shape(service.json(), entry.compared_depth) == shape(floor.json(), entry.compared_depth)
    assert service.headers.keys() - {"content-length"} == floor.headers.keys() - {"content-length"}
    allowed = max(SAME_SIZE_BYTES, len(service.content) * SAME_SIZE_SHARE)
    assert abs(len(service.content) - len(floor.content)) <= allowed


# Of a record with data, on its page.
STORED = {"family": "Ana Lucía", "form": "maria@ejemplo.com"}


@pytest.mark.parametrize("name", ["family", "form"])
def test_pages_and_their_floor_answer(both: BothServers, name: str) -> None:
    """Of a page only its status and size can be compared. The same page of people with no data is the service's own."""
    service, floor = (ask(client, ENTRIES[name], both.dataset) for client in (both.service, both.floor))
    assert (service.status_code, floor.status_code) == (200, 200), service.text
    assert service.text.startswith("<!doctype html>")
    assert len(service.content) / 3 < len(floor.content) < len(service.content) * 3
    entry = ENTRIES[name]
    assert entry.empty_seeds is not None
    empty = ask(both.service, replace(entry, seeds=entry.empty_seeds), both.dataset)
    assert empty.status_code == 200 and empty.text.startswith("<!doctype html>")
    assert STORED[name] in service.text and STORED[name] not in empty.text


def kind_of_etag(answer: Response) -> str:
    """Without the version, which grows from one to the next."""
    return answer.headers.get("etag", "").rpartition("-")[0]


def ask(client: TestClient, entry: Entry, dataset: Dataset) -> Response:
    """The entry's first request, as the load generator would send it."""
    [seed] = entry.seeds(dataset, 1)
    head, _, body = next(entry.ask(seed)).partition(b"\r\n\r\n")
    line, *headers = head.decode().split("\r\n")
    method, path, _version = line.split(" ")
    given = dict(header.split(": ", 1) for header in headers)
    given.setdefault("Accept-Encoding", "identity")
    return client.request(method, path, headers=given, content=body)
