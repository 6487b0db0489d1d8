"""Is it still right? Asked as often as the owner wishes, once for each period, and answered by a tap."""

import re
from datetime import timedelta

import pytest

from ficha.channels.mail import Mail
from ficha.fmd.entries import Entry, open_document, seal_document
from ficha.fmd.records import Record
from ficha.jobs.kinds import Job
from ficha.reminders.jobs import ASK, MAIL, ReminderJobs
from tests.emergencies.scenario import AlertSticker, EmergencyScenario
from tests.notices.test_notices import give_phone
from tests.web.portal.page_session import PageUser, again
from tests.world import CLAVE

MEDICINES = {"medicamentos": [{"medicamento": {"texto": "Warfarina"}}, {"medicamento": {"texto": "Losartán"}}]}


class DyingMailer:
    """Its process is killed when the mail has left."""

    name = "dying"

    def __init__(self, mailer: object) -> None:
        self.mailer = mailer

    def send(self, mail: Mail) -> None:
        self.mailer.send(mail)  # type: ignore[attr-defined]
        raise KeyboardInterrupt


def sticker_with(scenario: EmergencyScenario, **models: object) -> AlertSticker:
    return scenario.sticker(**{"medicacion": MEDICINES} | models)


def choose(scenario: EmergencyScenario, sticker: AlertSticker, **fields: str) -> PageUser:
    user = PageUser(scenario.world)
    assert user.log_in(sticker.owner).status_code == 303
    path = f"/app/{sticker.code}/recordatorios"
    assert user.submit(path, **{"every": "mensual", "channel": "correo"} | fields).status_code == 303
    assert "Guardado" in user.get(f"{path}?guardado=1").text
    return user


def jobs(scenario: EmergencyScenario) -> ReminderJobs:
    parts = scenario.world.parts
    return ReminderJobs(parts.database, parts.keyring, parts.secrets, parts.mailer, parts.clock, parts.settings)


def pass_days(scenario: EmergencyScenario, days: int) -> None:
    """And everything that is due meanwhile is done."""
    scenario.world.clock.move(days=days)
    scenario.world.do(ASK)
    scenario.run_due()


def links(scenario: EmergencyScenario) -> list[str]:
    found = (re.search(r"/recordatorio/\S+", mail.text) for mail in scenario.world.mails())
    return [link.group() for link in found if link is not None]


def confirmed_days(scenario: EmergencyScenario, sticker: AlertSticker) -> set[str]:
    owner = again(scenario.world, sticker.owner)
    answer = scenario.world.reader.get(f"/v2/fmd/{sticker.code}/medicacion", headers=owner.headers)
    return {fact["confirmado_en"] for fact in answer.json()["data"]["attributes"]["data"]["medicamentos"]}


def test_a_mail_asks_once_a_period_and_yes_confirms_the_section(scenario: EmergencyScenario) -> None:
    world, sticker = scenario.world, sticker_with(scenario)
    choose(scenario, sticker)
    pass_days(scenario, 29)
    assert links(scenario) == []
    pass_days(scenario, 2)
    world.do(ASK)
    [mail] = world.mails()
    assert (
        mail.to == sticker.owner.correo and "«Medicinas»" in mail.text and "Warfarina" not in mail.text + mail.subject
    )
    [link] = links(scenario)
    stranger = PageUser(world)
    page = stranger.get(link)
    assert page.headers["referrer-policy"] == "no-referrer" and "Warfarina" not in page.text
    before = confirmed_days(scenario, sticker)
    assert stranger.post(link, respuesta="tal vez").status_code == 303
    done = stranger.post(link, respuesta="si")
    assert "confirmado hoy" in done.text
    assert confirmed_days(scenario, sticker) == {world.clock.now().date().isoformat()} != before
    # The link is used up; another's signature opens nothing.
    for dead in (link, f"{link}x", "/recordatorio/1-abc", "/recordatorio/ñ"):
        assert stranger.get(dead).status_code == 410
    assert stranger.post(link, respuesta="si").status_code == 410
    # All was confirmed a month ago: she is asked again, and "no" opens the form at that fact.
    pass_days(scenario, 31)
    newest = next(one for one in links(scenario) if one != link)
    corrected = stranger.post(newest, respuesta="no")
    assert re.fullmatch(r"/app/\w{6}/medicacion\?en=medicamentos\.0", corrected.headers["location"])
    user = PageUser(world)
    user.log_in(sticker.owner)
    form = user.get(corrected.headers["location"]).text
    assert re.search(r'id="medicamentos.0.medicamento.texto"[^>]* autofocus', form)
    # Nobody is asked about what was confirmed since.
    user.submit(f"/app/{sticker.code}/medicacion", do="confirm", version="0")
    count = len(links(scenario))
    pass_days(scenario, 31)
    last = next(one for one in links(scenario) if one not in (link, newest))
    assert len(links(scenario)) == count + 1
    assert "No preguntaremos más" in stranger.post(last, respuesta="basta").text
    pass_days(scenario, 200)
    assert len(links(scenario)) == count + 1


def test_whoever_is_killed_nobody_is_asked_twice(scenario: EmergencyScenario) -> None:
    sticker = sticker_with(scenario)
    choose(scenario, sticker, every="trimestral")
    scenario.world.clock.move(days=92)
    found = jobs(scenario)
    found.ask_all(Job(1, ASK, {}, 1))
    found.ask_all(Job(1, ASK, {}, 2))  # The first was killed before its end was written down.
    assert scenario.waiting_jobs()[MAIL] == 1
    dying = ReminderJobs(**vars(found) | {"mailer": DyingMailer(found.mailer)})
    with pytest.raises(KeyboardInterrupt):
        dying.send_mail(Job(2, MAIL, {"reminder_id": 1}, 1))
    scenario.run_due()
    found.send_mail(Job(2, MAIL, {"reminder_id": 1}, 3))
    # One message, by its Message-ID, with one link.
    assert len(set(links(scenario))) == len({mail.message_id for mail in scenario.world.mails()}) == 1
    scenario.world.do(ASK)
    scenario.run_due()
    assert len(set(links(scenario))) == 1


def test_buttons_of_the_message_answer_and_opt_outs_are_heard(scenario: EmergencyScenario) -> None:
    sticker = sticker_with(scenario)
    give_phone(scenario, sticker)
    choose(scenario, sticker, channel="whatsapp")
    pass_days(scenario, 31)
    scenario.run_until_idle()
    [asked] = scenario.alerts()
    assert asked.text == "¿Sigue igual la ficha de Ana? Lo más antiguo está en la sección Medicinas. Toque un botón."
    platform = scenario.world.platform
    # A button that somebody else forges is nobody's answer.
    platform.receive(from_="584120000001", type="button", text="Sí, sigue igual", reply_to=asked.id)
    scenario.run_until_idle()
    assert scenario.world.clock.now().date().isoformat() not in confirmed_days(scenario, sticker)
    platform.receive(from_="584125559999", type="button", text="Sí, sigue igual", reply_to=asked.id)
    scenario.run_until_idle()
    assert confirmed_days(scenario, sticker) == {scenario.world.clock.now().date().isoformat()}
    assert scenario.alerts()[-1].text == "Gracias: queda confirmado con la fecha de hoy."
    pass_days(scenario, 31)
    scenario.run_until_idle()
    platform.receive(from_="584125559999", type="button", text="No, cambió", reply_to=scenario.alerts()[-1].id)
    scenario.run_until_idle()
    assert scenario.alerts()[-1].text.endswith("/medicacion?en=medicamentos.0")
    # Who stops our messages there gets a mail; who wants no reminders gets none.
    platform.receive(from_="584125559999", type="text", text="BAJA")
    scenario.run_until_idle()
    sent = len(scenario.alerts())
    pass_days(scenario, 31)
    scenario.run_until_idle()
    assert len(scenario.alerts()) == sent and len(links(scenario)) == 1
    owner = again(scenario.world, sticker.owner)
    owner.put(f"/v2/fmd/{sticker.code}/preferencia", {"recordatorios": False})
    pass_days(scenario, 31)
    assert len(links(scenario)) == 1


def test_who_lost_the_right_or_the_record_is_not_asked(scenario: EmergencyScenario) -> None:
    sticker, other = sticker_with(scenario), sticker_with(scenario)
    user = choose(scenario, sticker)
    choose(scenario, other)
    assert user.submit(f"/app/{sticker.code}/recordatorios", every="").status_code == 303
    assert other.owner.delete("/v1/local/data", {"clave": CLAVE}).status_code == 200
    pass_days(scenario, 31)
    assert links(scenario) == []
    assert scenario.world.rows()["reminder_choices"] == 0
    hidden = (scenario.world.clock.now() + timedelta(days=1)).isoformat()
    assert PageUser(scenario.world).get(f"/recordatorio/{hidden}").status_code == 410


def test_one_record_that_does_not_open_stops_nobody_elses_reminder(scenario: EmergencyScenario) -> None:
    broken, other = sticker_with(scenario), sticker_with(scenario)
    for sticker in (broken, other):
        choose(scenario, sticker)
    with scenario.database.writing() as tx:
        tx.orm.get_one(Record, broken.record_id).wrapped_key = b"not a key"
    scenario.world.clock.move(days=31)
    jobs(scenario).ask_all(Job(1, ASK, {}, 1))
    scenario.run_due()
    assert [mail.to for mail in scenario.world.mails()] == [other.owner.correo]


def test_yes_to_what_todays_rules_refuse_opens_the_form(scenario: EmergencyScenario) -> None:
    sticker = sticker_with(scenario)
    choose(scenario, sticker)
    with scenario.database.writing() as tx:
        entry = tx.orm.get_one(Entry, (sticker.record_id, "medicacion"))
        key = tx.orm.get_one(Record, sticker.record_id).open_key(scenario.world.parts.keyring)
        document = open_document(key, sticker.record_id, "medicacion", entry.version, entry.sealed)
        document["medicamentos"][0]["dosis"] = "x" * 5000
        entry.sealed = seal_document(key, sticker.record_id, "medicacion", entry.version, document)
    pass_days(scenario, 31)
    [link] = links(scenario)
    phone = PageUser(scenario.world)
    answered = phone.post(link, respuesta="si")
    assert answered.status_code == 303 and "/medicacion?en=medicamentos.0" in answered.headers["location"]
    assert phone.get(link).status_code == 410
