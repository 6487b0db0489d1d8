"""A server of ours with a directory of issuers, somebody else's server of links and cards, and who reads them."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.processes import Server
from tests.web.browsing import address_of
from tests.web.health_viewer.health_server import HealthServer, Issuer, health_server
from tests.web.health_viewer.reader import HealthReader
from tests.webhooks.receiver import certificate_for_loopback

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MINISTRY = "Ministerio de Salud"


@pytest.fixture(scope="package")
def health(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HealthServer]:
    context, _ = certificate_for_loopback(tmp_path_factory.mktemp("certificate"))
    with health_server(context) as server:
        yield server


@pytest.fixture(scope="package")
def ours(health: HealthServer, sqlite_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """It trusts the ministry, and nobody else but itself."""
    folder = tmp_path_factory.mktemp("viewer")
    issuers = folder / "issuers.json"
    trusted = {"iss": health.issuers["ministry"].iss, "name": MINISTRY}
    issuers.write_text(json.dumps({"participating_issuers": [trusted]}))
    database = shutil.copy(sqlite_file, folder / "ficha.db")
    more = {"FICHA_TRUSTED_ISSUERS_FILE": str(issuers), "FICHA_HEALTH_CARD_ISSUER": f"{health.origin}/ours"}
    with Server(f"sqlite:///{database}", folder / "data", FICHA_LOG_LEVEL="warning", **more) as server:
        health.behind = server
        yield server


@pytest.fixture
def reader(browser: "Browser", ours: Server, health: HealthServer) -> Iterator[HealthReader]:
    """What went wrong in her browser fails the test."""
    health.seen.clear()
    health.is_silent = False
    found = HealthReader(browser, address_of(ours), health)
    yield found
    assert found.faults == []


@pytest.fixture
def ministry(health: HealthServer) -> Issuer:
    """Trusted, and with a new key, so that no test meets what another revoked."""
    issuer = health.issuers["ministry"] = Issuer(health.origin, "ministry")
    return issuer


@pytest.fixture
def stranger(health: HealthServer) -> Issuer:
    issuer = health.issuers["stranger"] = Issuer(health.origin, "stranger")
    return issuer
