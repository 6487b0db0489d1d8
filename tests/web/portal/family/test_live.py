"""An emergency on the family's pages, as whoever has no scripts sees it, and what the script asks for."""

import re
from html import unescape

from ficha.fmd.grants import GrantKind
from tests.emergencies.scenario import HERE, MARIA, EmergencyScenario, contact, father, granted
from tests.emergencies.test_relay import CALLED, TYPED, begun
from tests.notices.test_notices import give_phone
from tests.web.portal.page_session import logged_in


def heading(page: str) -> str:
    """That of the page, which its title repeats."""
    [said] = re.findall(r"<h1[^>]*>(.*?)</h1>", page)
    assert f"<title>{said} · Ficha</title>" in page
    return str(said)


def test_the_family_sees_an_alert_says_that_it_goes_and_ends_it(scenario: EmergencyScenario) -> None:
    world, sticker = scenario.world, scenario.sticker(contact(), father(), salud={"ausencia": "ninguna_conocida"})
    user = logged_in(world, sticker.owner)
    assert "Emergencia:" not in user.get("/app").text and user.get("/app/aviso").text.strip() == ""
    emergency = scenario.press_alert(sticker, HERE).json()["data"]["id"]
    scenario.run_until_idle()
    give_phone(scenario, sticker)
    path = f"/app/emergencias/{emergency}"
    for where in ("/app", "/app/aviso"):
        shown = user.get(where).text
        assert "Emergencia: Ana Lucía Pérez Rojas" in shown and f'href="{path}"' in shown
        assert "Nadie viene todavía" in shown
    page = user.get(path)
    assert page.status_code == 200
    # Its own page has no banner that leads to itself.
    asks = re.search(r'data-from="([^"]+)"', page.text)
    assert asks is not None and user.get(unescape(asks.group(1))).text.strip() == ""
    for words in ("Ana puede necesitar ayuda", "10.48801", "openstreetmap.org", "escaneó su etiqueta", "La madre"):
        assert words in page.text, words
    # In her own zone, and without what was said to who raised the alert.
    assert "hora de Caracas" in page.text and "Recibimos su aviso" not in page.text
    assert user.submit(path, do="voy").headers["location"] == path
    assert "Persona va en camino<" in user.get(path).text and ">Voy en camino<" not in user.get(path).text
    assert heading(user.get(path).text) == "Ana: alguien va en camino"
    assert scenario.emergency(emergency).state == "acknowledged"
    assert "Alguien va en camino" in user.get("/app/aviso").text
    # Somebody whom it does not concern is told nothing, and can do nothing.
    other = logged_in(world, world.register())
    assert other.get(path).status_code == 404 and other.get("/app/aviso").text.strip() == ""
    assert other.submit("/app/mi-cuenta", to=path, do="falsa").status_code == 404
    user.submit(path, do="terminada")
    assert scenario.emergency(emergency).state == "resolved"
    ended = user.get(path).text
    assert "La emergencia terminó<" in ended and 'value="terminada"' not in ended
    assert heading(ended) == "La emergencia de Ana terminó"
    # Who comes too late, or sends nonsense, changes nothing.
    for do in ("falsa", "voy", "x"):
        assert user.submit("/app/mi-cuenta", to=path, do=do).status_code == 303
    assert scenario.emergency(emergency).state == "resolved" and user.get("/app/aviso").text.strip() == ""


TITLES = {
    "": ("Ana puede necesitar ayuda", "Ana: fue una falsa alarma", "Falsa alarma", "Lo que se escribieron"),
    "?l=en": ("Ana may need help", "Ana: it was a false alarm", "False alarm", "What they wrote to each other"),
    "?l=pt": ("Ana pode precisar de ajuda", "Ana: foi um alarme falso", "Alarme falso", "O que escreveram"),
}


def test_the_page_tells_everything_and_stays_as_a_report(scenario: EmergencyScenario) -> None:
    """What the stranger writes and what is answered, later scans, who was told by which way and where it is; the same
    when it is over, in the list of all of them."""
    talk = begun(scenario, contact(canales=["whatsapp"]), father(canales=["whatsapp"]))
    give_phone(scenario, talk.sticker)
    user, path = logged_in(scenario.world, talk.sticker.owner), f"/app/emergencias/{talk.emergency_id}"
    assert "Todavía no escribió nadie" in user.get(path).text
    scenario.world.clock.move(minutes=1)
    talk.send("No despierta", TYPED)
    talk.reply("¿Dónde están?")
    scenario.read_chat(MARIA)
    scenario.world.clock.move(minutes=4)
    scenario.press_alert(talk.sticker, HERE)
    assert len(scenario.emergencies()) == 1, "it joins the one under way"
    page = unescape(user.get(path).text)
    for words in (
        "08:01 · Quien está con la persona: «No despierta»",
        "08:01 · Quien está con la persona dejó su teléfono",
        "08:01 · La madre (María Rojas): «¿Dónde están?»",
        f'href="tel:{CALLED}"',
        "08:01 · La madre (María Rojas) leyó el aviso · por WhatsApp",
        "08:05 · Alguien escaneó la etiqueta y volvió a avisar",
        'href="https://www.openstreetmap.org/?mlat=10.48801&mlon=-66.87919',
        "Las horas son las de Caracas.",
    ):
        assert words in page, (words, page)
    assert page.count("abrió la ficha") == 0
    scenario.world.clock.move(minutes=25)
    user.submit(path, do="falsa")
    scenario.world.clock.move(days=40)
    scenario.run_until_idle()
    user = logged_in(scenario.world, talk.sticker.owner)
    report = unescape(user.get(path).text)
    for words in ("«No despierta»", "«¿Dónde están?»", "leyó el aviso", "volvió a avisar", "mlat=10.48801"):
        assert words in report, words
    assert "08:30, a los 30 min · Persona" in report and "Este informe se queda aquí." in report
    assert CALLED not in report, "the number was left to be called at, and nobody needs it any more"
    scenario.press_alert(talk.sticker)
    later = scenario.emergencies()[-1].id
    for query, (opened, canceled, state, said) in TITLES.items():
        assert heading(user.get(f"/app/emergencias/{later}{query}").text) == opened
        page = user.get(path + query).text
        assert heading(page) == canceled and f"<h2>{said}</h2>" in page
        listed = user.get(f"/app/emergencias{query}").text
        assert state in listed and listed.index(f"/app/emergencias/{later}") < listed.index(path)
    # Nobody else has any of it.
    other = logged_in(scenario.world, scenario.world.register())
    assert "No ha habido ninguna" in other.get("/app/emergencias").text
    assert 'href="/app/emergencias"' in other.get("/app").text


def test_words_are_for_the_family_and_the_number_for_who_acts(scenario: EmergencyScenario) -> None:
    talk = begun(scenario)
    talk.send("No despierta", TYPED)
    for kind, edits, reads, calls in (
        (GrantKind.DELEGATE, True, True, True),
        (GrantKind.DELEGATE, False, True, False),
        (GrantKind.INSTITUTION, False, False, False),
    ):
        user = logged_in(scenario.world, granted(scenario, talk.sticker, kind, edits=edits))
        page = user.get(f"/app/emergencias/{talk.emergency_id}").text
        assert ("No despierta" in page) is reads and (CALLED in page) is calls, kind
        listed = user.get("/app/emergencias").text
        assert (f"/app/emergencias/{talk.emergency_id}" in listed) is reads, kind


def test_each_further_scan_is_told_once(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact())
    emergency = scenario.press_alert(sticker, HERE).json()["data"]["id"]
    for minutes in (1, 1, 11, 2, 30):
        scenario.world.clock.move(minutes=minutes)
        assert scenario.world.reader.get(f"/e/{sticker.code}/{sticker.tag}").status_code == 200
    scenario.world.parts.read_log.drain_now()
    page = logged_in(scenario.world, sticker.owner).get(f"/app/emergencias/{emergency}").text
    assert re.findall(r"(\d\d:\d\d) · Alguien escaneó la etiqueta y abrió la ficha", page) == ["08:45", "08:13"]


def test_a_long_list_has_pages(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact())
    for _ in range(31):
        scenario.press_alert(sticker)
        scenario.world.clock.move(hours=2)
    user = logged_in(scenario.world, sticker.owner)
    first = user.get("/app/emergencias").text
    following = re.search(r'href="(/app/emergencias\?cursor=[^"]+)"', first)
    assert first.count('href="/app/emergencias/') == 30 and following is not None
    rest = user.get(unescape(following[1])).text
    assert rest.count('href="/app/emergencias/') == 1 and "/app/emergencias?cursor=" not in rest


def test_an_opening_is_told_to_those_who_manage_the_record(scenario: EmergencyScenario) -> None:
    sticker, other = scenario.sticker(contact()), scenario.sticker(contact())
    user = logged_in(scenario.world, sticker.owner)
    told = user.get(f"/app/aviso?abierta={sticker.record_id}").text
    assert "Alguien abrió ahora la ficha de Ana" in told and re.search(r'href="/app/\w{6}/accesos"', told)
    for unknown in (other.record_id, 1):
        assert user.get(f"/app/aviso?abierta={unknown}").text.strip() == ""
    english = user.get(f"/app/aviso?abierta={sticker.record_id}&l=en").text
    assert "Somebody opened the record" in english


def test_a_drill_leads_to_its_report_and_is_no_alarm(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact())
    user = logged_in(scenario.world, sticker.owner)
    report = user.submit(f"/app/{sticker.code}/simulacro", do="run").headers["location"]
    drill = report.rpartition("/")[2]
    assert user.get(f"/app/emergencias/{drill}").headers["location"] == report
    give_phone(scenario, sticker)
    for page in (report, f"/app/{sticker.code}/simulacro"):
        assert "Hoy a las 08:00 (Caracas)" in user.get(page).text
    assert user.get("/app/aviso").text.strip() == ""


def test_pages_of_the_family_alone_listen(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact())
    user = logged_in(scenario.world, sticker.owner)
    for path, listens in (("/app", True), (f"/app/{sticker.code}", True), ("/", False), ("/logout", False)):
        page = user.get(path)
        assert bool(re.search(r'<script src="/static/live\.\w+\.js" defer>', page.text)) is listens, path
        assert ("connect-src 'self'" in page.headers["content-security-policy"]) is listens
