"""The owner is told who opened the record: once for each look, by the ways she prefers."""

from datetime import timedelta
from typing import Any

import pytest

from ficha.audit.log import Actor, Fact
from ficha.fmd.access import scan
from ficha.fmd.break_glass import BreakGlass, break_glass
from ficha.notices.notices import ReaderKind, network_said, queue_notice, queue_notices
from tests.emergencies.scenario import EmergencyScenario, Sticker

REPEAT_WITHIN = timedelta(minutes=10)


def opened(scenario: EmergencyScenario, sticker: Sticker, how: ReaderKind = ReaderKind.TAG, **more: Any) -> bool:
    given: dict[str, Any] = {"reader": str(how), "origin": "203.0.113.77", "repeat_within": REPEAT_WITHIN} | more
    with scenario.database.writing() as session:
        told = queue_notice(session, sticker.record_id, how, scenario.now, **given)
    scenario.run_until_idle()
    return told


def test_a_look_is_told_by_mail_within_seconds(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker()
    assert opened(scenario, sticker)
    (mail,) = scenario.world.mails()
    assert mail.to == sticker.owner.correo and mail.subject == "Alguien abrió la ficha de Ana"
    assert "12:00 UTC" in mail.text and "la red 203.0.113.0/24" in mail.text and "203.0.113.77" not in mail.text
    (event,) = scenario.events("access.opened")
    assert event.account_id == sticker.owner.id and event.payload["how"] == "tag"


def test_looking_again_within_minutes_is_the_same_look(scenario: EmergencyScenario) -> None:
    sticker, other = scenario.sticker(), scenario.sticker()
    assert [opened(scenario, sticker), opened(scenario, sticker), opened(scenario, other)] == [True, False, True]
    scenario.world.clock.move(minutes=10)
    assert opened(scenario, sticker)
    assert len(scenario.world.mails()) == 3


def test_who_wants_no_notices_gets_none_except_for_broken_glass(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(preferencia={"aviso_por_lectura": False})
    opened(scenario, sticker)
    assert scenario.world.mails() == []
    parts = scenario.world.parts
    for _ in range(2):
        with scenario.database.writing() as session:
            fmd = scan(session, parts.keyring, sticker.code, sticker.tag)
            break_glass(session, fmd, "Dra. Gómez, placa 71", "convulsión", scenario.now)
            glass = session.query(BreakGlass).order_by(BreakGlass.id.desc()).first()
            assert glass is not None
        assert opened(scenario, sticker, ReaderKind.GLASS, reader=str(Actor("glass", glass.id)))
    first, second = scenario.world.mails()
    assert "Dra. Gómez, placa 71" in first.text and "convulsión" not in first.raw
    assert first.message_id != second.message_id


def test_whatsapp_for_who_prefers_it(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(preferencia={"canales": ["whatsapp"], "zona_horaria": "America/Caracas"})
    with_phone(scenario, sticker)
    opened(scenario, sticker)
    (alert,) = scenario.alerts()
    assert alert.text == (
        "Ana: alguien abrió la ficha de emergencia a las 08:00 (hora de Caracas), desde la red 203.0.113.0/24."
    )
    assert scenario.world.mails() == []


def test_what_cannot_be_delivered_is_mailed(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(preferencia={"canales": ["whatsapp"]})
    with_phone(scenario, sticker)
    scenario.world.platform.call(
        lambda platforms: platforms.whatsapp.change_behaviour({"fails": {"584125559999": 131026}})
    )
    opened(scenario, sticker)
    assert len(scenario.world.mails()) == 1


def test_the_read_log_tells_of_each_opening_with_its_entry(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker()
    facts = [
        Fact(sticker.record_id, scenario.now + timedelta(seconds=n), actor, "record.read", [], "tag", "::1", f"{n:032}")
        for n, actor in enumerate(["tag", "tag", "account:1", "glass:4", "tag"])
    ]
    with scenario.database.writing() as session:
        queue_notices(session, facts, REPEAT_WITHIN)
    scenario.run_until_idle()
    assert len(scenario.world.mails()) == 1


@pytest.mark.parametrize(
    ("origin", "said"),
    [
        ("198.51.100.23", "the network 198.51.100.0/24"),
        ("2001:db8:85a3:1:2:3:4:5", "the network 2001:db8:85a3::/48"),
        ("", "an unknown place"),
        ("testclient", "an unknown place"),
    ],
)
def test_from_where_roughly(origin: str, said: str) -> None:
    assert network_said(origin, "en") == said


def with_phone(scenario: EmergencyScenario, sticker: Sticker) -> None:
    from sqlalchemy import update

    from ficha.accounts.accounts import Account

    with scenario.database.writing() as session:
        session.execute(update(Account).where(Account.id == sticker.owner.id).values(telefono_e164="+584125559999"))
