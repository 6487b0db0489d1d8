"""PgBouncer between the service and PostgreSQL: session mode works, and transaction mode is refused at the start."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import create_engine, make_url, text

from tests.databases import disconnect
from tests.ports import ReservedPort
from tests.processes import Server, environment, ficha
from tests.project.documents import HERE, blocks
from tests.waiting import eventually
from tests.world import registration

pytestmark = pytest.mark.parametrize("database_url", ["postgresql15"], indirect=True)
PAGE = HERE / "docs" / "high-availability.md"
PROGRAM = shutil.which("pgbouncer", path="/usr/sbin:/usr/local/sbin:/usr/local/bin:/usr/bin")


@contextmanager
def pgbouncer(database_url: str, mode: str, ignored: str = "options") -> Iterator[str]:
    """The address of the same database behind it."""
    if PROGRAM is None:
        pytest.skip("PgBouncer is not installed: apt-get install pgbouncer")
    disconnect(database_url)
    url = make_url(database_url)
    with ReservedPort() as port, tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pgbouncer.ini"
        file.write_text(
            f"[databases]\n* = host={url.query['host']} user={url.username}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n"
            f"listen_port = {port}\nunix_socket_dir =\nauth_type = any\npool_mode = {mode}\ndefault_pool_size = 60\n"
            f"ignore_startup_parameters = {ignored}\n"
        )
        Path(folder).chmod(0o755)
        user = "postgres" if os.getuid() == 0 else None
        process = subprocess.Popen([PROGRAM, "-q", str(file)], user=user, stderr=subprocess.DEVNULL)
        address = f"postgresql://{url.username}@127.0.0.1:{port}/{url.database}"

        def answers() -> bool:
            try:
                psycopg.connect(address).close()
            except psycopg.OperationalError:
                return False
            return True

        try:
            eventually(answers)
            yield address
        finally:
            process.terminate()
            process.wait(30)


@contextmanager
def settings_of_the_role(database_url: str) -> Iterator[None]:
    """As the page for operators says."""
    engine = create_engine(database_url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        [told] = blocks(PAGE, "sql")
        for statement in told.strip().splitlines():
            connection.execute(text(statement.replace(" ficha ", " CURRENT_USER ")))
        yield
        connection.execute(text("ALTER ROLE CURRENT_USER RESET ALL"))
    engine.dispose()


@pytest.mark.parametrize(
    ("mode", "ignored", "told"),
    [
        ("transaction", "options", "pool_mode = session"),
        ("session", "options", "ALTER ROLE"),
        ("session", "", "ignore_startup_parameters = options"),
    ],
)
def test_a_pooler_that_we_cannot_work_through_is_refused_at_the_start(
    database_url: str, tmp_path: Path, mode: str, ignored: str, told: str
) -> None:
    with pgbouncer(database_url, mode, ignored) as address:
        ended = ficha("serve", "--no-sandbox", env=environment(address, tmp_path / "data"), check=False)
    assert ended.returncode == 2 and told in " ".join(ended.stderr.split()), ended.stderr
    assert "Traceback" not in ended.stderr


def test_session_mode_is_served_and_heard(database_url: str, tmp_path: Path) -> None:
    """LISTEN among it: a mail is sent by a job."""
    assert blocks(PAGE, "ini") == ["[pgbouncer]\npool_mode = session\nignore_startup_parameters = options\n"]
    with (
        settings_of_the_role(database_url),
        pgbouncer(database_url, "session") as address,
        Server(address, tmp_path / "data", FICHA_JOBS_IN_SERVER="true") as server,
    ):
        for _ in range(8):  # More than the driver waits before it prepares a statement.
            made = server.post("/v2/auth/register", registration())
            assert made.status_code == 201
        assert server.get("/v2/auth/me", made.json()["data"]["attributes"]["token"]).status_code == 200
        correo = made.json()["data"]["attributes"]["correo"]
        assert server.post("/v2/auth/password/forgot", {"correo": correo}).status_code < 300
        eventually(lambda: list((tmp_path / "data" / "sandbox" / "mail").glob("*.eml")))
        assert "listen" not in server.log and '"status": 5' not in server.log
