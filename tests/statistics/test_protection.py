"""How many records of an institution's people protect, and what is never told of few."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import insert, select, update

from ficha.accounts.accounts import Role
from ficha.fmd.records import RECORD_COLUMNS, RecordRow
from ficha.institutions.consents import CONSENT_VERSION, Consent, decide
from ficha.institutions.institution import Institution, InstitutionFacts, institution_with
from ficha.institutions.members import Member
from ficha.jobs.queue import put
from ficha.jobs.runner import run_due
from ficha.statistics.floor import FLOOR, GroupCounts, Untold, renewed, told_part
from ficha.statistics.jobs import COUNT_INSTITUTIONS
from ficha.statistics.protection import InstitutionProtection, Protection, is_marked, protection_of
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
    # Of single people, those who let the institution see their record.
    assert marked(scenario) == []
    consent(scenario, school, members[-1], people[-1], sees=True)
    consent(scenario, school, members[0], people[0], sees=True)
    scenario.world.clock.move(days=8)
    assert counted(scenario, school) is not None
    assert marked(scenario) == [members[-1]]


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
                renewed_at=scenario.now,
            )
        )
    with scenario.database.reading() as tx:
        found = protection_of(tx, school.id)
    assert found is not None
    assert (found.protect, found.lacks["contact"]) == (protect, contact_told)


def test_a_number_is_renewed_only_where_the_difference_could_be_told(
    scenario: EmergencyScenario, school: InstitutionFacts
) -> None:
    first_members = enrol(scenario, school, people_of(scenario, 11, 10))
    first = counted(scenario, school)
    assert first is not None and (first.people, first.protect, first.lacks["contact"]) == (21, 11, 10)
    # One joins, and a roster changes thirty others: the difference would be hers.
    scenario.world.clock.move(days=8)
    enrol(scenario, school, people_of(scenario, 0, 1))
    with scenario.database.writing() as tx:
        tx.orm.execute(update(Member).where(Member.id.in_(first_members)).values(changed_at=scenario.now))
    second = counted(scenario, school)
    assert second == first
    # Twelve join, and all lack a contact: whoever knows who they are would know it of each.
    scenario.world.clock.move(days=8)
    enrol(scenario, school, people_of(scenario, 0, 12))
    third = counted(scenario, school)
    assert third == first
    # Of twenty-four who join, eleven do.
    scenario.world.clock.move(days=8)
    enrol(scenario, school, people_of(scenario, 13, 0))
    enrol(scenario, school, people_of(scenario, 0, 11))
    fourth = counted(scenario, school)
    assert fourth is not None and (fourth.people, fourth.protect, fourth.lacks["contact"]) == (58, 24, 34)


def test_who_does_not_let_it_be_seen_is_not_told_by_subtracting_those_who_do(
    scenario: EmergencyScenario, school: InstitutionFacts
) -> None:
    """Who may open each record of the others knows what these lack. One refuses, and lacks a contact."""
    people = people_of(scenario, 12, 12)
    members = enrol(scenario, school, people)
    for member, each in list(zip(members, people, strict=True))[:-1]:
        consent(scenario, school, member, each, sees=True)
    found = counted(scenario, school)
    assert found is not None
    assert (found.people, found.protect, found.lacks["contact"]) == (23, 12, 11)


LACKS = st.fixed_dictionaries({name: st.booleans() for name in ("contact", "sticker")})
WEEKS = st.lists(
    st.tuples(st.lists(LACKS, max_size=30), st.integers(0, 30), st.lists(st.integers(0, 200), max_size=12)), max_size=8
)


@given(st.lists(LACKS, min_size=20, max_size=60), WEEKS)
def test_an_attacker_who_compares_the_counts_of_all_weeks_learns_of_no_group_below_ten(
    people: list[dict[str, bool]], weeks: list[tuple[list[dict[str, bool]], int, list[int]]]
) -> None:
    """Each week some join, some leave, and the records of some change. What is told of two weeks never differs by
    fewer than ten, nor by all but fewer than ten of those who came and went."""

    def group() -> GroupCounts:
        lacks = {name: sum(one[name] for one in people) for name in ("contact", "sticker")}
        return GroupCounts(len(people), sum(not any(one.values()) for one in people), lacks)

    kept, since = group(), 0
    for joined, left, mended in weeks:
        leaving = min(left, len(people))
        people = [*people[leaving:], *joined]
        for place in mended:
            if place < len(people):
                people[place] = {"contact": False, "sticker": False}
        moved = leaving + len(joined)
        before, kept = kept, renewed(kept, group(), since + moved)
        if before.people < 2 * FLOOR:
            continue  # Nothing was told.
        if kept == before:
            since += moved
            continue
        moved, since = since + moved, 0
        pairs = [(before.whole, kept.whole), *((before.lacks[name], kept.lacks[name]) for name in before.lacks)]
        for old, new in pairs:
            assert old == new or isinstance(told_part(abs(new - old), moved or len(people)), int)
