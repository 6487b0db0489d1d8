"""The step of the team on call: what is stored of it is what became of it, by whichever way it was told."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import structlog

from ficha.channels.errors import Refused
from ficha.channels.job_services import JobServices
from ficha.channels.mail import Mail
from ficha.emergencies.on_call import SEND_MAIL, OnCall
from ficha.emergencies.steps import Step
from ficha.jobs.kinds import Job
from tests.emergencies.scenario import AlertSticker, EmergencyScenario
from tests.world import build_world, settings_for

PHONE = "584121234567"
MAILBOX = "guardia@ejemplo.com"
Build = Callable[..., EmergencyScenario]


@pytest.fixture
def build(database_url: str, tmp_path: Path) -> Iterator[Build]:
    worlds = []

    def made(**team: str) -> EmergencyScenario:
        worlds.append(build_world(settings_for(database_url, tmp_path / "data", **team)))
        worlds[-1].listen()
        return EmergencyScenario(worlds[-1])

    yield made
    for world in worlds:
        world.close()


def unanswered(scenario: EmergencyScenario) -> tuple[AlertSticker, int]:
    sticker = scenario.sticker()
    number = scenario.press_alert(sticker).json()["data"]["id"]
    scenario.world.do("emergencia.paso", emergency_id=number, place=1)
    return sticker, number


def staff_step(scenario: EmergencyScenario) -> Step:
    [step] = scenario.steps()
    return step


def told(scenario: EmergencyScenario, sticker: AlertSticker) -> str:
    return scenario.world.reader.get(f"/e/{sticker.code}/{sticker.tag}", headers={"Accept-Language": "es"}).text


def fail_whatsapp(scenario: EmergencyScenario) -> None:
    scenario.world.platform.call(lambda platforms: platforms.whatsapp.change_behaviour({"fails": {PHONE: 131026}}))


def test_what_the_mailbox_took_stands_though_the_message_failed(build: Build) -> None:
    scenario = build(on_call_mails=MAILBOX, on_call_phones=f"+{PHONE}")
    fail_whatsapp(scenario)
    sticker, _ = unanswered(scenario)
    assert "<b>Avisando a nuestro equipo de guardia…</b>" in told(scenario, sticker)
    scenario.run_until_idle()
    step = staff_step(scenario)
    assert step.state == "sent" and step.sent_at is not None and step.ended_at is None
    assert "<b>Aviso enviado a nuestro equipo de guardia</b>" in told(scenario, sticker)


def test_where_nothing_reached_the_team_the_page_says_so(build: Build) -> None:
    scenario = build(on_call_phones=f"+{PHONE}")
    fail_whatsapp(scenario)
    sticker, _ = unanswered(scenario)
    with structlog.testing.capture_logs() as lines:
        scenario.run_until_idle()
    assert [(line["by"], line["index"]) for line in lines if line["event"] == "on_call.refused"] == [("whatsapp", 0)]
    step = staff_step(scenario)
    assert (step.state, step.sent_at) == ("failed", None) and step.ended_at is not None
    page = told(scenario, sticker)
    assert "No se pudo avisar a nuestro equipo de guardia" in page
    assert "<b>No pudimos avisar a nadie: llame a los números de esta página.</b>" in page


def test_a_message_that_nobody_of_the_team_gets_is_logged(build: Build) -> None:
    """For each number, though no step shows what became of the second."""
    scenario = build(on_call_phones=f"+584120000000,+{PHONE}")
    fail_whatsapp(scenario)
    unanswered(scenario)
    with structlog.testing.capture_logs() as lines:
        scenario.run_until_idle()
    assert [(line["by"], line["index"]) for line in lines if line["event"] == "on_call.refused"] == [("whatsapp", 1)]
    assert staff_step(scenario).state == "delivered"


def test_a_mailbox_that_refuses_is_not_being_written_to(build: Build) -> None:
    class RefusingMailer:
        name = "refusing"

        def send(self, mail: Mail) -> str:
            raise Refused(mail.to)

    scenario = build(on_call_mails=MAILBOX)
    sticker, number = unanswered(scenario)
    parts = scenario.world.parts
    services = JobServices(parts.database, parts.keyring, parts.secrets, RefusingMailer(), parts.clock, parts.settings)
    payload = {"emergency_id": number, "step_id": staff_step(scenario).id, "place": 0, "is_again": False}
    OnCall(services).send_mail(Job(0, SEND_MAIL, payload, 1))
    assert (staff_step(scenario).state, staff_step(scenario).reason) == ("failed", "rechazado")
    assert "No se pudo avisar a nuestro equipo de guardia" in told(scenario, sticker)
    scenario.run_until_idle()  # Another mailbox takes it after all.
    assert (staff_step(scenario).state, staff_step(scenario).reason) == ("sent", None)
    assert "<b>Aviso enviado a nuestro equipo de guardia</b>" in told(scenario, sticker)


def test_without_a_team_the_step_is_over_at_once(build: Build) -> None:
    scenario = build()
    unanswered(scenario)
    step = staff_step(scenario)
    assert (step.state, step.reason) == ("skipped", "sin_guardia") and step.ended_at is not None
