"""Whoever is with the person and the family write to each other, by page and WhatsApp, until the emergency ends."""

import io
import re
from collections.abc import Iterator
from contextlib import redirect_stderr
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from httpx2 import Response
from sqlalchemy import select, text

from ficha.core.log import configure_logs
from ficha.emergencies.relay_lines import RelayMessage
from tests.emergencies.scenario import HERE, MARIA, PEDRO, AlertSticker, EmergencyScenario, contact, father
from tests.emergencies.test_answers import token_in
from tests.world import World, build_world, settings_for

# Of whoever is with the person: as it is typed, and as it is called.
TYPED, CALLED = "0424 333 2211", "+584243332211"
IN_VENEZUELA = {"Accept-Language": "es-VE"}


@dataclass
class Conversation:
    """An emergency with a mother who was alerted, and whoever is with the person at the sticker's page."""

    scenario: EmergencyScenario
    sticker: AlertSticker
    emergency_id: int
    link: str

    @property
    def path(self) -> str:
        return f"/e/{self.sticker.code}/{self.sticker.tag}"

    def page(self, query: str = "") -> str:
        return str(self.scenario.world.reader.get(self.path + query).text)

    def contact_page(self) -> str:
        return str(self.scenario.world.reader.get(f"/a/{self.link}").text)

    def write(self, words: str = "", phone: str = "", **more: str) -> Response:
        """As the form does that the page shows now."""
        mark = re.search(r'name="vez" value="(\d+)"', self.page())
        form = {"mensaje": words, "telefono": phone, "vez": mark[1] if mark else "", "l": "es"} | more
        path = f"{self.path}/mensaje"
        return self.scenario.world.reader.post(path, data=form, follow_redirects=False, headers=IN_VENEZUELA)

    def send(self, words: str = "", phone: str = "") -> None:
        assert self.write(words, phone).status_code == 303
        self.scenario.run_until_idle()

    def reply(self, words: str, who: str = MARIA, **more: Any) -> None:
        """By WhatsApp."""
        self.scenario.world.clock.move(seconds=2)
        self.scenario.world.platform.receive(from_=who, **{"type": "text", "text": words} | more)
        self.scenario.run_until_idle()

    def answer(self, words: str, vez: str = "") -> Response:
        """On the page of the mother's link."""
        form = {"mensaje": words, "vez": vez}
        sent = self.scenario.world.reader.post(f"/a/{self.link}/mensaje", data=form, follow_redirects=False)
        self.scenario.run_until_idle()
        return sent

    def got(self, who: str = MARIA) -> list[str]:
        """What WhatsApp brought since the alert."""
        return [each.text for each in self.scenario.alerts() if each.wa_id == who][1:]

    def end(self) -> None:
        owner = self.sticker.owner
        path = f"/v2/emergencies/{self.emergency_id}"
        done = owner.client.patch(path, json={"state": "resolved"}, headers=owner.headers)
        assert done.status_code == 200, done.text
        self.scenario.run_until_idle()

    def count(self) -> int:
        with self.scenario.database.reading() as tx:
            return len(tx.orm.scalars(select(RelayMessage)).all())


def said(page: str) -> list[str]:
    """The lines of the conversation that a page shows, without how long ago."""
    box = page.partition('class="said"')[2].partition("</ul>")[0]
    return [re.sub(r" · .*", "", line) for line in re.findall(r"<li>(.*?)</li>", box)]


def begun(scenario: EmergencyScenario, *contacts: dict[str, Any], **models: Any) -> Conversation:
    sticker = scenario.sticker(*(contacts or (contact(canales=["whatsapp"]),)), **models)
    assert scenario.press_alert(sticker, HERE).status_code == 201
    scenario.run_until_idle()
    return Conversation(scenario, sticker, scenario.emergencies()[-1].id, token_in(scenario, -1))


@pytest.fixture
def log_stream(tmp_path: Path) -> Iterator[io.StringIO]:
    with redirect_stderr(io.StringIO()) as stream:
        configure_logs(settings_for("", tmp_path, log_level="debug", log_format="json"))
        yield stream
    configure_logs(settings_for("", tmp_path))


def test_the_family_and_whoever_is_there_talk_without_numbers(
    scenario: EmergencyScenario, log_stream: io.StringIO
) -> None:
    talk = begun(scenario, contact(canales=["whatsapp"]), father(canales=["whatsapp"]))
    assert 'id="say"' in talk.page() and said(talk.page()) == []
    talk.send("No despierta.  Mire http://malo.example\u202e ya")
    # She has not written to us: only a template reaches her.
    safe = "No despierta. Mire http malo. example ya"
    [first] = talk.got()
    assert f"Quien está con Ana escribe: «{safe}». Lo que usted responda aquí" in first
    assert scenario.alerts()[-1].type == "template"
    talk.reply("¿Dónde están?")
    assert said(talk.page()) == [f"Usted: «{safe}»", "La madre: «¿Dónde están?»"]
    assert "no está claro si viene" in talk.page(), "it is an unclear answer as before"
    talk.send("En la plaza", TYPED)
    assert scenario.alerts()[-1].type == "text", "she wrote: words reach her as they are"
    assert talk.got()[-2:] == [
        "Quien está con Ana escribe: «En la plaza»",
        f"Quien está con Ana dejó su teléfono para que lo llame: {CALLED}",
    ]
    talk.reply("Voy, llego en diez minutos")
    assert scenario.emergency(talk.emergency_id).state == "acknowledged"
    assert talk.answer("Pónganla de lado").status_code == 303
    talk.reply("Gracias")
    lines = said(talk.page())
    assert lines[-4:] == [
        "Usted dejó su teléfono",
        "La madre: «Voy, llego en diez minutos»",
        "La madre: «Pónganla de lado»",
        "La madre: «Gracias»",
    ]
    hers = talk.contact_page()
    assert said(hers)[0] == f"Quien está con la persona: «{safe}»" and said(hers)[-1] == "Usted: «Gracias»"
    assert f'href="tel:{CALLED}"' in hers and "UTC" not in hers
    # The father was never alerted: the mother answered first.
    assert talk.got(PEDRO) == []
    assert_no_numbers(talk, log_stream.getvalue())


def assert_no_numbers(talk: Conversation, logged: str) -> None:
    """The mother's number is nowhere but on the card with which the owner lets strangers call her; the one that was
    left is only on her page and in her message."""
    scenario = talk.scenario
    with scenario.database.reading() as tx:
        events = [str(row) for row in tx.orm.execute(text("SELECT * FROM events"))]
        jobs = (
            [] if not scenario.database.is_sqlite else [str(row) for row in tx.orm.execute(text("SELECT * FROM jobs"))]
        )
    owners_card = f'href="tel:+{MARIA}"'
    page = talk.page().replace(owners_card, "")
    hers = talk.contact_page()
    left = CALLED.removeprefix("+58")
    digits = [re.sub(r"\D", "", each) for each in (*events, *jobs)]
    assert events and logged
    for found in (page, logged, *events, *jobs):
        assert CALLED not in found and left not in found
    for found in (hers, logged, *talk.got()):
        assert MARIA not in found and MARIA[2:] not in found
    assert not any(MARIA in one or left in one for one in digits)


def test_after_the_end_nothing_is_passed_on(scenario: EmergencyScenario) -> None:
    talk = begun(scenario)
    talk.send("Sigue aquí")
    talk.reply("Voy")
    before, got = talk.count(), talk.got()
    talk.end()
    end = "La emergencia de Ana terminó. No hace falta que haga nada más."
    assert 'id="say"' not in talk.page() and said(talk.page()) == []
    assert "/mensaje" not in talk.contact_page() and said(talk.contact_page()) == []
    assert talk.write("¿Hay alguien?").status_code == 409
    talk.reply("Ya llegué")
    assert talk.answer("Ya llegué").status_code == 303
    assert (talk.count(), talk.got()) == (before, [*got, end])
    kept = talk.sticker.owner.get(f"/v2/fmd/{talk.sticker.code}/export").json()["mensajes"]
    assert [(line["emergencia"], line["texto"]) for line in kept] == [
        (talk.emergency_id, "Sigue aquí"),
        (talk.emergency_id, "Voy"),
    ]
    assert kept[0]["contacto"] is None and kept[1]["contacto"]
    with scenario.database.reading() as tx:
        assert not any(b"Sigue" in sealed for sealed in tx.orm.scalars(select(RelayMessage.sealed)))


def test_what_waits_for_the_platform_ends_with_the_emergency(scenario: EmergencyScenario) -> None:
    talk = begun(scenario)
    talk.reply("Voy")
    scenario.platform_down()
    talk.send("Se la lleva la ambulancia")
    talk.end()
    scenario.platform_up()
    scenario.pass_seconds(600)
    assert not any("ambulancia" in words for words in talk.got())


def test_a_contact_who_is_alerted_later_gets_what_was_said(scenario: EmergencyScenario) -> None:
    talk = begun(scenario, contact(canales=["whatsapp"]), father(canales=["whatsapp"]))
    talk.send("Está fría")
    talk.send("Respira")
    scenario.pass_seconds(61)
    words = [each.text for each in scenario.alerts() if each.wa_id == PEDRO]
    assert len(words) == 3 and "«Está fría»" in words[1] and "«Respira»" in words[2]


def test_whoever_never_answered_gets_few_and_who_declined_none(scenario: EmergencyScenario) -> None:
    talk = begun(scenario)
    for number in range(5):
        talk.send(f"Mensaje {number}")
    assert len(talk.got()) == 3, "an owner can name anybody as a contact"
    talk.reply("¿Quién es?")
    assert [f"«Mensaje {number}»" in "".join(talk.got()) for number in range(5)] == [True] * 5
    talk.reply("Número equivocado")
    count = len(talk.got())
    talk.send("¿Hola?")
    assert len(talk.got()) == count
    assert said(talk.page())[-1] == "Usted: «¿Hola?»" and "equivocado" not in talk.page()


def test_sent_twice_is_said_once(scenario: EmergencyScenario) -> None:
    talk = begun(scenario)
    for _ in range(2):
        assert talk.write("Respira", vez="0").status_code == 303
        assert talk.answer("Ya voy", vez="0").status_code == 303
    scenario.run_until_idle()
    assert said(talk.page()) == ["Usted: «Respira»", "La madre: «Ya voy»"]
    assert len(talk.got()) == 1
    assert talk.write("Respira").status_code == 303, "said again later, it is another one"
    assert len(said(talk.page())) == 3


def test_a_number_that_nobody_can_call_is_given_back(scenario: EmergencyScenario) -> None:
    talk = begun(scenario)
    for wrong in ("123", "911", "no tengo", "+58 000"):
        answer = talk.write("Hola", wrong)
        assert answer.status_code == 422 and "A ese número no se puede llamar" in answer.text
        assert f'value="{wrong}"' in answer.text and ">Hola</textarea>" in answer.text
        assert "http-equiv" not in answer.text, "a page that reloads cannot be typed into"
    assert "cannot be called" in talk.write("Hola", "123", l="en").text
    assert talk.count() == 0


def test_a_hidden_contact_is_not_named(scenario: EmergencyScenario) -> None:
    talk = begun(scenario, consentimiento={"visibilidad": {"emergencia": "B"}})
    talk.reply("¿Dónde están?")
    assert said(talk.page()) == ["Un contacto: «¿Dónde están?»"]


# By what the owner lets strangers see of the contacts: what the mother reads in her message and on her page.
NUMBER_SEEN = {
    "R": {
        "es": ("La etiqueta le muestra también su número", "sí lo ve en la etiqueta"),
        "en": ("The sticker shows them your number too", "They do see yours on the sticker"),
        "pt": ("A etiqueta também lhe mostra o seu número", "O seu ela vê na etiqueta"),
    },
    "B": {
        "es": ("se le muestra solo si se identifica", "solo si se identifica"),
        "en": ("shown only if they give their name", "only if they give their name"),
        "pt": ("só é mostrado se ela se identificar", "se se identificar"),
    },
    "P": {
        "es": ("su número no se le muestra", "tampoco se muestra"),
        "en": ("your number is not shown", "Yours is not shown either"),
        "pt": ("o seu número não é mostrado", "também não é mostrado"),
    },
}


@pytest.mark.one_case_on_postgresql("language")
@pytest.mark.parametrize("door", NUMBER_SEEN)
@pytest.mark.parametrize("language", ["es", "en", "pt"])
def test_what_is_said_of_numbers_follows_the_consent(scenario: EmergencyScenario, door: str, language: str) -> None:
    mother = contact(canales=["whatsapp"], idioma=language)
    talk = begun(scenario, mother, consentimiento={"visibilidad": {"emergencia": door}})
    talk.send("No despierta")
    [message] = talk.got()
    page = unescape(scenario.world.reader.get(f"/a/{talk.link}?l={language}").text)
    for other, said_of in NUMBER_SEEN.items():
        assert (said_of[language][0] in message) is (other == door), message
        assert (said_of[language][1] in page) is (other == door), other
    assert (f'href="tel:+{MARIA}"' in talk.page()) is (door == "R")


def test_without_an_alert_or_by_a_wrong_sticker_nothing_is_written(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact())
    talk = Conversation(scenario, sticker, 0, "x" * 30)
    assert 'id="say"' not in talk.page() and talk.write("Hola").status_code == 409
    assert scenario.world.reader.post(f"/e/{sticker.code}/{'A' * 26}/mensaje", data={}).status_code == 404
    assert talk.answer("Hola").status_code == 404
    assert talk.count() == 0


def test_a_typed_code_has_no_page_to_write_to(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact(canales=["whatsapp"]))
    assert scenario.world.reader.post(f"/e/{sticker.code}/avisar", data={}).status_code == 200
    scenario.run_until_idle()
    talk = Conversation(scenario, sticker, scenario.emergencies()[-1].id, token_in(scenario, -1))
    typed = scenario.world.reader.get(f"/e/{sticker.code}").text
    assert "/mensaje" not in typed and "/mensaje" not in talk.contact_page()
    talk.send("Ahora tengo la etiqueta")
    assert said(talk.contact_page()) == ["Quien está con la persona: «Ahora tengo la etiqueta»"]


@pytest.fixture
def limited_world(database_url: str, tmp_path: Path) -> Iterator[World]:
    # A window ends with the minute, the hour or the day of the machine's clock, whenever the test began. This one ends
    # in 2052.
    limits = {"rate_limits": "on", "limit_relay": "4/9999 days", "relay_messages": 3, "limit_link": "99/minute"}
    world = build_world(settings_for(database_url, tmp_path / "data", **limits))
    world.listen()
    yield world
    world.close()


def test_limits_for_each_emergency_and_each_address(limited_world: World) -> None:
    talk = begun(EmergencyScenario(limited_world))
    for number in range(3):
        talk.send(f"Mensaje {number}")
    assert "Ya no caben más mensajes" in talk.page() and 'id="say"' not in talk.page()
    assert talk.write("Uno más").status_code == 409
    refused = talk.write("Otro más")
    assert refused.status_code == 429 and int(refused.headers["retry-after"]) > 0
    assert talk.answer("Desde la misma casa").status_code == 429
    for number in range(5):
        talk.reply(f"Ya salgo {number}")
    assert talk.count() == 6, "of each side three"
