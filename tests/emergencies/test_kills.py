"""Processes that die before every statement and every commit, from the alert to the last step: nothing is lost,
nothing is done twice, no step is left out, and the log is whole."""

import pytest
from sqlalchemy import select

from ficha.audit.verify_entries import verify_all
from ficha.emergencies.emergency import Emergency
from ficha.emergencies.relay_lines import relay_lines
from ficha.fmd.records import Record
from ficha.jobs.queue import dead_jobs
from tests.emergencies.killed_processes import KilledProcesses
from tests.emergencies.scenario import AlertSticker, EmergencyScenario, contact

pytestmark = pytest.mark.slow


def somebody(scenario: EmergencyScenario, number: int) -> tuple[AlertSticker, str, str]:
    """Somebody whose one contact has a phone and a mailbox that nobody else has."""
    phone, correo = f"412555{number:04d}", f"contacto{number}@ejemplo.com"
    return scenario.sticker(contact(telefono=phone, correo=correo)), f"58{phone}", correo


def emergency_of(scenario: EmergencyScenario, sticker: AlertSticker) -> Emergency:
    with scenario.database.reading() as tx:
        return tx.orm.scalars(select(Emergency).where(Emergency.record_id == sticker.record_id)).one()


def actions_of(scenario: EmergencyScenario, sticker: AlertSticker) -> list[str]:
    return [entry.action for entry in scenario.log_of(sticker) if entry.action.startswith(("emergency.", "contact."))]


def test_kills_on_a_ladder_that_nobody_answers(scenario: EmergencyScenario, processes: KilledProcesses) -> None:
    number, some_died = 0, True
    expected_mails: dict[str, set[str | None]] = {}
    while some_died:
        number += 1
        sticker, phone, correo = somebody(scenario, number)
        some_died = processes.press_alert(sticker, number)
        some_died = processes.work("first", number) or some_died
        for stage in ("second", "third"):
            scenario.world.clock.move(seconds=60)
            some_died = processes.work(stage, number) or some_died
        emergency = emergency_of(scenario, sticker)
        steps = scenario.steps(emergency.id)
        assert [(step.place, step.channel, step.state) for step in steps] == [
            (1, "whatsapp", "delivered"),
            (2, "correo", "sent"),
            (3, "staff", "skipped"),
        ], number
        assert [alert.id for alert in scenario.alerts() if alert.wa_id == phone] == [steps[0].provider_id], number
        expected_mails[correo] = {steps[1].provider_id}
        joined = ["emergency.joined"] * (emergency.scans - 1)
        alerted = ["contact.alerted", "contact.alerted", "emergency.unanswered"]
        assert actions_of(scenario, sticker) == ["emergency.opened", *joined, *alerted], number
    assert number > 30, "there were fewer places to die than statements"
    mails: dict[str, set[str]] = {}
    for mail in scenario.world.mails(count=2 * number):
        mails.setdefault(mail.to, set()).add(mail.message_id)
    assert expected_mails.items() <= mails.items()
    assert_whole(scenario)


def test_kills_while_somebody_answers(scenario: EmergencyScenario, processes: KilledProcesses) -> None:
    number, some_died = 0, True
    while some_died:
        number += 1
        sticker, phone, _ = somebody(scenario, number)
        processes.press_alert(sticker, 0)
        processes.work("alert", 0)
        (alert,) = [each for each in scenario.alerts() if each.wa_id == phone]
        scenario.world.platform.receive(from_=phone, type="text", text="Voy en camino", reply_to=alert.id)
        scenario.world.platform.wait_until_idle()
        some_died = processes.work("answer", number)
        scenario.world.clock.move(minutes=30)
        processes.work("later", 0)
        emergency = emergency_of(scenario, sticker)
        assert emergency.state == "acknowledged", number
        assert [step.channel for step in scenario.steps(emergency.id)] == ["whatsapp"], number
        assert actions_of(scenario, sticker) == [
            "emergency.opened",
            "contact.alerted",
            "contact.answered",
            "emergency.acknowledged",
        ], number
        assert words_for_the_stranger(scenario, emergency) == ["Voy en camino"], number
    assert number > 15
    assert len(scenario.world.mails()) == 1, "only that of the first run, which nobody answered"
    assert_whole(scenario)


def words_for_the_stranger(scenario: EmergencyScenario, emergency: Emergency) -> list[str]:
    with scenario.database.reading() as tx:
        key = tx.orm.get_one(Record, emergency.record_id).open_key(scenario.world.parts.keyring)
        return [line.words for line in relay_lines(tx, key, emergency.id)]


def assert_whole(scenario: EmergencyScenario) -> None:
    with scenario.database.reading() as tx:
        assert dead_jobs(tx) == []
        assert verify_all(tx, lambda _: None) == []
    assert scenario.waiting_jobs() == {}
