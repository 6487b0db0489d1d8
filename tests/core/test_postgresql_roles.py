"""The roles of docs/postgresql/roles.sql: the service has all that it needs, and cannot touch what only grows."""

import os
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url, update

from ficha.accounts.accounts import Role
from ficha.audit.jobs import ANCHOR
from ficha.audit.verify_log import verify_log
from ficha.emergencies.emergency import Emergency
from ficha.statistics.jobs import COUNT_DAYS, COUNT_INSTITUTION, PUBLISH_MONTHS
from tests.api.fmd.test_fmd import fmd
from tests.exchange.health_links.links import ask, share
from tests.exchange.imports.test_imports import ALLERGY, bundle, decide, import_document
from tests.institutions.test_enrol import new_school
from tests.kept_connections import KEPT
from tests.processes import environment, ficha
from tests.web.sticker.sticker import sticker_of
from tests.world import CLAVE, Person, World, build_world, registration, settings_for

SHIPPED = Path(__file__).parents[2] / "docs" / "postgresql" / "roles.sql"
ROLE = f"ficha_service_{os.getpid()}"
FORBIDDEN = (
    "CREATE TABLE mine (id integer)",
    "CREATE TEMPORARY TABLE mine (id integer)",
    "ALTER TABLE accounts ADD COLUMN mine integer",
    "ALTER TABLE audit_entries DISABLE TRIGGER ALL",
    "DROP TRIGGER audit_entries_append_only ON audit_entries",
    "UPDATE audit_entries SET actor = 'nobody'",
    "DELETE FROM audit_entries",
    "TRUNCATE audit_entries",
    "UPDATE audit_anchors SET number = 7",
    "DELETE FROM admin_changes",
    "UPDATE code_ledger SET id = id",
    "UPDATE alembic_version SET version_num = 'none'",
    "SET session_replication_role = replica",
    "SET log_error_verbosity = 'verbose'",
)


@pytest.fixture
def role_url(database_url: str) -> Iterator[str]:
    """The database as the restricted role opens it."""
    server = make_url(database_url).set(drivername="postgresql")
    with psycopg.connect(server.render_as_string(hide_password=False), autocommit=True) as admin:
        row = admin.execute("SELECT tableowner FROM pg_tables WHERE tablename = 'accounts'").fetchone()
        assert row is not None
        script = SHIPPED.read_text().replace("ficha_service", ROLE).replace("ficha_owner", f'"{row[0]}"')
        for _ in range(2):
            admin.execute(script)
        admin.execute(f"ALTER ROLE {ROLE} PASSWORD 'ficha'")
        yield server.set(username=ROLE, password="ficha").render_as_string(hide_password=False)
        KEPT.close()
        admin.execute(f"DROP OWNED BY {ROLE}")
        admin.execute(f"DROP ROLE {ROLE}")


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_a_whole_story_with_the_role_of_the_service(role_url: str, tmp_path: Path) -> None:
    world = build_world(settings_for(role_url, tmp_path / "data"))
    world.listen()
    _live(world)
    _is_refused(role_url)
    world.close()
    _backs_up(role_url, tmp_path)


def _live(world: World) -> None:
    """Somebody joins, is scanned and alerted for, and leaves; the log of it is whole."""
    sticker = sticker_of(world)
    assert sticker.scan().status_code == 200
    assert sticker.alert().status_code == 303
    broken = {"quien": "Dra. Gil", "motivo": "Caída"}
    assert world.reader.post(f"{sticker.path}/mas", data=broken, follow_redirects=False).status_code == 303
    assert world.reader.post(f"{sticker.path}/mensaje", data={"mensaje": "Está despierta"}).status_code == 200
    world.drain_reads()
    world.run_jobs()
    owner = sticker.owner
    _exchange(world, owner)
    _be_staff(world)
    assert owner.get(f"/v2/fmd/{sticker.code}/export").status_code == 200
    assert owner.get("/v2/generators/qr", params={"code": sticker.code, "format": "png"}).status_code == 200
    assert world.login(owner.correo).status_code == 200
    assert world.client.get("/e/offline").status_code == world.client.get("/health").status_code == 200
    world.do(ANCHOR)
    assert owner.delete("/v1/local/data", {"clave": CLAVE}).status_code in (200, 204)
    world.run_jobs()
    assert verify_log(world.parts.database, world.parts.secrets, world.clock.now(), (), lambda _: None) == []
    assert world.client.post("/v2/auth/register", json=registration()).status_code == 201


def _exchange(world: World, owner: Person) -> None:
    """A card is issued and revoked, a link opened and ended, and a hospital's file taken over."""
    assert owner.get(fmd(owner, "/health-card")).status_code == 200
    [card] = owner.get(fmd(owner, "/health-cards")).json()["data"]
    assert owner.delete(fmd(owner, f"/health-cards/{card['id']}")).status_code == 200
    link = share(world, owner)
    assert ask(world.client, link).status_code == 200
    assert owner.delete(fmd(owner, f"/links/{link.id}")).status_code == 200
    assert decide(owner, import_document(owner, bundle(ALLERGY)), "accept").status_code == 200


def _be_staff(world: World) -> None:
    """The emergency is looked after, an institution is made, and everything is counted."""
    with world.parts.database.writing() as tx:
        tx.orm.execute(update(Emergency).values(staff_at=world.clock.now()))
    staff = world.somebody_with(Role.STAFF)
    [emergency] = staff.get("/v2/emergencies").json()["data"]
    path = f"/v2/emergencies/{emergency['id']}"
    assert staff.post(f"{path}/take").status_code == 200
    assert staff.post(f"{path}/notes", {"texto": "La vecina abrió la puerta"}).status_code == 201
    assert staff.post(f"{path}/notes/1/open", {"motivo": "Sigo con la emergencia"}).status_code == 200
    assert staff.post(f"{path}/hand-back", {"motivo": "Termina mi turno"}).status_code == 200
    school = new_school(world, "colegio")
    world.do(COUNT_DAYS)
    world.do(PUBLISH_MONTHS)
    world.do(COUNT_INSTITUTION, institution_id=school.id)


def _backs_up(role_url: str, tmp_path: Path) -> None:
    """The drill makes tables, and is the owner's."""
    env = environment(role_url, tmp_path / "data")
    ficha("backup", "--to", str(tmp_path / "backup.zip"), env=env)
    refused = ficha("backup", "drill", env=env, check=False)
    assert refused.returncode == 2 and "Whoever owns the database may" in refused.stderr


def _is_refused(role_url: str) -> None:
    with psycopg.connect(role_url, autocommit=True) as service:
        assert service.execute("SHOW log_error_verbosity").fetchone() == ("terse",)
        for statement in FORBIDDEN:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                service.execute(statement)
