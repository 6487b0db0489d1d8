"""The wheel as people install it: what it declares, what is in it, and that it serves far from this tree."""

import base64
import io
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import packages_distributions
from pathlib import Path

import httpx
import pytest
from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name
from PIL import Image

from ficha.api.examples import DEMO_CLAVE
from tests import local_http
from tests.installed_wheel import ROOT, InstalledWheel, build_wheel, run, with_their_own
from tests.photos.composites import PORTRAITS, composite
from tests.photos.pictures import encoded
from tests.ports import ReservedPort
from tests.processes import START_SECONDS, STOP_SECONDS, environment
from tests.source_code import texts
from tests.waiting import eventually
from tests.web.portal.page_session import hidden_in

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DECLARED = [Requirement(line) for line in PROJECT["dependencies"]]
EXTRAS = {name: [Requirement(line) for line in lines] for name, lines in PROJECT["optional-dependencies"].items()}
ALL_DECLARED = [*DECLARED, *(one for lines in EXTRAS.values() for one in lines)]
IMPORT = re.compile(r"^ *(?:import|from) ([a-z]\w*)[\w.]*(?: import |$| as )", re.MULTILINE | re.IGNORECASE)
IS_STORM = "FICHA_STORM" in os.environ
ANA = {"correo": "ana@demo.example", "clave": DEMO_CLAVE}
PAGES = ("/", "/login", "/clave", "/registro", "/empezar", "/perdida", "/docs", "/openapi.json")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"))


def pinned() -> dict[NormalizedName, Requirement]:
    files = [(ROOT / "requirements" / name).read_text() for name in ("run.in", "traces.in")]
    lines = [line.partition("#")[0].strip() for file in files for line in file.splitlines()]
    found = [Requirement(line) for line in lines if line and not line.startswith("-r")]
    return {canonicalize_name(one.name): one for one in found}


def test_what_is_declared_is_what_is_pinned_and_each_pin_is_in_its_range() -> None:
    declared = {canonicalize_name(one.name): one for one in ALL_DECLARED}
    assert len(declared) == len(ALL_DECLARED)
    assert declared.keys() == pinned().keys()
    for name, pin in pinned().items():
        [version] = [one.version for one in pin.specifier]
        assert declared[name].specifier.contains(version), (declared[name], version)
        assert declared[name].extras == pin.extras


def test_nothing_is_imported_that_is_not_declared() -> None:
    imported = {name for text in texts().values() for name in IMPORT.findall(text)} - {"ficha"}
    brought = {canonicalize_name(one.metadata["Name"]) for one in with_their_own(ALL_DECLARED)}
    packages = packages_distributions()
    for name in imported - sys.stdlib_module_names:
        assert brought & {canonicalize_name(one) for one in packages.get(name, ())}, name


def test_pip_finds_no_fault_in_the_lock_without_being_told_to_look_away() -> None:
    """Neither `--no-deps` nor an index: each package of the lock has what it asks for in the lock. What is installed is
    not downloaded, so the hashes are looked at in the storm alone."""
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "-q", "--dry-run")
    run(*pip, "--no-index", "--require-hashes", "-r", str(ROOT / "requirements" / "run.lock"))


def test_all_files_of_the_package_are_in_the_wheel_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    files = (file for file in (ROOT / "ficha").rglob("*") if file.is_file() and "__pycache__" not in file.parts)
    assert packed == {str(file.relative_to(ROOT)) for file in files}
    kinds = {Path(name).suffix for name in packed}
    assert {".csv", ".html", ".onnx", ".ttf", ".typ", ".json", ".css", ".js", ".mako"} <= kinds


@contextmanager
def served(installed: InstalledWheel, folder: Path) -> Iterator[httpx.Client]:
    """`ficha serve --demo` of that environment, started elsewhere and with nothing that leads into this tree."""
    with ReservedPort() as port:
        env = environment("", folder / "data", FICHA_PORT=str(port), FICHA_PICTURE_IDLE_SECONDS="0.1")
        env.pop("PYTHONPATH", None)
        with (folder / "server.log").open("ab") as log:
            command = [str(installed.bin / "ficha"), "serve", "--demo", "--no-sandbox"]
            process = subprocess.Popen(command, cwd=folder, env=env, stdout=log, stderr=log)
        try:
            with local_http.client(base_url=f"http://127.0.0.1:{port}") as client:
                eventually(lambda: is_ready(client, process), 5 * START_SECONDS)
                yield client
        finally:
            process.terminate()
            assert process.wait(STOP_SECONDS) == 0


def is_ready(client: httpx.Client, process: "subprocess.Popen[bytes]") -> bool:
    assert process.poll() is None, f"it ended with {process.returncode}"
    try:
        return client.get("/health/ready").status_code == 200
    except httpx.TransportError:
        return False


@pytest.mark.slow
def test_installed_elsewhere_it_serves_pages_a_carnet_and_cutouts(wheel: Path, tmp_path: Path) -> None:
    """First without what removes backgrounds, which says so; then with it. In the storm everything is downloaded as the
    lock says."""
    installed = InstalledWheel(tmp_path / "environment", wheel)
    if IS_STORM:
        installed.install_lock()
    else:
        installed.link_dependencies()
    installed.install(*(["pictures"] if IS_STORM else []))
    picture = encoded(composite(next(iter(PORTRAITS)), "plain white")[0], "JPEG")
    log = tmp_path / "server.log"
    with served(installed, tmp_path) as client:
        opens_pages_and_a_carnet(client, log)
        if not IS_STORM:
            refused = cutout(client, picture)
            assert refused.status_code == 503
            assert refused.json()["errors"][0]["code"] == "fondos_no_disponibles"
            assert "este servicio no quita fondos" in photo_choice(client, picture)
            assert "install `ficha[pictures]`" in log.read_text()
            installed.link_dependencies("pictures")
        # The process that reads pictures ends when it is idle; the next one finds what was installed meanwhile.
        eventually(lambda: cutout(client, picture).status_code == 200)
        answer = cutout(client, picture)
        assert answer.json()["data"]["dudoso"] is False, answer.text
        png = base64.b64decode(answer.json()["data"]["image"].partition(",")[2])
        assert Image.open(io.BytesIO(png)).mode == "RGBA"


def opens_pages_and_a_carnet(client: httpx.Client, log: Path) -> None:
    [sticker] = re.findall(r"^  (http\S+/\S+/\S+)$", log.read_text(), re.MULTILINE)
    for page in (*PAGES, httpx.URL(sticker).raw_path.decode()):
        answer = client.get(page, follow_redirects=True)
        assert answer.status_code == 200 and len(answer.content) > 1000, page
    headers = token_of(client)
    code = code_of(client, headers)
    issued = client.post(f"/v2/carnet/{code}/issue", headers=headers)
    assert issued.status_code == 201, issued.text
    shown = client.get(httpx.URL(issued.json()["data"]["attributes"]["verify_url"]).path)
    assert shown.status_code == 200, shown.text
    pdf = client.get(f"/v2/carnet/{code}.pdf", headers=headers | {"Accept": "application/pdf"})
    assert pdf.content.startswith(b"%PDF"), pdf.text


def token_of(client: httpx.Client) -> dict[str, str]:
    login = client.post("/v2/auth/login", json=ANA)
    return {"Authorization": f"Bearer {login.json()['data']['attributes']['token']}"}


def code_of(client: httpx.Client, headers: dict[str, str]) -> str:
    return str(client.get("/v2/auth/me", headers=headers).json()["data"]["attributes"]["product_codes"][0])


def cutout(client: httpx.Client, picture: bytes) -> httpx.Response:
    headers = token_of(client) | {"Content-Type": "image/jpeg"}
    return client.post("/api/remove-background", content=picture, headers=headers)


def photo_choice(client: httpx.Client, picture: bytes) -> str:
    """The page on which she chooses what to keep of a photo that she sent."""
    path = f"/app/{code_of(client, token_of(client))}/retrato"
    assert client.post("/login", data=hidden_in(client.get("/login").text) | ANA).status_code == 303
    files = {"elegida": ("foto.jpg", picture, "image/jpeg")}
    return client.post(path, data=hidden_in(client.get(path).text), files=files).text


@pytest.mark.skipif(not IS_STORM, reason="downloads everything: make storm")
def test_uvx_starts_a_demo_from_the_wheel(wheel: Path, tmp_path: Path) -> None:
    """`pipx run --spec` does the same, by hand (docs/deploy.md)."""
    uv = Path(sys.executable).with_name("uv")
    found = run(str(uv), "tool", "run", "--from", str(wheel), "ficha", "demo", "--json", cwd=tmp_path)
    assert re.search(r"@demo\.example", found)
