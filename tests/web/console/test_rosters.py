"""A roster uploaded in the console: tried first, imported when somebody agrees, and told row by row."""

from datetime import timedelta
from pathlib import Path

import pytest
from httpx2 import Response
from sqlalchemy import func, select

from ficha.accounts.accounts import Role
from ficha.accounts.tokens import MAX_ID
from ficha.administration.admin_changes import admin_changes
from ficha.institutions.members import Member
from ficha.institutions.roster_import import import_roster
from ficha.institutions.roster_uploads import RosterUpload, forget_old_uploads
from ficha.messaging.files import FilePiece, KeptFile
from tests.institutions.roster_files import pupil, write_csv, write_xlsx
from tests.web.console.test_institutions import new_school
from tests.web.portal.page_session import TOKEN, PageUser, logged_in
from tests.world import World

PAGE = "/admin/instituciones/san-luis/nominas"


@pytest.fixture
def admin(world: World) -> PageUser:
    return logged_in(world, world.somebody_with(Role.ADMIN))


def upload(user: PageUser, content: bytes, page: str = PAGE, token: str | None = None) -> Response:
    found = TOKEN.search(user.get(page).text)
    assert found is not None
    return user.client.post(
        page,
        data={"_token": found.group(1) if token is None else token},
        files={"nomina": ("nomina.csv", content, "text/csv")},
        follow_redirects=False,
    )


def members(world: World) -> int:
    with world.parts.database.reading() as tx:
        return tx.orm.scalar(select(func.count()).select_from(Member)) or 0


def test_a_roster_is_tried_then_imported_and_a_second_time_changes_nothing(
    world: World, admin: PageUser, tmp_path: Path
) -> None:
    school = new_school(world, "san-luis", "Colegio San Luis")
    new_school(world, "bolivar", "Liceo Bolívar")
    bad = list(pupil(40))
    bad[4] = "ayer"
    rows = [*(pupil(number) for number in range(30)), tuple(bad)]
    content = write_csv(tmp_path / "n.csv", rows).read_bytes()
    sent = upload(admin, content)
    assert (sent.status_code, sent.headers["location"].partition("?")[0]) == (303, f"{PAGE}/1")
    waiting = admin.get(f"{PAGE}/1")
    assert "se está probando" in waiting.text and waiting.headers["refresh"] == "3"
    world.run_jobs()
    tried = admin.get(f"{PAGE}/1")
    assert "nada ha cambiado" in tried.text and "refresh" not in tried.headers
    assert "<h3>Fila 32: Ana 40 Pérez</h3>" in tried.text and "A-40" in tried.text and members(world) == 0
    assert "Columna «Fecha de nacimiento»: " in tried.text and "Dice «ayer». Día, mes y año" in tried.text
    assert "Column “Date of birth”: " in admin.get(f"{PAGE}/1?l=en").text
    # As if a process had been killed half-way: its first rows are there, and the job runs again.
    part = write_csv(tmp_path / "part.csv", rows[:25])
    parts = world.parts
    import_roster(parts.database, school, part, parts.keyring, parts.secrets, parts.clock, dry_run=False)
    left = parts.settings.data_dir / "nominas" / "1" / "nomina.xlsx"
    left.parent.mkdir()
    left.write_bytes(content)
    assert admin.submit(f"{PAGE}/1").status_code == 303
    assert admin.submit(PAGE, to=f"{PAGE}/1").status_code == 409, "twice"
    world.run_jobs()
    done = admin.get(f"{PAGE}/1").text
    assert "importada" in done and members(world) == 30
    assert not left.parent.exists(), "nothing is left in clear"
    with parts.database.reading() as tx:
        found = tx.orm.get_one(RosterUpload, 1)
        assert {name: count for name, count in found.counts.items() if count} == {
            "created": 5,
            "unchanged": 25,
            "refused": 1,
        }
        assert not tx.orm.scalars(select(KeptFile)).all() and not tx.orm.scalars(select(FilePiece)).all()
        noted = [change.action for change in admin_changes(tx, before_id=MAX_ID, limit=9, kind="roster")]
    assert noted == ["imported", "uploaded"]
    assert upload(admin, write_xlsx(tmp_path / "n.xlsx", rows[:30]).read_bytes()).status_code == 303
    world.run_jobs()
    again = admin.get(f"{PAGE}/2").text
    assert "<dt>siguen igual</dt><dd>30</dd>" in again and "<dt>nuevas</dt><dd>0</dd>" in again
    # Each institution's own.
    assert admin.get(f"{PAGE}/2".replace("san-luis", "bolivar")).status_code == 404
    assert admin.submit(PAGE, to=f"{PAGE}/2".replace("san-luis", "bolivar")).status_code == 404
    assert "nominas/2" not in admin.get(PAGE.replace("san-luis", "bolivar")).text
    with parts.database.writing() as tx:
        forget_old_uploads(tx, world.clock.now() + timedelta(days=8))
    assert admin.get(f"{PAGE}/2").status_code == 404 and admin.get(f"{PAGE}/1").status_code == 200


def test_what_is_no_roster_is_told(world: World, admin: PageUser) -> None:
    new_school(world, "san-luis", "Colegio San Luis")
    empty = upload(admin, b"")
    assert empty.status_code == 422 and "Elija un archivo" in empty.text
    assert admin.submit(PAGE).status_code == 422
    assert upload(admin, b"x", token="ajeno").status_code == 419
    upload(admin, b"PK\x03\x04 nada")
    world.run_jobs()
    page = admin.get(f"{PAGE}/1")
    assert "no se puede leer" in page.text and "El libro está dañado" in page.text
    with world.parts.database.reading() as tx:
        assert tx.orm.scalars(select(KeptFile)).all() == []
