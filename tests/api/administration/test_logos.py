"""A service's logo: fetched by a job from the address that was set, drawn on the carnet, gone with its address."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from PIL import Image
from sqlalchemy import delete, select

from ficha.accounts.accounts import Role
from ficha.administration.service_logos import ServiceLogo
from ficha.administration.services import Service
from ficha.channels.errors import RetryLater
from ficha.channels.public_files import NotPublic, fetch_file
from ficha.core.addresses import is_public
from ficha.jobs.queue import dead_jobs
from tests.photos.pictures import announced_png, encoded, face
from tests.world import World, build_world, settings_for

GREEN, PURPLE = (10, 160, 60), (120, 20, 150)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


def logo(color: tuple[int, int, int]) -> bytes:
    return encoded(Image.new("RGB", (900, 300), color), "PNG")


class LogoServer:
    """`answers` by path: status, headers and content. `asked` are the paths that were asked for."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self.asked: list[str] = []
        shared = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                shared.asked.append(self.path)
                status, headers, content = shared.answers.get(self.path, (404, {}, b""))
                self.send_response(status)
                for name, value in {"Content-Length": str(len(content)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        Thread(target=self.server.serve_forever, daemon=True).start()

    def has(self, path: str, content: bytes, status: int = 200, **headers: str) -> str:
        self.answers[path] = status, headers, content
        return self.url + path


@pytest.fixture
def logos() -> Iterator[LogoServer]:
    served = LogoServer()
    yield served
    served.server.shutdown()
    served.server.server_close()


@pytest.fixture
def world(database_url: str, tmp_path: Path) -> Iterator[World]:
    world = build_world(settings_for(database_url, tmp_path / "data", logo_private=True))
    yield world
    world.close()


def kept(world: World) -> list[ServiceLogo]:
    with world.parts.database.reading() as tx:
        return list(tx.orm.scalars(select(ServiceLogo)))


def why_dead(world: World) -> list[str | None]:
    with world.parts.database.reading() as tx:
        return [job.error for job in dead_jobs(tx)]


def count_of(png: bytes, color: tuple[int, int, int]) -> int:
    picture = Image.open(BytesIO(png)).convert("RGB")
    return sum(number for number, found in picture.getcolors(picture.width * picture.height) or [] if found == color)


def test_a_logo_is_fetched_once_and_drawn_until_its_address_changes(world: World, logos: LogoServer) -> None:
    admin, owner = world.somebody_with(Role.ADMIN), world.register()
    service: dict[str, Any] = {"name": "Colegio", "primary_color": "#f4d35e", "logo_url": logos.has("/a", logo(GREEN))}
    assert admin.put("/v1/services/colegio", service).status_code == 200
    assert logos.asked == []  # Whoever saves it does not wait for somebody's server.
    code = owner.data["attributes"]["product_codes"][0]
    assert owner.post(f"/v2/carnet/{code}/issue", {"service": "colegio"}).status_code == 201

    def drawn(kind: str = "png") -> bytes:
        answer = owner.get(f"/v2/carnet/{code}.{kind}")
        assert answer.status_code == 200, answer.text
        return answer.content

    assert count_of(drawn(), GREEN) == 0
    without = {kind: drawn(kind).count(b"image") for kind in ("svg", "pdf")}
    world.run_jobs()
    [row] = kept(world)
    assert Image.open(BytesIO(row.content)).size == (400, 133) and row.content.startswith(b"\x89PNG")
    # 16 mm by 5.3 mm at 300 dots an inch.
    assert count_of(drawn(), GREEN) > 10_000
    assert drawn("svg").count(b"image") > without["svg"] and drawn("pdf").startswith(b"%PDF-")
    assert admin.put("/v1/services/colegio", service | {"description": "Otra"}).status_code == 200
    world.run_jobs()
    assert logos.asked == ["/a"]
    # Another address: the old logo is not shown any more, whatever the new one gives.
    changed = service | {"logo_url": logos.has("/b", b"", status=503)}
    assert admin.put("/v1/services/colegio", changed).status_code == 200
    assert kept(world) == [] and count_of(drawn(), GREEN) == 0
    world.run_jobs()
    assert kept(world) == [] and why_dead(world) == []  # It will be tried again.
    logos.has("/b", logo(PURPLE))
    world.clock.move(minutes=1)
    world.run_jobs()
    assert count_of(drawn(), PURPLE) > 10_000 and count_of(drawn(), GREEN) == 0
    with world.parts.database.writing() as tx:
        tx.orm.execute(delete(Service))
    assert kept(world) == []


def test_what_is_no_logo_is_refused_and_a_save_tries_again(world: World, logos: LogoServer) -> None:
    admin = world.somebody_with(Role.ADMIN)
    bad = {
        "bomb": (announced_png(30_000, 30_000), 200, "PictureTooLarge"),
        "svg": (SVG, 200, "NotAPicture"),
        "polyglot": (encoded(face(), "JPEG") + b"<html><script>1</script>", 200, "PictureDamaged"),
        "large": (logo(GREEN) + bytes(2_000_000), 200, "FileTooLarge"),
        "moved": (b"", 302, "Redirected"),
        "none": (b"", 404, "Refused"),
    }
    logos.has("/elsewhere", logo(GREEN))
    for number, (name, (content, status, why)) in enumerate(bad.items(), start=1):
        url = logos.has(f"/{name}", content, status, Location="/elsewhere")
        assert admin.put("/v1/services/colegio", {"name": "Colegio", "logo_url": url}).status_code in (200, 201)
        world.run_jobs()
        assert why_dead(world)[-1] == why and len(why_dead(world)) == number
    assert kept(world) == [] and "/elsewhere" not in logos.asked
    logos.has("/none", logo(GREEN))
    assert admin.put("/v1/services/colegio", {"name": "Colegio", "logo_url": url}).status_code == 200
    world.run_jobs()
    assert len(kept(world)) == 1


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_private_address_is_not_called(database_url: str, tmp_path: Path, logos: LogoServer) -> None:
    world = build_world(settings_for(database_url, tmp_path / "guarded"))
    admin = world.somebody_with(Role.ADMIN)
    url = logos.has("/a", logo(GREEN))
    for address in (url, url.replace("127.0.0.1", "localhost"), url.replace("127.0.0.1", "[::ffff:127.0.0.1]")):
        assert admin.put("/v1/services/colegio", {"name": "Colegio", "logo_url": address}).status_code in (200, 201)
        world.run_jobs()
    assert why_dead(world) == ["NotPublic"] * 3 and logos.asked == []
    world.close()


def test_without_tls_only_where_it_is_allowed(logos: LogoServer) -> None:
    url = logos.has("/a", logo(GREEN))
    with pytest.raises(NotPublic):
        fetch_file(url, most_bytes=10_000, seconds=5, allows_private=True)
    assert fetch_file(url, most_bytes=10_000, seconds=5, allows_private=True, allows_http=True) == logo(GREEN)
    # With TLS it is asked for, and this server has none.
    with pytest.raises(RetryLater):
        fetch_file(url.replace("http:", "https:"), most_bytes=10_000, seconds=5, allows_private=True)


def test_what_is_public() -> None:
    assert is_public("93.184.215.14") and is_public("2606:2800:21f:cb07:6820:80da:af6b:8b2c")
    private = "127.0.0.1 10.1.2.3 192.168.0.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 ::1 fe80::1%eth0 fd00::1"
    assert not any(is_public(each) for each in [*private.split(), "::ffff:10.0.0.1", "ff02::1"])
    carried = "fec0::1 64:ff9b::a00:5 64:ff9b:1::1 ::10.0.0.5 ::ffff:0:10.0.0.5 2002:a00:5::1 2001:0:a00:5::1"
    assert not any(map(is_public, carried.split())), "a way into a network of one's own, by another name"
