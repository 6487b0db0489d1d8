"""The owner gets a notice of who opened the record: once for each opening, by the channels she prefers."""

import re
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import update

from ficha.accounts.accounts import Account
from ficha.audit.chain import LoggedFact
from ficha.audit.log import Actor
from ficha.fmd.break_glass import break_glass
from ficha.fmd.scanning import scan
from ficha.notices.notices import ReaderKind, network_text, queue_notice, queue_notices
from tests.emergencies.scenario import AlertSticker, EmergencyScenario
from tests.statement_counter import count_statements

REPEAT_WITHIN = timedelta(minutes=10)


def open_record(
    scenario: EmergencyScenario, sticker: AlertSticker, how: ReaderKind = ReaderKind.TAG, **more: Any
) -> bool:
    given: dict[str, Any] = {"reader": str(how), "origin": "203.0.113.77", "repeat_within": REPEAT_WITHIN} | more
    with scenario.database.writing() as tx:
        queued = queue_notice(tx, sticker.record_id, how, scenario.now, **given)
    scenario.run_until_idle()
    return queued


def test_an_opening_is_notified_by_mail_within_seconds(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker()
    assert open_record(scenario, sticker)
    (mail,) = scenario.world.mails()
    assert mail.to == sticker.owner.correo and mail.subject == "Alguien abrió la ficha de Ana"
    assert (
        "08:00 (hora de Caracas)" in mail.text
        and "la red 203.0.113.0/24" in mail.text
        and "203.0.113.77" not in mail.text
    )
    # Straight to who looked, and to where a sticker is marked as lost.
    assert re.search(r"/app/\w{6}/accesos\n", mail.text) and mail.text.strip().endswith("/perdida")
    (event,) = scenario.events("access.opened")
    assert event.account_id == sticker.owner.id and event.payload["how"] == "tag"


def test_opening_again_within_minutes_is_the_same_opening(scenario: EmergencyScenario) -> None:
    sticker, other = scenario.sticker(), scenario.sticker()
    assert [open_record(scenario, each) for each in (sticker, sticker, other)] == [True, False, True]
    scenario.world.clock.move(minutes=10)
    assert open_record(scenario, sticker)
    assert len(scenario.world.mails()) == 3


def test_an_owner_who_wants_no_notices_gets_those_of_broken_glass(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(preferencia={"aviso_por_lectura": False})
    open_record(scenario, sticker)
    assert scenario.world.mails() == []
    parts = scenario.world.parts
    with scenario.database.writing() as tx:
        fmd = scan(tx, parts.keyring, sticker.code, sticker.tag)
        _, glass = break_glass(tx, fmd, "Dra. Gómez, placa 71", "convulsión", scenario.now)
    assert open_record(scenario, sticker, ReaderKind.GLASS, reader=str(Actor("glass", glass.id)))
    (mail,) = scenario.world.mails()
    assert "08:00 (hora de Caracas): «Dra. Gómez, placa 71». Motivo: convulsión" in mail.text


def test_an_owner_who_prefers_whatsapp_gets_a_message(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(preferencia={"canales": ["whatsapp"], "zona_horaria": "America/Caracas"})
    give_phone(scenario, sticker)
    open_record(scenario, sticker)
    (alert,) = scenario.alerts()
    assert alert.text == (
        "Ana: alguien abrió la ficha de emergencia a las 08:00 (hora de Caracas), desde la red 203.0.113.0/24."
    )
    assert scenario.world.mails() == []


def test_a_message_that_cannot_be_delivered_is_replaced_by_mail(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(preferencia={"canales": ["whatsapp"]})
    give_phone(scenario, sticker)
    scenario.world.platform.call(
        lambda platforms: platforms.whatsapp.change_behaviour({"fails": {"584125559999": 131026}})
    )
    open_record(scenario, sticker)
    assert len(scenario.world.mails()) == 1


def test_the_read_log_queues_notices_of_scans_only(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker()
    facts = [
        LoggedFact(
            sticker.record_id, scenario.now + timedelta(seconds=n), actor, "record.read", [], "tag", "::1", f"{n:032}"
        )
        for n, actor in enumerate(["tag", "tag", "account:1", "glass:4", "tag"])
    ]
    with scenario.database.writing() as tx:
        queue_notices(tx, facts, REPEAT_WITHIN)
    scenario.run_until_idle()
    assert len(scenario.world.mails()) == 1


def test_many_scans_are_looked_up_together(scenario: EmergencyScenario) -> None:
    """A busy sticker must not cost two statements a scan: they were most of what its page cost."""
    stickers = [scenario.sticker(), scenario.sticker()]

    def queue(count: int) -> int:
        facts = [
            LoggedFact(
                sticker.record_id, scenario.now, "tag", "record.read", [], "tag", "::1", f"{count}-{place}-{number}"
            )
            for number in range(count)
            for place, sticker in enumerate(stickers)
        ]
        with count_statements(scenario.database) as counted, scenario.database.writing() as tx:
            queue_notices(tx, facts, REPEAT_WITHIN)
        return counted.statements

    first = queue(1)
    assert 0 < queue(100) < first
    scenario.run_until_idle()
    assert len(scenario.world.mails()) == 2


@pytest.mark.parametrize(
    ("origin", "text"),
    [
        ("198.51.100.23", "the network 198.51.100.0/24"),
        ("2001:db8:85a3:1:2:3:4:5", "the network 2001:db8:85a3::/48"),
        ("", "an unknown place"),
        ("testclient", "an unknown place"),
    ],
)
def test_the_network_of_an_address_in_words(origin: str, text: str) -> None:
    assert network_text(origin, "en") == text


def give_phone(scenario: EmergencyScenario, sticker: AlertSticker) -> None:
    with scenario.database.writing() as tx:
        tx.orm.execute(
            update(Account)
            .where(Account.id == sticker.owner.id)
            .values(telefono_e164="+584125559999", telefono_verificado_por="whatsapp")
        )
