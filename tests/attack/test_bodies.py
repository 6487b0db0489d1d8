"""Bodies that come slowly, that are files where none is expected, or that fill the memory together."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.attack.slow_request import SlowRequest, a_byte_at_a_time, at_once, until
from tests.messaging.webhook_notifications import WEBHOOK, signed
from tests.web.sticker.sticker import ScannedSticker, sticker_of
from tests.world import World, build_world, registration, settings_for

JSON = {"Content-Type": "application/json"}
BODY = json.dumps(registration(correo="una@ejemplo.com")).encode()


@pytest.fixture
def strict(sqlite_file: Path, tmp_path: Path) -> Iterator[World]:
    """Little time for a body and little memory for all. What a body takes concerns no database."""
    file = tmp_path / "ficha.db"
    file.write_bytes(sqlite_file.read_bytes())
    settings = settings_for(f"sqlite:///{file}", tmp_path / "data", body_seconds=0.3, bodies_bytes=100_000)
    world = build_world(settings)
    yield world
    world.close()


@pytest.fixture
def sticker(strict: World) -> ScannedSticker:
    return sticker_of(strict)


@pytest.mark.parametrize("path", ["/v2/auth/register", "/clave", "/v2/emergencies", WEBHOOK])
def test_a_body_of_a_byte_at_a_time_ends_with_408(strict: World, path: str) -> None:
    request = SlowRequest(path, a_byte_at_a_time(), signed(b"") if path == WEBHOOK else JSON)
    assert asyncio.run(request.send_to(strict.app)) == 408
    assert request.answer_headers["connection"] == "close"


def test_a_large_body_that_keeps_coming_has_the_time_it_needs(strict: World) -> None:
    async def steady() -> AsyncIterator[bytes]:
        for _ in range(16):
            await asyncio.sleep(0.03)
            yield b" " * 5_000
        yield BODY

    assert asyncio.run(SlowRequest("/v2/auth/register", steady(), JSON).send_to(strict.app)) == 201


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "/v2/auth/login", 415),
        ("PATCH", "/v2/fmd/K7M2QX", 415),
        ("POST", "/v2/emergencies", 415),
        ("POST", "/v2/auth/logout", 415),
        ("POST", "/clave", 413),
        ("POST", "/e/K7M2QX/avisar", 413),
        ("GET", "/v2/auth/me", 415),
    ],
)
@pytest.mark.parametrize("kind", ["multipart/form-data; boundary=x", "Application/Octet-Stream"])
def test_ten_megabytes_of_files_are_refused_unread(
    strict: World, method: str, path: str, status: int, kind: str
) -> None:
    headers = {"Content-Type": kind, "Content-Length": "10000000"}
    request = SlowRequest(path, a_byte_at_a_time(), headers, method)
    assert asyncio.run(request.send_to(strict.app)) == status
    assert not request.was_read and request.answer_headers["connection"] == "close"


def test_an_unsigned_notification_is_refused_unread(strict: World) -> None:
    request = SlowRequest(WEBHOOK, a_byte_at_a_time(), JSON)
    assert asyncio.run(request.send_to(strict.app)) == 401
    assert not request.was_read


def test_bodies_under_way_share_a_memory_and_an_alert_has_its_own(strict: World, sticker: ScannedSticker) -> None:
    async def attack() -> None:
        service, gate = strict.app, asyncio.Event()
        holding = SlowRequest("/v2/auth/login", until(gate, b" " * 99_000), JSON)
        held = asyncio.create_task(holding.send_to(service))
        while not holding.was_read:
            await asyncio.sleep(0)
        refused = SlowRequest("/v2/auth/register", at_once(b" " * 2_000, BODY), JSON)
        assert await refused.send_to(service) == 503
        assert int(refused.answer_headers["retry-after"]) > 0
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        assert await SlowRequest(f"{sticker.path}/avisar", at_once(b"lat=8.6&lon=-71.1"), form).send_to(service) == 303
        assert await SlowRequest(sticker.path, at_once(), method="GET").send_to(service) == 200
        gate.set()
        assert await held == 422  # A blank body is none.
        assert await SlowRequest("/v2/auth/register", at_once(b" " * 2_000, BODY), JSON).send_to(service) == 201

    asyncio.run(attack())


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("piece", [b"{},", b'"\\"",', b'"\\\\",', b'"",'])
def test_values_are_counted_before_they_are_parsed(world: World, piece: bytes) -> None:
    """Not JSON at all: it is refused for its size before anybody looks."""
    many = b"[" + piece * 60_000
    answer = world.client.post("/v2/auth/register", content=many, headers=JSON)
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (413, "demasiados_valores")


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("signs", [",", '",[', "\\,", '\\",{'])
def test_signs_in_a_text_are_no_values(world: World, signs: str) -> None:
    body = registration(nombre=signs * 60_000)
    answer = world.client.post("/v2/auth/register", json=body)
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (422, "muy_largo")


FORM = {"Content-Type": "multipart/form-data; boundary=x"}
PART = b'--x\r\nContent-Disposition: form-data; name="image"\r\n\r\n'
ENDLESS_FORMS = [PART + b"\r\n", PART + b"\r\n--xA" * 1000, PART + b"\r\n--x\rA" * 1000, PART + b"\r\n--x-A" * 1000]


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("piece", ENDLESS_FORMS)
def test_a_form_of_endless_parts_costs_no_more_than_a_file(world: World, piece: bytes) -> None:
    """Each of these took from two to nine seconds of a core, of strangers too: a session's cookie is easily made up,
    and an Idempotency-Key has its answer looked up before anybody is known."""
    ana, body = world.register(), piece * (9_900_000 // len(piece))
    posts = [
        ("/api/remove-background", FORM | {"Idempotency-Key": "una"}, 401),
        ("/api/remove-background", ana.headers | FORM | {"Idempotency-Key": "otra"}, 422),
        ("/app/K7M2QX/retrato", FORM | {"Cookie": f"ficha_session={'a' * 43}"}, 400),
    ]
    for path, headers, status in posts:
        began = time.process_time()
        assert world.client.post(path, content=body, headers=headers, follow_redirects=False).status_code == status
        assert time.process_time() - began < 1
