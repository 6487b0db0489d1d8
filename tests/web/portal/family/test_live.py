"""An emergency on the family's pages, as whoever has no scripts sees it, and what the script asks for."""

import re
from html import unescape

from tests.emergencies.scenario import HERE, EmergencyScenario, contact, father
from tests.notices.test_notices import give_phone
from tests.web.portal.page_session import logged_in


def test_the_family_sees_an_alert_says_that_it_goes_and_ends_it(scenario: EmergencyScenario) -> None:
    world, sticker = scenario.world, scenario.sticker(contact(), father(), salud={"ausencia": "ninguna_conocida"})
    user = logged_in(world, sticker.owner)
    assert "Emergencia" not in user.get("/app").text and user.get("/app/aviso").text.strip() == ""
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
    # Who comes too late, or sends nonsense, changes nothing.
    for do in ("falsa", "voy", "x"):
        assert user.submit("/app/mi-cuenta", to=path, do=do).status_code == 303
    assert scenario.emergency(emergency).state == "resolved" and user.get("/app/aviso").text.strip() == ""


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
