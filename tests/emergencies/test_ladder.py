"""What the ladder decides, and other rules of emergencies that need no database."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from ficha.emergencies.alert_texts import where_text
from ficha.emergencies.channels.catalog import CHANNELS
from ficha.emergencies.contacts import Contact, contacts_in
from ficha.emergencies.emergency import EmergencyState
from ficha.emergencies.ladder import (
    MOST_STAFF_CALLS,
    CallStaff,
    PlannedStep,
    Wait,
    channels_for,
    decide_next,
    plan_steps,
)
from ficha.emergencies.positions import Position, is_better
from ficha.emergencies.state_changes import ALLOWED_CHANGES, allows_change
from ficha.emergencies.steps import STAFF_CHANNEL, StepRow, StepState
from ficha.fmd.dates_and_amounts import local_time_text

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
MOTHER = Contact("k7M2qX9a", "María", "madre", "+584125551111", "maria@ejemplo.com")


def over(step: PlannedStep) -> StepRow:
    return StepRow(7, 1, step.channel, NOW, step.contact.id, StepState.SKIPPED, due_at=NOW)


def names(contact: Contact) -> list[str]:
    return [channel.name for channel in channels_for(contact, CHANNELS)]


def test_without_chosen_channels_whatsapp_comes_first_and_then_mail() -> None:
    assert names(MOTHER) == ["whatsapp", "correo"]
    assert names(Contact("a", "", "", phone="+58412")) == ["whatsapp"]
    assert names(Contact("a", "", "", correo="a@b.c")) == ["correo"]


def test_the_contact_chooses_channels_and_the_ladder_orders_them() -> None:
    chosen = Contact("a", "", "", "+58412", "a@b.c", canales=("push", "correo"))
    assert names(chosen) == ["correo", "push"]


def test_default_channels_are_added_where_no_chosen_one_has_an_address() -> None:
    only_push = Contact("a", "", "", "+58412", "a@b.c", canales=("push",))
    assert names(only_push) == ["push", "whatsapp", "correo"]
    no_mailbox = Contact("a", "", "", "+58412", canales=("correo",))
    assert names(no_mailbox) == ["correo", "whatsapp"]


def test_a_step_is_waited_for_until_its_timeout() -> None:
    planned = plan_steps([MOTHER], CHANNELS)
    waits = StepRow(7, 1, "whatsapp", NOW, MOTHER.id, due_at=NOW + timedelta(seconds=60))
    assert decide_next(planned, [waits], set(), NOW) == Wait(NOW + timedelta(seconds=60))
    assert decide_next(planned, [waits], set(), NOW + timedelta(seconds=60)) == planned[1]


def test_after_the_last_step_staff_and_after_staff_nothing() -> None:
    assert isinstance(decide_next([], [], set(), NOW), CallStaff)
    staff = StepRow(7, 1, STAFF_CHANNEL, NOW)
    assert decide_next(plan_steps([MOTHER], CHANNELS), [staff], set(), NOW) is None
    assert decide_next(plan_steps([MOTHER], CHANNELS), [staff], set(), NOW, withdrew_at=NOW) is None


def test_after_a_withdrawal_who_was_not_tried_and_then_staff_again_but_not_for_ever() -> None:
    planned = plan_steps([MOTHER], CHANNELS)
    staff, later = StepRow(7, 1, STAFF_CHANNEL, NOW), NOW + timedelta(seconds=1)
    assert decide_next(planned, [staff], set(), NOW, later) == planned[0]
    assert isinstance(decide_next(planned, [staff], {MOTHER.id}, NOW, later), CallStaff)
    assert decide_next(planned, [staff] * MOST_STAFF_CALLS, {MOTHER.id}, NOW, later) is None


@st.composite
def families(draw: st.DrawFn) -> list[Contact]:
    phones = st.sampled_from(["", "+584125551111", "+584145552222"])
    mails = st.sampled_from(["", "a@ejemplo.com", "b@ejemplo.com"])
    channels = st.lists(st.sampled_from(["whatsapp", "correo", "push"]), unique=True)
    return [
        Contact(f"c{place}", "", "", draw(phones), draw(mails), tuple(draw(channels)))
        for place in range(draw(st.integers(0, 5)))
    ]


@given(families(), st.sets(st.sampled_from(["c0", "c1", "c2", "c3", "c4"])))
def test_every_ladder_ends_and_no_address_is_tried_twice(contacts: list[Contact], refused: set[str]) -> None:
    planned = plan_steps(contacts, CHANNELS)
    taken: list[StepRow] = []
    tried: list[tuple[str, str]] = []
    while isinstance(decision := decide_next(planned, taken, refused, NOW), PlannedStep):
        taken.append(over(decision))
        tried.append((decision.channel, decision.address))
        assert decision.contact.id not in refused
        assert len(taken) <= len(planned)
    assert isinstance(decision, CallStaff)
    reached = [each for each in tried if each[1]]
    assert len(reached) == len(set(reached))
    if not refused:
        addresses = {address for _, address in reached}
        for contact in contacts:  # Whoever can be reached at all is, by whichever of their entries.
            assert not (contact.phone or contact.correo) or addresses & {contact.phone, contact.correo}


def test_contacts_come_in_the_owner_s_order_and_damaged_ones_are_left_out() -> None:
    listed = [
        {"id": "aaaaaaaa", "nombre": "Sin lugar", "relacion": "tía", "telefono_e164": "+581"},
        "basura",
        {"id": "bbbbbbbb", "nombre": "Segundo", "relacion": "padre", "prioridad": 2, "canales": "whatsapp"},
        {"id": "cccccccc", "nombre": "Primera", "prioridad": 1, "cod_telefono": "+58", "telefono": "4125551111"},
        {"nombre": 7},
    ]
    found = contacts_in({"contactos": listed})
    assert [each.nombre for each in found] == ["Primera", "Segundo", "Sin lugar", ""]
    assert found[0].phone == "+584125551111" and found[1].canales == () and found[3].id == "#3"
    assert contacts_in(None) == contacts_in({"contactos": 3}) == []


def test_the_states_go_one_way() -> None:
    for old in EmergencyState:
        for new in EmergencyState:
            assert allows_change(old, new) == (new in ALLOWED_CHANGES[old])
    assert not any(EmergencyState.OPEN in following for following in ALLOWED_CHANGES.values())
    assert ALLOWED_CHANGES[EmergencyState.RESOLVED] == ALLOWED_CHANGES[EmergencyState.CANCELED] == ()


def test_the_better_of_two_positions() -> None:
    def at(minutes: float, accuracy: float | None) -> Position:
        return Position(0, 0, accuracy, NOW + timedelta(minutes=minutes))

    assert is_better(at(0, None), None)
    assert is_better(at(1, 10), at(0, 50)) and not is_better(at(1, 50), at(0, 10))
    assert not is_better(at(1, None), at(0, 1000)) and is_better(at(6, 1000), at(0, 10))
    assert not is_better(at(-6, 1), at(0, 1000)), "an old position that arrives late"


def test_times_name_their_zone() -> None:
    assert local_time_text(NOW, "America/Caracas", "es") == "08:00 (hora de Caracas)"
    assert local_time_text(NOW, "America/Sao_Paulo", "pt") == "09:00 (hora de São Paulo)"
    assert local_time_text(NOW, "", "es") == local_time_text(NOW, "Marte/Olimpo", "en") == "12:00 UTC"
    assert where_text(None, "en") == "position not known"
