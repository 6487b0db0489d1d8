"""Staff work on an emergency on the pages of the console: take, hand back, notes; refreshed, and readable without
scripts."""

import re

from httpx2 import Response

from ficha.accounts.accounts import Role
from ficha.emergencies.emergency_access import WATCHED
from ficha.web.kit.page_views import HEADER
from tests.emergencies.scenario import AlertSticker, EmergencyScenario
from tests.web.console.test_queues import given_to_staff, signed_in
from tests.web.portal.page_session import PageUser, logged_in


def test_somebody_takes_it_and_another_reads_who(scenario: EmergencyScenario) -> None:
    eva, leo = scenario.world.somebody_with(Role.STAFF), scenario.world.somebody_with(Role.STAFF)
    hers, his = logged_in(scenario.world, eva), logged_in(scenario.world, leo)
    _, number = given_to_staff(scenario)
    path, name = f"/admin/emergencias/{number}", eva.get("/v2/auth/me").json()["data"]["attributes"]["nombre"]
    assert "nadie todavía" in hers.get("/admin/emergencias").text
    seen = his.get(path).text
    assert "La atiendo yo" in seen and "no detiene ni cambia los avisos" in seen and "Nuestro equipo no." in seen
    done = hers.submit(path, f"{path}/tomar")
    assert done.status_code == 303 and done.headers["location"] == f"{path}?hecho=taken"
    assert f"{name} (usted)" in hers.get(path).text and "Devolverla" in hers.get(path).text
    late = his.submit(f"{path}/notas", f"{path}/tomar")
    assert late.status_code == 422 and f"{name} tiene esta emergencia." in late.text
    assert "Devolverla" not in late.text and "La atiendo yo" not in late.text
    assert name in his.get("/admin/emergencias").text and "ahora mismo" in his.get("/admin/emergencias").text
    assert his.submit(f"{path}/devolver", motivo="No es mía").status_code == 422
    assert hers.submit(f"{path}/devolver", motivo="").status_code == 422
    back = hers.submit(f"{path}/devolver", motivo="Termina mi turno")
    assert back.headers["location"] == f"{path}?hecho=handed_back"
    assert "por qué la devolvió" in his.get(path).text and "Termina mi turno" not in his.get(path).text


def test_a_note_opens_with_a_reason_for_an_hour(scenario: EmergencyScenario) -> None:
    staff, other = signed_in(scenario.world, Role.STAFF), signed_in(scenario.world, Role.STAFF)
    _, number = given_to_staff(scenario)
    path = f"/admin/emergencias/{number}"
    assert staff.submit(f"{path}/notas", texto=" ").status_code == 422
    kept = staff.submit(f"{path}/notas", texto="La vecina espera.\nTiene la llave.")
    assert kept.headers["location"] == f"{path}?hecho=noted"
    note = f"{path}/notas/1"
    assert "vecina" not in staff.get(path).text and "vecina" not in staff.get(note).text
    assert other.submit(note, motivo="corto").status_code == 422
    assert other.submit(note, motivo="Sigo yo con esta emergencia").status_code == 303
    assert "La vecina espera.\nTiene la llave." in other.get(note).text
    assert "vecina" not in staff.get(note).text, "each says it for herself"
    scenario.world.clock.move(hours=1)
    assert "vecina" not in other.get(note).text
    assert other.get(f"{path}/notas/2").status_code == 404


def test_the_list_keeps_itself_up_to_date_and_needs_no_script(scenario: EmergencyScenario) -> None:
    staff = signed_in(scenario.world, Role.STAFF)
    page = staff.get("/admin/emergencias")
    assert "Emergencias en curso: 0." in page.text and "/static/live." in page.text
    assert "connect-src 'self'" in page.headers["content-security-policy"]
    assert 'http-equiv="refresh"' not in page.text and "Cargar otra vez" in page.text
    _, number = given_to_staff(scenario)
    news = staff.get("/admin/emergencias/aviso").text
    assert f"Emergencias en curso: 1. Sin nadie que las atienda: 1. La más nueva es la {number}." in news
    assert "/static/live." not in staff.get("/admin/trabajos").text
    english = staff.get("/admin/emergencias?l=en").text
    assert "(Caracas)" in english and "just now" in english


def test_nobody_else_takes_or_reads(scenario: EmergencyScenario) -> None:
    _, number = given_to_staff(scenario)
    owner = signed_in(scenario.world, Role.OWNER)
    path = f"/admin/emergencias/{number}"
    for end in ("", "/devolver", "/notas", "/notas/1"):
        assert owner.get(path + end).status_code == 404
    for end in ("/tomar", "/devolver", "/notas", "/notas/1", "/conversacion"):
        assert owner.submit("/app/mi-cuenta", path + end).status_code in (404, 419)
    assert scenario.emergency(number).taken_by is None


def seal_in(page: Response) -> str:
    [seal] = re.findall(r'data-shown="([^"]+)"', page.text)
    return str(seal)


def ask_again(user: PageUser, path: str, seal: str) -> Response:
    return user.client.get(path, headers={HEADER: seal})


def looks(scenario: EmergencyScenario, sticker: AlertSticker) -> list[str]:
    scenario.world.drain_reads()
    return [one.action for one in scenario.log_of(sticker) if one.action in ("emergency.read", WATCHED)]


def test_a_page_that_loads_itself_again_is_no_new_look_and_shows_nothing_unlogged(scenario: EmergencyScenario) -> None:
    sticker, number = given_to_staff(scenario)
    one, other = signed_in(scenario.world, Role.STAFF), signed_in(scenario.world, Role.STAFF)
    path, noted = f"/admin/emergencias/{number}", ["emergency.read"]
    seal = seal_in(one.get(path))
    same = ask_again(one, path, seal)
    assert (same.status_code, same.content) == (204, b"") and looks(scenario, sticker) == noted
    assert other.submit("/admin/emergencias", f"{path}/tomar").status_code == 303
    changed = ask_again(one, path, seal)
    assert changed.status_code == 200 and "Quién la atiende" in changed.text
    noted.append(WATCHED)
    assert looks(scenario, sticker) == noted
    seal = seal_in(changed)
    assert ask_again(one, path, seal).status_code == 204
    # Of somebody who was not sent it before, made up, or of another page, it counts for nothing.
    content, since, proof = seal.split(".")
    for user, presented in (
        (other, seal),
        (one, f"{content}.{int(since) + 1}.{proof}"),
        (one, f"{content[::-1]}.{since}.{proof}"),
        (one, "x"),
        (one, "a.b.c.d"),
    ):
        assert ask_again(user, path, presented).status_code == 200
        noted.append("emergency.read")
    assert looks(scenario, sticker) == noted
    scenario.world.clock.move(hours=1)
    assert ask_again(one, path, seal).status_code == 200
    assert looks(scenario, sticker) == [*noted, "emergency.read"], "after an hour it is a look again"


def test_the_owner_reads_that_a_page_stayed_open_and_is_not_alarmed_by_it(scenario: EmergencyScenario) -> None:
    sticker, number = given_to_staff(scenario)
    staff, owner = signed_in(scenario.world, Role.STAFF), logged_in(scenario.world, sticker.owner)
    path, hers = f"/admin/emergencias/{number}", f"/app/emergencias/{number}"
    seals = {user: seal_in(user.get(page)) for user, page in ((staff, path), (owner, hers))}
    for user, page in ((staff, path), (owner, hers)):
        assert ask_again(user, page, seals[user]).status_code == 204
    assert staff.submit(path, f"{path}/tomar").status_code == 303
    for user, page in ((staff, path), (owner, hers)):
        assert ask_again(user, page, seals[user]).status_code == 200
    told = owner.get(f"/app/{sticker.code}/accesos").text
    assert "siguió con la emergencia abierta, y vio lo nuevo" in told
    alarms = owner.get(f"/app/{sticker.code}/accesos?ver=alarmas").text
    assert "vio la emergencia" in alarms and "siguió con la emergencia abierta" not in alarms


def test_a_place_in_words_is_shown_where_nobody_sent_coordinates(scenario: EmergencyScenario) -> None:
    staff = signed_in(scenario.world, Role.STAFF)
    sticker = scenario.sticker()
    number = int(scenario.press_alert(sticker).json()["data"]["id"])
    scenario.run_until_idle()
    path = f"/admin/emergencias/{number}"
    assert "Nadie envió una ubicación." in staff.get(path).text
    form = {"lugar": "Plaza Bolívar, by the fountain"}
    where = f"/e/{sticker.code}/{sticker.tag}/ubicacion"
    assert scenario.world.reader.post(where, data=form, follow_redirects=False).status_code == 303
    told = staff.get(path).text
    assert "«Plaza Bolívar, by the fountain». Nadie envió coordenadas." in told and "una ubicación." not in told
