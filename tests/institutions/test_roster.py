"""Rosters: who is enrolled, who is doubtful, who is refused; and that the same again changes nothing."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from sqlalchemy import select, update

from ficha.administration.admin_changes import OPERATOR
from ficha.audit.log import Actor
from ficha.enrolment.erasure import erase_account
from ficha.fmd.records import Record
from ficha.institutions import roster_import
from ficha.institutions.institution import InstitutionFacts
from ficha.institutions.members import Member
from ficha.institutions.person_to_enrol import EnrolContext
from ficha.institutions.roster_doubts import DoubtReason, DoubtUnknown, RosterDoubt, decide_doubt, waiting_doubts
from ficha.institutions.roster_import import import_roster
from ficha.institutions.roster_rows import RosterReport, RowOutcome
from tests.institutions.roster_files import TITLES, pupil, write_csv, write_xlsx
from tests.institutions.test_enrol import new_school
from tests.world import World

Import = Callable[..., RosterReport]


@pytest.fixture
def school(world: World) -> InstitutionFacts:
    return new_school(world, "colegio-san-luis")


@pytest.fixture
def run(world: World, school: InstitutionFacts, tmp_path: Path) -> Import:
    """Imports these rows."""

    def run(
        rows: Sequence[Sequence[str]],
        titles: Sequence[str] = TITLES,
        *,
        dry: bool = False,
        into: InstitutionFacts = school,
    ) -> RosterReport:
        file = write_csv(tmp_path / "roster.csv", rows, titles)
        parts = world.parts
        return import_roster(parts.database, into, file, parts.keyring, parts.secrets, world.clock, dry_run=dry)

    return run


def context_of(world: World, school: InstitutionFacts) -> EnrolContext:
    return EnrolContext(school, world.parts.keyring, world.parts.secrets, world.clock.now())


def members(world: World) -> dict[str, tuple[int, bytes]]:
    with world.parts.database.reading() as tx:
        return {row.external_id or "": (row.record_id, row.given_hash) for row in tx.orm.scalars(select(Member))}


def counts(report: RosterReport) -> dict[str, int]:
    return {outcome.value: count for outcome, count in report.counts.items()}


def test_a_roster_is_tried_imported_and_the_same_again_changes_nothing(world: World, run: Import) -> None:
    rows = [pupil(number) for number in range(60)]
    before = world.rows()
    assert counts(run(rows, dry=True)) == {"created": 60} and world.rows() == before
    assert counts(run(rows)) == {"created": 60}
    after, found = world.rows(), members(world)
    assert after["institution_members"] == 60 and after["records"] == before["records"] + 60
    assert counts(run(rows)) == {"unchanged": 60}
    assert counts(run(rows, dry=True)) == {"unchanged": 60}
    assert (world.rows(), members(world)) == (after, found)
    changed = [*rows[:-1], (*rows[-1][:5], "4.º año", *rows[-1][6:])]
    assert counts(run(changed)) == {"unchanged": 59, "changed": 1}


def test_a_workbook_is_the_same_roster(world: World, run: Import, school: InstitutionFacts, tmp_path: Path) -> None:
    rows = [pupil(number) for number in range(5)]
    run(rows)
    file, parts = write_xlsx(tmp_path / "roster.xlsx", rows), world.parts
    again = import_roster(parts.database, school, file, parts.keyring, parts.secrets, world.clock, dry_run=False)
    assert counts(again) == {"unchanged": 5}


def test_a_row_that_fails_stops_no_other_and_says_why(world: World, run: Import) -> None:
    good = [pupil(number) for number in range(3)]
    bad = [
        ("B-1", "Ana", "Pérez", "=cmd|' /C calc'!A0", "", "", "", "", "", ""),
        ("B-2", "Ana", "", "", "", "", "", "", "", ""),
        ("B-3", "Ana", "Pérez", "", "2999-01-01", "", "", "", "", ""),
        ("B-4", "Ana", "Pérez", "", "", "", "María", "madre", "no es correo", ""),
        (*pupil(1)[:1], "Otra", "Pérez", *[""] * 7),
        ("B-6", "Otra", "Pérez", pupil(2)[3], *[""] * 6),
        ("", "Sin", "Nada", *[""] * 7),
    ]
    report = run([good[0], *bad[:4], good[1], good[2], *bad[4:]])
    assert counts(report) == {"created": 3, "refused": 7}
    reasons = {result.number: " ".join(reason.in_words() for reason in result.reasons) for result in report.told}
    assert "«Número de documento»" in reasons[3] and "fórmula" in reasons[3]
    assert reasons[4] == "Columna «Apellidos»: Este campo es obligatorio."
    assert "«Fecha de nacimiento»" in reasons[5] and "Dice «2999-01-01»." in reasons[5] and "31/05/2012" in reasons[5]
    assert "«Correo del representante»" in reasons[6] and "Dice «no es correo»." in reasons[6]
    assert reasons[9] == "Columna «Código en la institución»: Repite el de la fila 7."
    assert reasons[10] == "Columna «Número de documento»: Repite el de la fila 8."
    assert [result.nombre for result in report.told if result.number in (3, 4, 9)] == ["Ana Pérez", "Ana", "Otra Pérez"]
    assert "Falta con qué reconocer" in reasons[11]
    assert world.rows()["institution_members"] == 3


def test_without_a_name_of_the_institution_a_document_finds_the_person(world: World, run: Import) -> None:
    run([pupil(1)])
    titles = ("nombres", "apellidos", "cedula", "grado")
    row = ("Ana 1", "Pérez", "v31000001", "5.º año")
    assert counts(run([row], titles)) == {"changed": 1}
    assert counts(run([row], titles)) == {"unchanged": 1}
    assert counts(run([("Luis", "Rojas", "V-9", "")], titles)) == {"created": 1}
    assert counts(run([("Luis", "Rojas", "V-9", "")], titles)) == {"unchanged": 1}
    assert len(members(world)) == 2


def test_somebody_else_s_mother_is_no_doubt_but_the_same_name_is(world: World, run: Import) -> None:
    titles = ("external_id", "nombre", "correo")
    rows = [
        ("1", "Ana Pérez", "m@ejemplo.com"),
        ("2", "Luis Pérez", "m@ejemplo.com"),
        ("3", "PEREZ, Ana", "m@ejemplo.com"),
    ]
    report = run(rows, titles)
    assert counts(report) == {"created": 2, "doubtful": 1}
    assert report.told[0].number == 4 and "mismo nombre" in report.told[0].reasons[0].detail
    after = world.rows()
    assert after["roster_doubts"] == 1
    assert counts(run(rows, titles)) == {"unchanged": 2, "doubtful": 1} and world.rows() == after


@pytest.mark.parametrize("is_same", [True, False])
def test_a_doubt_is_decided_once_and_for_the_next_roster_too(
    world: World, run: Import, school: InstitutionFacts, is_same: bool
) -> None:
    run([pupil(1)])
    other = ("Z-1", *pupil(1)[1:5], "6.º año", *pupil(1)[6:])
    assert counts(run([other])) == {"doubtful": 1}
    parts = world.parts
    with parts.database.writing() as tx:
        [doubt] = waiting_doubts(tx, school.id, parts.secrets)
        assert (doubt.reason, doubt.person.external_id, doubt.member_external_id) == (
            DoubtReason.SAME_DOCUMENT,
            "Z-1",
            "A-1",
        )
        other_school = new_school_facts(world, tx)
        with pytest.raises(DoubtUnknown):
            decide_doubt(tx, context_of(world, other_school), doubt.id, OPERATOR, is_same=True)
    with parts.database.writing() as tx:
        made = decide_doubt(tx, context_of(world, school), doubt.id, OPERATOR, is_same=is_same)
    assert made is not None and made.external_id == ("A-1" if is_same else "Z-1")
    assert len(members(world)) == (1 if is_same else 2)
    with parts.database.reading() as tx:
        assert waiting_doubts(tx, school.id, parts.secrets) == []
    assert counts(run([other])) == {"unchanged": 1}
    assert counts(run([(*other[:5], "7.º año", *other[6:])])) == {"changed": 1}


def new_school_facts(world: World, tx: object) -> InstitutionFacts:
    """Another institution, which has nothing to do with it."""
    return InstitutionFacts(999, "otro", "Otro", None, True)


def test_a_name_that_is_another_s_is_a_doubt(world: World, run: Import, school: InstitutionFacts) -> None:
    run([pupil(1)])
    wrong = ("A-1", "Eva", "Díaz", "V-77", *[""] * 6)
    assert counts(run([wrong])) == {"doubtful": 1}
    parts = world.parts
    with parts.database.writing() as tx:
        [doubt] = waiting_doubts(tx, school.id, parts.secrets)
        assert doubt.reason is DoubtReason.OTHER_DOCUMENT
        assert not decide_doubt(tx, context_of(world, school), doubt.id, OPERATOR, is_same=False)
    report = run([wrong])
    assert counts(report) == {"refused": 1} and "Dele uno propio" in report.told[0].reasons[0].detail


def test_a_doubtful_row_is_sealed_and_goes_with_the_record_it_may_be_about(world: World, run: Import) -> None:
    run([pupil(1)])
    run([("Z-1", "Zanahoria", *pupil(1)[2:])])
    owner = world.register()
    with world.parts.database.writing() as tx:
        [row] = tx.orm.scalars(select(RosterDoubt)).all()
        assert row.sealed is not None and b"Zanahoria" not in row.sealed
        [member] = tx.orm.scalars(select(Member)).all()
        tx.orm.execute(update(Record).where(Record.id == member.record_id).values(account_id=owner.id))
    with world.parts.database.writing() as tx:
        erase_account(tx, world.parts.keyring, owner.id, Actor("account", owner.id), world.clock.now())
    assert world.rows()["roster_doubts"] == 0
    # Whoever has erased herself is not enrolled anew.
    assert counts(run([pupil(1)])) == {"unchanged": 1}


def test_two_institutions_know_nothing_of_each_other(world: World, run: Import) -> None:
    other = new_school(world, "otro-colegio")
    run([pupil(1)])
    assert counts(run([pupil(1)], into=other)) == {"created": 1}
    assert counts(run([("Z-9", *pupil(1)[1:])], into=other)) == {"doubtful": 1}
    with world.parts.database.reading() as tx:
        [doubt] = waiting_doubts(tx, other.id, world.parts.secrets)
    assert doubt.member_external_id == "A-1" and doubt.person.external_id == "Z-9"


def test_interrupted_anywhere_and_run_again_it_ends_as_in_one_go(
    world: World, run: Import, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(roster_import, "BATCH", 4)
    rows = [*(pupil(number) for number in range(10)), ("Z-1", *pupil(1)[1:]), ("Z-2", "=x", *[""] * 8)]
    run(rows[:6])
    report = run(rows)
    assert counts(report) == {"unchanged": 6, "created": 4, "refused": 2}
    assert set(members(world)) == {f"A-{number}" for number in range(10)}
    assert report.counts[RowOutcome.REFUSED] == 2
