"""Every call that the reference shows works on a fresh demo: pasted into a shell as it stands, with the token of whom
the page names, it gets the answer that stands below it. None waits for another; which work only once says the page."""

import html
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from httpx2 import Response

from ficha.api.messaging.files import PIXEL
from ficha.demo.people import ensure_demo
from ficha.fmd.catalog import CATALOG
from ficha.http.openapi import ENDS_EXAMPLE
from ficha.sandbox.demo import add_demo
from tests.api.fmd.test_fmd import fmd
from tests.app_client import AppClient
from tests.world import Person, World, build_world, settings_for

pytestmark = pytest.mark.slow

TOKEN = "<ID>|<SECRET>"
# A shell that tells what curl was asked instead of asking it, at the hour of the test.
# Each takes its own copies; several processes share the work.
SHARES = 4
PATH = "/usr/bin:/bin"
DATE = re.compile(r"\b20\d\d-\d\d-\d\d")
SHELL = """curl() { printf '%s\\0' "$@"; }
date() { echo "$NOW"; }
"""


@dataclass(frozen=True)
class Shown:
    """An operation of the page: what stands in the box, who sends it, and what it says of the answer."""

    name: str
    command: str
    caller: str
    works_once: bool
    # Of something that the reader has to make first: until then there is nothing.
    is_of_own: bool
    status: int

    @property
    def reads(self) -> bool:
        return "-X" not in self.command


def shown_on(page: str) -> list[Shown]:
    found = []
    for block in page.split('<details class="operation"')[1:]:
        anchor = re.search(r'class="inside" id="([^"]+)"', block)
        command = re.search(r'aria-label="Request"><code>(.*?)</code>', block, re.DOTALL)
        caller = re.search(r"with the token of <b>([^<]+)</b>", block)
        status = re.search(r"Answer <code>(\d+)</code>", block)
        assert anchor and command, block
        found.append(
            Shown(
                name=anchor.group(1),
                command=html.unescape(command.group(1)),
                caller=caller.group(1) if caller else "",
                works_once="It works only once." in block,
                is_of_own="The number is of something of yours" in block,
                status=int(status.group(1)) if status else 200,
            )
        )
    return found


class Reader:
    """Somebody with a terminal, who knows nothing but the page."""

    def __init__(self, world: World, page: str) -> None:
        self.world = world
        self.shown = shown_on(page)
        [self.clave] = set(re.findall(r"clave <code>(.+?)</code>", page))
        world.listen()
        world.platform.call(add_demo)

    def send(self, one: Shown) -> Response:
        command = one.command
        if TOKEN in command:
            command = command.replace(TOKEN, self._token(one.caller))
        answer = self._run(command, one.name == "events")
        self.world.run_jobs()
        self.world.clock.move(seconds=1)
        return answer

    def _token(self, correo: str) -> str:
        answer = self.world.login(correo, self.clave)
        assert answer.status_code == 200, (correo, answer.text)
        return str(answer.json()["data"]["attributes"]["token"])

    def can_read(self, place: str, one: Shown) -> bool:
        """Whether what was made is where its answer says. Who has just joined has another token by now; a device for
        push is told to nobody again."""
        headers = {"Authorization": f"Bearer {self._token(one.caller)}"} if one.caller else {}
        status = self.world.reader.get(place, headers=headers).status_code if place else 404
        return status in (200, 401) or (status == 405 and one.name == "push_subscription")

    def _run(self, command: str, is_stream: bool) -> Response:
        now = str(int(self.world.clock.now().timestamp()))
        told = subprocess.run(
            ["/bin/bash", "-c", SHELL + command],
            capture_output=True,
            check=True,
            env={"NOW": now, "PATH": "/usr/bin:/bin"},
        )
        assert not told.stderr, told.stderr
        words = iter(told.stdout.decode().split("\0")[:-1])
        method, url, body = "GET", "", b""
        headers: dict[str, str] = {}
        form: dict[str, Any] = {"data": {}, "files": {}}
        for word in words:
            if word == "-H":
                name, _, value = next(words).partition(": ")
                headers[name] = value
            elif word == "-X":
                method = next(words)
            elif word == "--data-binary":
                body = next(words).encode()
            elif word == "-F":
                name, _, value = next(words).partition("=")
                if value.startswith("@"):
                    form["files"][name] = (value[1:].partition(";")[0], PIXEL)
                else:
                    form["data"][name] = value
            else:
                assert not url and word.startswith("http://testserver/"), word
                url = word
        assert not re.search(r"[{}<>…]", url + "".join(headers.values())), (
            "a placeholder that the page does not explain"
        )
        # An open stream has no end to wait for; its HEAD is let in by the same rules.
        method = "HEAD" if is_stream else method
        more = form if form["files"] else {"content": body}
        reader = self.world.reader
        assert isinstance(reader, AppClient)
        return reader.request(method, url, headers=headers, **more)


@pytest.fixture(scope="module")
def demo_folder(sqlite_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As `make run` leaves it before anybody has called."""
    folder = tmp_path_factory.mktemp("demo")
    shutil.copy(sqlite_file, folder / "ficha.db")
    world = _world_in(folder)
    ensure_demo(world.parts)
    world.close()
    return folder


def _world_in(folder: Path) -> World:
    return build_world(settings_for(f"sqlite:///{folder / 'ficha.db'}", folder / "data"))


@contextmanager
def fresh_copy(demo_folder: Path, folder: Path) -> Iterator[World]:
    shutil.copytree(demo_folder, folder)
    world = _world_in(folder)
    try:
        yield world
    finally:
        world.close()
        shutil.rmtree(folder)


@pytest.mark.parametrize("share", range(SHARES))
def test_each_example_works_on_a_fresh_demo_as_it_is_shown(demo_folder: Path, tmp_path: Path, share: int) -> None:
    """And a second time, unless the page says that it does not."""
    with fresh_copy(demo_folder, tmp_path / "first") as world:
        page = world.client.get("/docs?l=en").text
        described = world.app.openapi()["paths"]
    shown = shown_on(page)
    assert len(shown) == sum(len(methods) for methods in described.values())
    mine = shown[share::SHARES]
    failed = []
    with fresh_copy(demo_folder, tmp_path / "read") as world:  # Who only reads leaves it fresh.
        reader = Reader(world, page)
        failed += [fault for one in mine if one.reads for fault in faults_of(one, reader)]
    for one in mine:
        if not one.reads:
            with fresh_copy(demo_folder, tmp_path / "copy") as world:
                failed += faults_of(one, Reader(world, page))
    assert not failed, "\n".join(failed)


def faults_of(one: Shown, reader: Reader) -> Iterator[str]:
    answer = reader.send(one)
    expected = 404 if one.is_of_own else one.status
    if answer.status_code != expected:
        yield f"{one.name}: {answer.status_code}, not {expected}: {answer.text[:300]}"
        return
    if answer.status_code == 201 and not reader.can_read(answer.headers.get("Location", ""), one):
        yield f"{one.name}: made, and its Location is {answer.headers.get('Location')}"
    if one.name == "local_delete_data":
        return  # There is nobody any more who could send it again.
    again = reader.send(one)
    if not one.is_of_own and again.is_success is one.works_once:
        yield f"{one.name}, again: {again.status_code}, works_once={one.works_once}: {again.text[:200]}"


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_all_examples_work_one_after_the_other(world: World) -> None:
    """As somebody goes through the page from its beginning to its end: none takes away what a later one needs. On
    SQLite each works by itself, above."""
    ensure_demo(world.parts)
    reader = Reader(world, world.client.get("/docs?l=en").text)
    failed = []
    for one in reader.shown:
        answer = reader.send(one)
        if answer.status_code != one.status and not (one.is_of_own and answer.status_code == 404):
            failed.append(f"{one.name}: {answer.status_code}, not {one.status}: {answer.text[:300]}")
    assert not failed, "\n".join(failed)


def dated_examples(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """What is shown of a body, whole or one field, with a date in it: the schema's name, and what of it is sent."""
    for name, schema in document["components"]["schemas"].items():
        shown = list(schema.get("examples", ()))
        for field, inner in schema.get("properties", {}).items():
            shown += [{field: example} for example in inner.get("examples", ())]
        yield from ((name, one) for one in shown if DATE.search(json.dumps(one)))


def send_example(person: Person, name: str, example: dict[str, Any]) -> Response:
    """Of a schema that is not here nobody has said how it is sent."""
    models = {model.__name__: model.about.wire for model in CATALOG}
    if name in models:
        return person.put(fmd(person, f"/{models[name]}"), example)
    if name == "NewPosition":
        position = {"lat": 10.48801, "lng": -66.87919} | example
        return person.post("/v2/emergencies", {"code": fmd(person).rpartition("/")[2], "position": position})
    if name == "HealthLinkOrder":
        return person.post(fmd(person, "/links"), {"label": "Para la cardióloga"} | example)
    assert name == "NewGrant", name
    to = {} if "telefono" in example else {"correo": "luis@demo.example"}
    return person.post(fmd(person, "/grants"), {"tipo": "delegate"} | to | example)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("years", [0, 1, 3, 30])
def test_no_date_in_an_example_is_over_one_day(world: World, years: int) -> None:
    """On a service that has been running for years, whatever its document shows with a date is taken."""
    pages = ("/openapi.json", "/docs?l=en")
    started = [world.client.get(page).text for page in pages]
    world.clock.move(days=365 * years + 1)
    document, reference = (world.client.get(page).text for page in pages)
    assert document != started[0] and reference != started[1]
    ana = world.register(nombre="Ana Pérez")
    dated = list(dated_examples(json.loads(document)))
    assert len({name for name, _ in dated}) >= 15 and len([name for name, _ in dated if name == "NewGrant"]) == 3
    failed = []
    for name, example in dated:
        answer = send_example(ana, name, example)
        if not answer.is_success:
            failed.append(f"{name}: {answer.text}: {example}")
    assert not failed, "\n".join(failed)
    [ends] = {str(one["hasta"]) for name, one in dated if name == "NewGrant"}
    assert f'"hasta": "{ends}"' in html.unescape(reference)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_signed_address_on_the_page_is_never_over(world: World) -> None:
    """They live for minutes, and the service for months."""
    ensure_demo(world.parts)
    world.client.get("/docs?l=en")
    world.clock.move(hours=5)
    page = world.client.get("/docs?l=en").text
    world.clock.move(minutes=4)
    reader = Reader(world, world.client.get("/docs?l=en").text)
    [file] = [one for one in reader.shown if one.name == "health_link_file"]
    assert file.command in html.unescape(page)  # It is not written for each reader.
    assert reader.send(file).status_code == 200


def test_the_served_document_is_the_committed_one_but_for_that_date(world: World) -> None:
    told = json.dumps(world.client.get("/openapi.json").json())
    [ends] = set(re.findall(r'"hasta": "([^"]+T[^"]+)"', told))
    assert json.loads(told.replace(ends, ENDS_EXAMPLE)) == world.app.openapi()
