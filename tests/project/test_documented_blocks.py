"""What stands in the pages to be copied into a file or a database is tried as it stands there."""

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
import yaml
from sqlalchemy import make_url

from ficha.audit.log import Actor, note
from ficha.core.postgres_address import driver_url
from ficha.exchange.trusted_issuers import trusted_issuers
from proof.recovery import SETTINGS
from tests.deploy.test_files import judge, tool
from tests.project.documents import FENCE, HERE, PAGES, blocks
from tests.world import World, settings_for

DOCS = HERE / "docs"
NODES = DOCS / "high-availability.md"


def test_each_block_is_tried_somewhere() -> None:
    """What is of a shell: test_documented_commands.py."""
    found = Counter(
        f"{page.name} {kind}" for page in PAGES for kind, _ in FENCE.findall(page.read_text()) if kind != "sh"
    )
    assert found == {
        "high-availability.md ": 4,  # HAProxy and an address, below; the archive, twice.
        "high-availability.md yaml": 1,
        "high-availability.md ini": 1,  # These two: tests/server/test_pooler.py.
        "high-availability.md sql": 1,
        "console.md sql": 1,
        "health-viewer.md json": 1,
        "webhooks.md json": 1,  # tests/webhooks/test_webhooks.py
        "webhooks.md python": 1,
        "README.md python": 1,  # tests/openapi
        "README.md ts": 1,
        "CONTRIBUTING.md python": 8,  # tests/project/test_contributing.py
        "CONTRIBUTING.md ": 1,  # The map: the same.
        "benchmarks.md ": 1,  # Of a shell too.
    }


def block(start: str) -> str:
    [found] = [text for text in blocks(NODES, "") if text.startswith(start)]
    return found


def test_haproxy_takes_the_three_nodes(tmp_path: Path) -> None:
    (tmp_path / "haproxy.cfg").write_text(block("listen primary"))
    judge(tool("haproxy", "apt-get install haproxy"), "-c", "-f", tmp_path / "haproxy.cfg")


def test_an_address_of_several_hosts_is_one() -> None:
    name, _, address = block("FICHA_DATABASE_URL").strip().partition("=")
    url = make_url(driver_url(address.replace("…", "secreta")))
    assert name == "FICHA_DATABASE_URL" and url.query["target_session_attrs"] == "read-write"
    assert url.query["host"] == "10.0.0.1,10.0.0.2,10.0.0.3"


def test_patroni_is_told_in_yaml() -> None:
    [told] = blocks(NODES, "yaml")
    assert yaml.safe_load(told)["bootstrap"]["dcs"]["synchronous_mode_strict"] is True


def test_the_archive_is_the_one_of_the_proof() -> None:
    """`proof/recovery.py` archives and restores with it."""
    assert block("archive_mode").splitlines()[2] in SETTINGS.format(archive="/archive").splitlines()
    assert block("restore_command").splitlines()[0] == "restore_command = 'cp /archive/%f %p'"


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_who_was_shown_which_rules_is_found(world: World) -> None:
    at = datetime(2026, 11, 18, 10, tzinfo=UTC)
    with world.parts.database.writing() as tx:
        note(tx, 7, Actor("tag"), "record.read", ["salud", "rules:2.0.0/1.0.0+7"], at, via="tag")
        note(tx, 7, Actor("account", 1), "record.read", ["salud"], at)
    [statement] = blocks(DOCS / "console.md", "sql")
    url = make_url(world.parts.settings.database).set(drivername="postgresql")
    with psycopg.connect(url.render_as_string(hide_password=False)) as connection:
        [row] = connection.execute(statement.encode()).fetchall()
    assert row[0] == 7 and row[3] == "rules:2.0.0/1.0.0+7"


def test_a_directory_of_issuers_is_read(tmp_path: Path) -> None:
    [told] = blocks(DOCS / "health-viewer.md", "json")
    (tmp_path / "issuers.json").write_text(told)
    found = trusted_issuers(settings_for("", tmp_path, trusted_issuers_file=tmp_path / "issuers.json"))
    assert found.names["https://cards.ministry.example"] == "Ministerio de Salud"
