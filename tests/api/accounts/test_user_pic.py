"""The photo of an account: what is taken, what is refused, and what is left of it in the end."""

import base64
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from httpx2 import Response
from PIL import Image
from sqlalchemy import select

from ficha.accounts.accounts import Role
from ficha.channels.storage import FileMissing
from ficha.fmd.records import Record
from ficha.photos.photos import DELETE_LEFTOVER, Photo, photo_of
from tests.channels.s3_server import s3_server
from tests.photos import pictures
from tests.photos.pictures import MARKS, empty_png, encoded, face, located
from tests.ports import ReservedPort
from tests.world import CLAVE, Person, World, build_world, settings_for

ON_SQLITE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
JPEG = {"Content-Type": "image/jpeg"}
FILE = {"Accept": "image/jpeg"}


def send(person: Person, content: bytes, query: str = "", **headers: str) -> Response:
    return person.client.put(f"/v2/user_pic{query}", content=content, headers={**person.headers, **JPEG, **headers})


def stored_files(folder: Path) -> list[Path]:
    return [file for file in (folder / "data" / "files").rglob("*") if file.is_file()]


def highest_memory(pid: int | None) -> int:
    """In bytes; nothing if it does not run."""
    if pid is None:
        return 0
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def pixels(content: bytes) -> Image.Image:
    return Image.open(io.BytesIO(content)).convert("RGB")


def is_red(color: Any) -> bool:
    red, green, blue = color
    return bool(red > 200 and green < 60 and blue < 60)


def test_a_photo_is_stored_upright_small_and_without_a_word_of_its_own(world: World, tmp_path: Path) -> None:
    ana = world.register()
    assert ana.get("/v2/user_pic").status_code == 404
    answer = send(ana, located(orientation=6))  # Lying on its side: the viewer has to turn it.
    assert answer.status_code == 200, answer.text
    told = answer.json()["data"]
    assert told["id"] == ana.data["attributes"]["fmd_code"]
    assert (told["attributes"]["width"], told["attributes"]["height"]) == (400, 300)
    whole, small = ana.get("/v2/user_pic", headers=FILE), ana.get("/v2/user_pic?thumbnail=true", headers=FILE)
    assert whole.headers["content-type"] == "image/jpeg" and len(whole.content) == told["attributes"]["size"]
    picture = pixels(whole.content)
    assert picture.size == (400, 300) and is_red(picture.getpixel((390, 150)))
    assert max(pixels(small.content).size) == 256
    for served in (whole.content, small.content):
        assert not [mark for mark in MARKS if mark in served]
        assert not Image.open(io.BytesIO(served)).getexif()
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert not [mark for mark in MARKS[:2] if mark in file.read_bytes()], file
            assert picture.tobytes()[:200] not in file.read_bytes()


@ON_SQLITE
@pytest.mark.parametrize("kind", ["PNG", "WEBP", "HEIF"])
def test_what_phones_and_programs_write_is_taken(world: World, kind: str) -> None:
    ana = world.register()
    answer = send(ana, located(kind), **{"Content-Type": "application/octet-stream"})
    assert answer.status_code == 200, answer.text
    served = ana.get("/v2/user_pic", headers=FILE).content
    assert is_red(pixels(served).getpixel((150, 20))) and not [mark for mark in MARKS if mark in served]


@ON_SQLITE
def test_a_form_can_carry_it(world: World) -> None:
    ana = world.register()
    files = {"image": ("foto.png", encoded(face(), "PNG"), "image/png")}
    assert ana.client.put("/v2/user_pic", files=files, headers=ana.headers).status_code == 200
    empty = ana.client.put("/v2/user_pic", files={"image": (None, "texto")}, headers=ana.headers)
    other = ana.client.put("/v2/user_pic", files={"foto": files["image"]}, headers=ana.headers)
    told = [[(one["code"], one["source"]["pointer"]) for one in answer.json()["errors"]] for answer in (empty, other)]
    assert told == [[("falta", "/image")], [("campo_desconocido", "/foto"), ("falta", "/image")]]
    assert empty.status_code == other.status_code == 422


@ON_SQLITE
def test_a_large_photo_is_stored_small(world: World) -> None:
    ana = world.register()
    answer = send(ana, encoded(face(3000, 4000), "JPEG"))
    assert answer.status_code == 200, answer.text
    assert (answer.json()["data"]["attributes"]["width"], answer.json()["data"]["attributes"]["height"]) == (900, 1200)


def with_page() -> bytes:
    return encoded(face(), "JPEG") + b"<html><script>alert(1)</script></html>"


def cut_off() -> bytes:
    whole = encoded(face(900, 900), "JPEG", quality=95)
    return whole[: len(whole) // 2]


SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
REFUSED: dict[str, tuple[Callable[[], bytes], int]] = {
    "a bomb": (lambda: empty_png(6_000, 6_000), 413),
    "one that says it is large": (lambda: pictures.announced_png(30_000, 30_000), 413),
    "a bomb in a text": (pictures.text_bomb_png, 422),
    "an SVG with a script": (lambda: SVG, 415),
    "a JPEG with a page behind it": (with_page, 422),
    "a JPEG with a page in its comment": (lambda: encoded(face(), "JPEG", comment=b"<script>x</script>"), 422),
    "half a JPEG": (cut_off, 422),
    "half a PNG": (lambda: encoded(face(900, 900), "PNG")[:1500], 422),
    "half a HEIC": (lambda: encoded(face(900, 900), "HEIF")[:900], 422),
    "a text": (lambda: b"esto no es una foto", 415),
    "a GIF": (lambda: encoded(face(), "GIF"), 415),
    "nothing": (lambda: b"", 415),
}


@pytest.mark.slow
@ON_SQLITE
def test_what_is_no_honest_photo_is_refused_in_little_memory(world: World, tmp_path: Path) -> None:
    ana, ours = world.register(), psutil.Process(os.getpid())
    world.parts.photo_reader.end()  # The next one's memory is that of these pictures alone.
    for name, (make, status) in REFUSED.items():
        content = make()
        before = ours.memory_info().rss
        answer = send(ana, content, **{"Content-Type": "image/png"})
        assert answer.status_code == status, (name, answer.text)
        assert answer.json()["errors"][0]["detail"]
        assert ours.memory_info().rss - before < 60_000_000, name
        assert highest_memory(world.parts.photo_reader.pid) < 200_000_000, name
    assert stored_files(tmp_path) == [] and ana.get("/v2/user_pic").status_code == 404


@ON_SQLITE
@pytest.mark.skipif("FICHA_STORM" not in os.environ, reason="a bomb of 30,000 by 30,000 pixels takes a while to make")
def test_a_bomb_at_full_size(world: World) -> None:
    content = empty_png(30_000, 30_000)
    assert len(content) < 10_000_000
    assert send(world.register(), content).status_code == 413


@ON_SQLITE
def test_more_than_ten_megabytes_are_not_read(world: World) -> None:
    assert send(world.register(), bytes(10_000_001)).status_code == 413


def test_a_link_opens_the_photo_for_ten_minutes(world: World) -> None:
    ana = world.register()
    told = send(ana, encoded(face(), "JPEG")).json()["data"]["attributes"]
    stranger = world.client
    for address in (told["url"], told["thumbnail_url"]):
        found = stranger.get(address)
        assert found.status_code == 200 and found.headers["content-type"] == "image/jpeg"
        assert "no-store" in found.headers["cache-control"]
        assert stranger.get(f"{address[:-1]}{'A' if address[-1] != 'A' else 'B'}").status_code == 404
    whole = told["url"]
    assert stranger.get(whole.replace("user_pic/f", "user_pic/t")).status_code == 404
    assert stranger.get(whole.replace("user_pic/f17", "user_pic/f99")).status_code == 404
    world.clock.move(minutes=10)
    assert stranger.get(whole).status_code == 404


def test_a_new_photo_takes_the_place_of_the_old_one_and_of_its_file(world: World, tmp_path: Path) -> None:
    ana = world.register()
    old = send(ana, encoded(face(), "JPEG")).json()["data"]["attributes"]["url"]
    assert send(ana, encoded(face(200, 200), "JPEG")).status_code == 200
    world.run_jobs()
    assert len(stored_files(tmp_path)) == 1
    assert world.client.get(old).status_code == 404
    assert ana.delete("/v2/user_pic").json()["data"] == {"deleted": True}
    assert ana.delete("/v2/user_pic").status_code == 404
    world.run_jobs()
    assert stored_files(tmp_path) == []


def test_it_goes_with_the_account(world: World, tmp_path: Path) -> None:
    ana = world.register()
    link = send(ana, encoded(face(), "JPEG")).json()["data"]["attributes"]["url"]
    with world.parts.database.reading() as tx:
        thumbnail = tx.orm.scalars(select(Photo.thumbnail)).one()
    assert ana.delete("/v1/local/data", {"clave": CLAVE}).status_code == 200
    assert world.client.get(link).status_code == 404
    world.run_jobs()
    assert stored_files(tmp_path) == [] and world.rows()["photos"] == 0
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert thumbnail not in file.read_bytes(), file


def test_a_file_whose_row_was_never_written_is_deleted(world: World, tmp_path: Path) -> None:
    """Its process died between the storage and the commit."""
    ana = world.register()
    assert send(ana, encoded(face(), "JPEG")).status_code == 200
    with world.parts.database.writing() as tx:
        name = tx.orm.scalars(select(Photo.name)).one()
    world.do(DELETE_LEFTOVER, name=name)
    assert len(stored_files(tmp_path)) == 1  # It has a row, so the job that watched over it does nothing.
    with world.parts.database.writing() as tx:
        tx.orm.delete(tx.orm.scalars(select(Photo)).one())
    world.clock.move(minutes=61)
    world.run_jobs()
    assert stored_files(tmp_path) == []


def test_each_record_has_its_own_and_strangers_see_none(world: World) -> None:
    ana, luis, staff = world.register(), world.register(), world.somebody_with(Role.STAFF)
    [code] = ana.data["attributes"]["product_codes"]
    assert send(ana, encoded(face(), "JPEG")).status_code == 200
    for other in (luis, staff):
        assert other.get(f"/v2/user_pic?code={code}").status_code == 404
        assert send(other, encoded(face(), "JPEG"), f"?code={code}").status_code == 404
        assert other.delete(f"/v2/user_pic?code={code}").status_code == 404
        assert other.get("/v2/user_pic").status_code == 404
    assert ana.get(f"/v2/user_pic?code={code}").status_code == 200
    accesses = world.reader.get(f"/v2/fmd/{code}/access-log", headers=ana.headers).json()["data"]
    assert any("foto" in str(each) for each in accesses)


def test_the_export_has_it(world: World) -> None:
    ana = world.register()
    [code] = ana.data["attributes"]["product_codes"]
    assert world.reader.get(f"/v2/fmd/{code}/export", headers=ana.headers).json()["foto"] is None
    assert send(ana, encoded(face(), "JPEG")).status_code == 200
    found = world.reader.get(f"/v2/fmd/{code}/export", headers=ana.headers).json()["foto"]
    content = base64.b64decode(found.removeprefix("data:image/jpeg;base64,"))
    assert pixels(content).size == (300, 400)


def test_other_rooms_get_the_thumbnail_with_the_records_key(world: World) -> None:
    ana = world.register()
    assert send(ana, encoded(face(), "JPEG")).status_code == 200
    with world.parts.database.reading() as tx:
        record = tx.orm.get_one(Record, ana.data["attributes"]["fmd_code"])
        found = photo_of(tx, record.id, record.open_key(world.parts.keyring))
        assert found is not None and max(pixels(found).size) == 256
        assert photo_of(tx, record.id + 1, bytes(32)) is None


@ON_SQLITE
def test_photos_in_s3_compatible_storage(database_url: str, tmp_path: Path) -> None:
    with s3_server() as url:
        world = build_world(settings_for(database_url, tmp_path / "data", storage_url=url))
        ana = world.register()
        link = send(ana, located()).json()["data"]["attributes"]["url"]
        assert is_red(pixels(world.client.get(link).content).getpixel((150, 20)))
        with world.parts.database.reading() as tx:
            name = tx.orm.scalars(select(Photo.name)).one()
        sealed = b"".join(world.parts.storage.read(name))
        assert b"JFIF" not in sealed and not [mark for mark in MARKS[:2] if mark in sealed]
        assert ana.delete("/v2/user_pic").status_code == 200
        world.run_jobs()
        with pytest.raises(FileMissing):
            world.parts.storage.read(name)
        assert stored_files(tmp_path) == []
        world.close()


@ON_SQLITE
def test_a_storage_that_is_away_is_said_and_nothing_is_kept(database_url: str, tmp_path: Path) -> None:
    with ReservedPort() as port:
        url = f"http://clave:secreto@127.0.0.1:{port}/fichas"
        world = build_world(settings_for(database_url, tmp_path / "data", storage_url=url))
        answer = send(world.register(), encoded(face(), "JPEG"))
        assert answer.status_code == 503 and answer.headers["retry-after"]
        assert answer.json()["errors"][0]["code"] == "archivos_no_disponibles"
        assert world.rows()["photos"] == 0
        world.close()
