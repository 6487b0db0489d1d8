"""Break-glass: under a borrowed name, without leaving one, or so often that nobody reads the notices."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select, text

from ficha.notices.notices import ReadNotice
from tests.emergencies.scenario import AlertSticker, EmergencyScenario, contact
from tests.world import World, build_world, settings_for

FORM = {"quien": "Dra. Gómez, placa 71", "motivo": "Convulsión, hay que saber qué toma"}


def break_glass(world: World, sticker: AlertSticker, **changes: str) -> int:
    path = f"/e/{sticker.code}/{sticker.tag}/mas"
    answer = world.client.post(path, data=FORM | changes, follow_redirects=False)
    world.client.cookies.clear()
    return answer.status_code


def told(scenario: EmergencyScenario) -> list[str]:
    """The mails of broken glass, oldest first."""
    scenario.run_due()
    return [mail.text for mail in reversed(scenario.world.mails()) if "reservados" in mail.text]


def test_the_owner_is_told_name_and_reason_and_no_table_holds_them_in_clear(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker()
    assert break_glass(scenario.world, sticker) == 303
    [mail] = told(scenario)
    assert "08:00 (hora de Caracas): «Dra. Gómez, placa 71». Motivo: Convulsión, hay que saber qué toma" in mail
    with scenario.database.reading() as tx:
        assert tx.orm.scalars(select(ReadNotice.reader)).all() == ["glass:1"]
        for table in ("read_notices", "broken_glass", "audit_entries", "events"):
            for row in tx.orm.execute(text(f"SELECT * FROM {table}")):
                assert "Gómez" not in str(row) and "Convulsión" not in str(row)


def test_a_name_that_looks_like_another_glass_is_only_a_name(scenario: EmergencyScenario) -> None:
    known, sticker = scenario.sticker(), scenario.sticker()
    assert break_glass(scenario.world, known) == 303
    assert break_glass(scenario.world, sticker, quien="glass:1", motivo="nada") == 303
    assert len(told(scenario)) == 2
    mails = {mail.to: mail.text for mail in scenario.world.mails()}
    assert "Gómez" in mails[known.owner.correo]
    borrowed = mails[sticker.owner.correo]
    assert "Gómez" not in borrowed and "«glass 1». Motivo: nada" in borrowed


def test_a_reason_brings_no_link_into_the_owners_mailbox(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker()
    bait = {"quien": "Soporte www.evil.example", "motivo": "Su ficha vence. Entre en https://evil.example/x\ny pague"}
    assert break_glass(scenario.world, sticker, **bait) == 303
    [mail] = told(scenario)
    assert "evil.example" not in mail and "://evil" not in mail
    assert "Su ficha vence. Entre en" in mail


def test_what_comes_soon_after_is_joined_in_one_notice(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker()
    assert break_glass(scenario.world, sticker) == 303
    assert len(told(scenario)) == 1
    for name in ("Luis", "Marta", "Pedro"):
        scenario.world.clock.move(minutes=1)
        assert break_glass(scenario.world, sticker, quien=name) == 303
    assert len(told(scenario)) == 1
    scenario.world.clock.move(minutes=8)
    first, joined = told(scenario)
    assert "Luis" not in first and all(f"«{name}»" in joined for name in ("Luis", "Marta", "Pedro"))
    assert "Gómez" not in joined
    # Each of them stands in the log, by its own number.
    broken = [entry.actor for entry in scenario.log_of(sticker) if entry.action == "glass.broken"]
    assert broken == ["glass:1", "glass:2", "glass:3", "glass:4"]


@pytest.fixture
def limited(database_url: str, tmp_path: Path) -> Iterator[EmergencyScenario]:
    changes = {"rate_limits": "on", "limit_glass": "2/hour", "limit_glass_address": "3/hour"}
    world = build_world(settings_for(database_url, tmp_path / "data", **changes))
    yield EmergencyScenario(world)
    world.close()


def test_more_is_shown_a_few_times_for_each_sticker_and_address(limited: EmergencyScenario) -> None:
    one, other = limited.sticker(contact()), limited.sticker()
    assert [break_glass(limited.world, one) for _ in range(3)] == [303, 303, 429]
    assert [break_glass(limited.world, other) for _ in range(2)] == [303, 429]
    # Whoever is turned away still has the page: whom to call, and the alert.
    refused = limited.world.client.post(f"/e/{one.code}/{one.tag}/mas", data=FORM)
    assert refused.status_code == 429 and "retry-after" in refused.headers
    assert 'href="tel:' in refused.text and "/avisar" in refused.text
