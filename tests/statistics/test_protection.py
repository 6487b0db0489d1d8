"""How many records of an institution's people protect, and what is never told of few."""

import pytest
from sqlalchemy import insert, select

from ficha.accounts.accounts import Role
from ficha.fmd.records import RECORD_COLUMNS, RecordRow
from ficha.institutions.consents import decide
from ficha.institutions.institution import Institution, InstitutionFacts, institution_with
from ficha.institutions.members import Member
from ficha.jobs.queue import put
from ficha.jobs.runner import run_due
from ficha.statistics.floor import Untold
from ficha.statistics.jobs import COUNT_INSTITUTIONS
from ficha.statistics.protection import InstitutionProtection, Protection, members_who_lack, protection_of
from ficha.worker import kinds_of
from tests.emergencies.scenario import AlertSticker, EmergencyScenario, contact
from tests.web.portal.page_session import logged_in


@pytest.fixture
def school(scenario: EmergencyScenario) -> InstitutionFacts:
    service = scenario.world.somebody_with(Role.INSTITUTION)
    with scenario.database.writing() as tx:
        tx.orm.add(
            Institution(slug="colegio", name="Colegio", account_id=service.id, is_active=True, created_at=scenario.now)
        )
        tx.orm.flush()
        return institution_with(tx, "colegio")


def enrol(scenario: EmergencyScenario, school: InstitutionFacts, people: list[AlertSticker]) -> list[int]:
    now = scenario.now
    with scenario.database.writing() as tx:
        rows = [
            {
                "institution_id": school.id,
                "external_hash": each.record_id.to_bytes(32, "big"),
                "external_id": f"alumno-{each.record_id}",
                "record_id": each.record_id,
                "bp_code": each.code,
                "state": "accepted",
                "given_hash": bytes(32),
                "invite_due": False,
                "created_at": now,
                "changed_at": now,
            }
            for each in people
        ]
        return list(tx.orm.scalars(insert(Member).returning(Member.id, sort_by_parameter_order=True), rows))


def people_of(scenario: EmergencyScenario, protected: int, without_contact: int) -> list[AlertSticker]:
    whole = [scenario.sticker(contact()) for _ in range(protected)]
    return [*whole, *(scenario.sticker() for _ in range(without_contact))]


def counted(scenario: EmergencyScenario, school: InstitutionFacts) -> Protection | None:
    with scenario.database.writing() as tx:
        put(tx, COUNT_INSTITUTIONS, {})
    run_due(scenario.database, kinds_of(scenario.world.parts))
    with scenario.database.reading() as tx:
        return protection_of(tx, school.id)


def consent(
    scenario: EmergencyScenario, school: InstitutionFacts, member: int, who: AlertSticker, *, sees: bool
) -> None:
    with scenario.database.writing() as tx:
        record = RecordRow(*tx.orm.execute(select(*RECORD_COLUMNS).where(RECORD_COLUMNS[0] == who.record_id)).one())
        decide(tx, school, member, record, who.owner.id, scenario.now, sees=sees, edits=False)


def test_counts_say_how_many_protect_and_what_most_lack(scenario: EmergencyScenario, school: InstitutionFacts) -> None:
    people = people_of(scenario, 11, 12)
    members = enrol(scenario, school, people)
    found = counted(scenario, school)
    assert found is not None
    assert (found.people, found.protect) == (23, 11)
    assert next(iter(found.lacks.items())) == ("contact", 12)
    assert set(list(found.lacks.values())[1:]) == {Untold.FEW}
    staff = logged_in(scenario.world, scenario.world.somebody_with(Role.STAFF))
    page = staff.get("/admin/instituciones/colegio").text
    assert "11 de 23" in page and "menos de diez" in page
    # Single people only while they let the institution see their record.
    consent(scenario, school, members[-1], people[-1], sees=True)
    consent(scenario, school, members[0], people[0], sees=True)
    scenario.world.clock.move(days=8)
    assert counted(scenario, school) is not None
    with scenario.database.reading() as tx:
        [one] = members_who_lack(tx, school.id, limit=10)
    assert (one.member_id, one.bp_code, one.contact, one.sticker) == (members[-1], people[-1].code, True, False)
    consent(scenario, school, members[-1], people[-1], sees=False)
    with scenario.database.reading() as tx:
        assert members_who_lack(tx, school.id, limit=10) == []


def test_nothing_is_told_of_few(scenario: EmergencyScenario, school: InstitutionFacts) -> None:
    assert counted(scenario, school) is None
    enrol(scenario, school, people_of(scenario, 1, 2))
    scenario.world.clock.move(days=8)
    assert counted(scenario, school) is None, "nor of fewer than twenty in all"
    staff = logged_in(scenario.world, scenario.world.somebody_with(Role.STAFF))
    assert "menos de veinte" in staff.get("/admin/instituciones/colegio").text


@pytest.mark.parametrize(
    ("protecting", "lack_contact", "lack_sticker", "protect", "contact_told"),
    [
        (85, 15, 4, 85, 15),
        # Fifteen do not protect, and twelve lack a contact: the others lack what fewer than ten do.
        (85, 12, 5, None, 12),
        (95, 5, 0, Untold.ALL_BUT_FEW, Untold.FEW),
        (3, 97, 0, Untold.FEW, Untold.ALL_BUT_FEW),
    ],
)
def test_a_number_is_left_out_where_it_would_tell_of_fewer_than_ten(
    scenario: EmergencyScenario,
    school: InstitutionFacts,
    protecting: int,
    lack_contact: int,
    lack_sticker: int,
    protect: object,
    contact_told: object,
) -> None:
    with scenario.database.writing() as tx:
        tx.orm.add(
            InstitutionProtection(
                institution_id=school.id,
                people=100,
                protect=protecting,
                lack_name=0,
                lack_contact=lack_contact,
                lack_sticker=lack_sticker,
                lack_severity=0,
                counted_at=scenario.now,
            )
        )
    with scenario.database.reading() as tx:
        found = protection_of(tx, school.id)
    assert found is not None
    assert (found.protect, found.lacks["contact"]) == (protect, contact_told)


def test_a_count_is_not_renewed_where_fewer_than_ten_joined_or_left(
    scenario: EmergencyScenario, school: InstitutionFacts
) -> None:
    enrol(scenario, school, people_of(scenario, 11, 10))
    first = counted(scenario, school)
    assert first is not None and first.people == 21
    scenario.world.clock.move(days=8)
    enrol(scenario, school, people_of(scenario, 1, 0))
    assert counted(scenario, school) == first, "the difference would be hers"
    enrol(scenario, school, people_of(scenario, 5, 4))
    second = counted(scenario, school)
    assert second is not None and second.people == 31
