"""Enrolling many people at once, as the roster does it."""

from dataclasses import replace

import pytest
from sqlalchemy import func, select

from ficha.administration.admin_changes import OPERATOR
from ficha.audit.verify_entries import verify_all
from ficha.enrolment.new_institution import create_institution
from ficha.fmd.records import Record
from ficha.fmd.stored_documents import stored_documents
from ficha.institutions.enrol import Enrolled, EnrolOutcome, NotEnrolled, enrol_people
from ficha.institutions.institution import InstitutionFacts
from ficha.institutions.members import Member, find_members, lookups_of
from ficha.institutions.person_to_enrol import EnrolContext, PersonToEnrol
from ficha.products.product import Product
from tests.statement_counter import count_statements
from tests.world import World


@pytest.fixture
def school(world: World) -> InstitutionFacts:
    return new_school(world, "colegio-san-luis")


def new_school(world: World, slug: str) -> InstitutionFacts:
    with world.parts.database.writing() as tx:
        return create_institution(tx, slug, "Colegio San Luis", OPERATOR, world.parts.keyring, world.clock.now())


def pupil(number: int, **changes: object) -> PersonToEnrol:
    documents = {
        "personal": {"nombres": f"Ana {number}", "apellidos": "Pérez", "documento_numero": f"V-31.555.{number:03}"},
        "estudiante": {"grado": "3.er año", "matricula": f"2026-{number}"},
        "representante": {"nombre": "María Rojas", "relacion": "madre", "correo": f"maria{number}@ejemplo.com"},
    }
    return replace(PersonToEnrol(f"alumno-{number}", documents=documents), **changes)  # type: ignore[arg-type]


def enrol(world: World, school: InstitutionFacts, *people: PersonToEnrol) -> list[Enrolled | NotEnrolled]:
    with world.parts.database.writing() as tx:
        return enrol_people(
            tx, EnrolContext(school, world.parts.keyring, world.parts.secrets, world.clock.now()), people
        )


def outcomes(results: list[Enrolled | NotEnrolled]) -> list[EnrolOutcome | None]:
    return [result.outcome if isinstance(result, Enrolled) else None for result in results]


def test_many_are_enrolled_with_record_code_and_log(world: World, school: InstitutionFacts) -> None:
    results = enrol(world, school, *map(pupil, range(30)))
    assert outcomes(results) == [EnrolOutcome.CREATED] * 30
    with world.parts.database.reading() as tx:
        for number, result in enumerate(results):
            assert isinstance(result, Enrolled)
            product = tx.orm.get_one(Product, result.bp_code)
            record = tx.orm.get_one(Record, product.record_id)
            stored = stored_documents(tx, record.id, record.open_key(world.parts.keyring))
            assert (product.is_bp, product.tag_hash, record.account_id, record.version) == (True, None, None, 1)
            assert stored["personal"].document["nombres"] == f"Ana {number}"
            assert set(stored) == {"personal", "estudiante", "representante"}
            assert record.stored_bytes > 200
        assert verify_all(tx, lambda _count: None) == []


def test_the_same_again_changes_nothing(world: World, school: InstitutionFacts) -> None:
    first = enrol(world, school, *map(pupil, range(5)))
    before = world.rows()
    again = enrol(world, school, *map(pupil, range(5)))
    assert outcomes(again) == [EnrolOutcome.UNCHANGED] * 5
    assert [replace(each, outcome=EnrolOutcome.CREATED) for each in again if isinstance(each, Enrolled)] == first
    assert world.rows() == before


def test_statements_do_not_grow_with_the_people(world: World, school: InstitutionFacts) -> None:
    counts = []
    for people in ([pupil(1)], [pupil(number) for number in range(2, 60)]):
        with count_statements(world.parts.database) as counted:
            enrol(world, school, *people)
        counts.append(counted.texts)
    few = {text for text in counts[1] if "INSERT" not in text.upper()}
    assert len(few) <= 12, few


def test_one_that_is_wrong_stops_no_other(world: World, school: InstitutionFacts) -> None:
    bad = (
        pupil(2, documents={"personal": {"nombres": "Sin apellido"}}),
        pupil(3, documents={"salud": {}}),
        PersonToEnrol("alumno-4"),
        PersonToEnrol("alumno-5", nombre="Ana", cod_telefono="+58", telefono="1"),
        PersonToEnrol("alumno-6", nombre="Ana", telefono="4125551111"),
    )
    results = enrol(world, school, pupil(1), *bad, pupil(7))
    assert outcomes(results) == [EnrolOutcome.CREATED, None, None, None, None, None, EnrolOutcome.CREATED]
    codes = [result.error.problems[0].source for result in results if isinstance(result, NotEnrolled)]
    assert [source.name if source else "" for source in codes] == [
        "/personal/apellidos",
        "/salud",
        "/nombre",
        "/telefono",
        "/telefono",
    ]


def test_a_name_that_comes_twice_is_one_person(world: World, school: InstitutionFacts) -> None:
    changed = pupil(1, documents={"estudiante": {"grado": "4.º año"}})
    results = enrol(world, school, pupil(1), pupil(2), changed, pupil(1))
    assert outcomes(results) == [EnrolOutcome.CREATED, EnrolOutcome.CREATED, EnrolOutcome.CHANGED, EnrolOutcome.CHANGED]
    assert len({result.member_id for result in results if isinstance(result, Enrolled)}) == 2


def test_what_nobody_has_accepted_is_changed_as_given(world: World, school: InstitutionFacts) -> None:
    [made] = enrol(world, school, pupil(1))
    world.run_jobs()
    [changed] = enrol(world, school, pupil(1, documents={"estudiante": {"grado": "4.º año"}}))
    assert isinstance(made, Enrolled) and isinstance(changed, Enrolled)
    assert (changed.outcome, changed.bp_code) == (EnrolOutcome.CHANGED, made.bp_code)
    with world.parts.database.reading() as tx:
        member = tx.orm.get_one(Member, made.member_id)
        record = tx.orm.get_one(Record, member.record_id)
        stored = stored_documents(tx, record.id, record.open_key(world.parts.keyring))
    assert stored["estudiante"].document == {"grado": "4.º año", "matricula": "2026-1"}
    assert not member.invite_due  # Whom to ask has not changed, and she was asked.


def test_people_are_found_within_their_institution_only(world: World, school: InstitutionFacts) -> None:
    other = new_school(world, "otro")
    enrol(world, school, pupil(1), pupil(2))
    with world.parts.database.reading() as tx:
        secrets = world.parts.secrets
        for institution, expected in ((school, ["alumno-1"]), (other, [])):
            asked = lookups_of(
                secrets, institution.id, documento="v31555001", correo="MARIA1@ejemplo.com", telefono_e164=None
            )
            found = find_members(tx, institution.id, [asked])
            assert [match.external_id for match in found] == expected
    [theirs] = enrol(world, other, pupil(1))
    assert isinstance(theirs, Enrolled) and theirs.outcome is EnrolOutcome.CREATED
    with world.parts.database.reading() as tx:
        assert tx.orm.scalar(select(func.count()).select_from(Member)) == 3
