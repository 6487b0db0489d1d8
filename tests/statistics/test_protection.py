"""How many records of an institution's people protect, and what is never told of few."""

import pytest
from sqlalchemy import insert, select, update

from ficha.accounts.accounts import Role
from ficha.fmd.records import RECORD_COLUMNS, RecordRow
from ficha.institutions.consents import CONSENT_VERSION, Consent, decide
from ficha.institutions.institution import Institution, InstitutionFacts, institution_with
from ficha.institutions.members import Member
from ficha.jobs.queue import put
from ficha.statistics.jobs import COUNT_INSTITUTIONS
from ficha.statistics.protection import ProtectionFigure, is_marked, protection_of
from ficha.statistics.small_counts import Published, Withheld
from ficha.worker import kinds_of
from tests.emergencies.scenario import AlertSticker, EmergencyScenario, contact
from tests.run_due import run_due
from tests.web.portal.page_session import logged_in

Numbers = tuple[int, Published, Published]


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
        members = list(tx.orm.scalars(insert(Member).returning(Member.id, sort_by_parameter_order=True), rows))
        refused = {"version": CONSENT_VERSION, "sees": False, "edits": False, "via": "owner", "at": now}
        given = [
            refused | {"member_id": member, "record_id": each.record_id, "account_id": each.owner.id}
            for member, each in zip(members, people, strict=True)
        ]
        tx.orm.execute(insert(Consent), given)
        return members


def marked(scenario: EmergencyScenario) -> list[int]:
    with scenario.database.reading() as tx:
        return list(tx.orm.scalars(select(Member.id).where(is_marked())))


def people_of(scenario: EmergencyScenario, protected: int, without_contact: int) -> list[AlertSticker]:
    whole = [scenario.sticker(contact()) for _ in range(protected)]
    return [*whole, *(scenario.sticker() for _ in range(without_contact))]


def told(scenario: EmergencyScenario, school: InstitutionFacts) -> dict[bool, Numbers]:
    """By group: people of whom the first is told, how many protect, how many lack a contact."""
    with scenario.database.reading() as tx:
        groups = protection_of(tx, school.id)
    return {each.is_open: (each.protect.people, each.protect.number, each.lacks["contact"].number) for each in groups}


def counted(scenario: EmergencyScenario, school: InstitutionFacts) -> dict[bool, Numbers]:
    with scenario.database.writing() as tx:
        put(tx, COUNT_INSTITUTIONS, {})
    run_due(scenario.database, kinds_of(scenario.world.parts))
    return told(scenario, school)


def consent(
    scenario: EmergencyScenario, school: InstitutionFacts, member: int, who: AlertSticker, *, sees: bool
) -> None:
    with scenario.database.writing() as tx:
        record = RecordRow(*tx.orm.execute(select(*RECORD_COLUMNS).where(RECORD_COLUMNS[0] == who.record_id)).one())
        decide(tx, school, member, record, who.owner.id, scenario.now, sees=sees, edits=False)


def test_counts_say_how_many_protect_and_what_most_lack(scenario: EmergencyScenario, school: InstitutionFacts) -> None:
    people = people_of(scenario, 11, 12)
    members = enrol(scenario, school, people)
    assert counted(scenario, school) == {False: (23, 11, 12)}
    with scenario.database.reading() as tx:
        [group] = protection_of(tx, school.id)
    assert next(iter(group.lacks)) == "contact"
    assert {told.number for name, told in group.lacks.items() if name != "contact"} == {Withheld.FEW}
    staff = logged_in(scenario.world, scenario.world.somebody_with(Role.STAFF))
    page = staff.get("/admin/instituciones/colegio").text
    assert "11 de 23" in page and "menos de diez" in page
    assert "Quienes nunca se la han dejado ver" in page and "Quienes dejan ver su ficha" not in page
    # Of single people, those who let the institution see their record.
    assert marked(scenario) == []
    consent(scenario, school, members[-1], people[-1], sees=True)
    consent(scenario, school, members[0], people[0], sees=True)
    scenario.world.clock.move(days=8)
    counted(scenario, school)
    assert marked(scenario) == [members[-1]]


def test_nothing_is_told_of_few(scenario: EmergencyScenario, school: InstitutionFacts) -> None:
    assert counted(scenario, school) == {}
    enrol(scenario, school, people_of(scenario, 1, 2))
    scenario.world.clock.move(days=8)
    assert counted(scenario, school) == {}, "nor of fewer than twenty in all"
    staff = logged_in(scenario.world, scenario.world.somebody_with(Role.STAFF))
    assert "menos de veinte" in staff.get("/admin/instituciones/colegio").text


@pytest.mark.parametrize(
    ("protecting", "lack_contact", "lack_sticker", "protect", "contact_told"),
    [
        (85, 15, 4, 85, 15),
        # Fifteen do not protect, and twelve lack a contact: the others lack what fewer than ten do.
        (85, 12, 5, None, 12),
        (95, 5, 0, Withheld.ALL_BUT_FEW, Withheld.FEW),
        (3, 97, 0, Withheld.FEW, Withheld.ALL_BUT_FEW),
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
    numbers = {"protect": protecting, "name": 0, "contact": lack_contact, "sticker": lack_sticker, "severity": 0}
    now = scenario.now
    with scenario.database.writing() as tx:
        for name, number in numbers.items():
            key = {"institution_id": school.id, "is_open": True, "name": name}
            tx.orm.add(ProtectionFigure(**key, number=number, people=100, told_at=now, counted_at=now))
    assert told(scenario, school) == {True: (100, protect, contact_told)}


def test_a_number_is_renewed_only_where_the_difference_could_be_told(
    scenario: EmergencyScenario, school: InstitutionFacts
) -> None:
    first_members = enrol(scenario, school, people_of(scenario, 11, 10))
    first = counted(scenario, school)
    assert first == {False: (21, 11, 10)}
    # One joins, and a roster changes thirty others: the difference would be hers.
    scenario.world.clock.move(days=8)
    enrol(scenario, school, people_of(scenario, 0, 1))
    with scenario.database.writing() as tx:
        tx.orm.execute(update(Member).where(Member.id.in_(first_members)).values(changed_at=scenario.now))
    assert counted(scenario, school) == first
    # Twelve join, and all lack a contact: whoever knows who they are would know it of each.
    scenario.world.clock.move(days=8)
    enrol(scenario, school, people_of(scenario, 0, 12))
    assert counted(scenario, school) == first
    # A week in which nobody comes is no reason to tell it after all.
    scenario.world.clock.move(days=8)
    assert counted(scenario, school) == first
    # Of twenty-four who join, eleven do.
    scenario.world.clock.move(days=8)
    enrol(scenario, school, people_of(scenario, 13, 0))
    enrol(scenario, school, people_of(scenario, 0, 11))
    assert counted(scenario, school) == {False: (58, 24, 34)}


def test_those_who_may_be_looked_at_one_by_one_are_subtracted_from_nothing(
    scenario: EmergencyScenario, school: InstitutionFacts
) -> None:
    """Who may open each record of those who consent knows what these lack. They are counted apart from the others."""
    seen, others = people_of(scenario, 12, 12), people_of(scenario, 11, 12)
    for member, each in zip(enrol(scenario, school, seen), seen, strict=True):
        consent(scenario, school, member, each, sees=True)
    members = enrol(scenario, school, others)
    assert counted(scenario, school) == {True: (24, 12, 12), False: (23, 11, 12)}
    scenario.world.clock.move(minutes=1)
    # One of the others lets it be seen, and lacks a contact: eleven of twenty-two are left, which may be told.
    consent(scenario, school, members[-1], others[-1], sees=True)
    assert told(scenario, school)[False] == (23, None, 12)
    # With two more there could be nine of twenty: at the next request nothing is told of them.
    for place in (-2, -3):
        consent(scenario, school, members[place], others[place], sees=True)
    assert told(scenario, school) == {True: (24, 12, 12), False: (23, None, None)}
    # Who withdraws it again was seen, and is counted with neither.
    for place in (-1, -2, -3):
        consent(scenario, school, members[place], others[place], sees=False)
    scenario.world.clock.move(days=8)
    assert counted(scenario, school) == {True: (24, 12, 12), False: (23, None, None)}
