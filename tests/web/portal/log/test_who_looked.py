"""Who looked, in sentences with filters and alarms, and "this was not me"."""

import re
from datetime import timedelta

from tests.web.portal.page_session import logged_in
from tests.web.portal.record.test_stickers import code_of, with_sticker
from tests.world import Person, World


def name(world: World, ana: Person, sticker: str, words: str) -> None:
    path = f"/app/{code_of(ana)}/etiquetas"
    assert logged_in(world, ana).submit(path, do=f"name:{sticker}", name=words).status_code == 303


def test_a_scan_is_told_in_the_owners_zone_with_the_name_of_the_sticker(world: World, ana: Person) -> None:
    code, tag = with_sticker(world, ana)
    name(world, ana, code, "casco <b>")
    ana.put(f"/v2/fmd/{code}/preferencia", {"zona_horaria": "America/Caracas"})
    world.clock.move(hours=6, minutes=22)
    world.reader.get(f"/E/{code}/{tag}")
    day = world.clock.now()
    world.clock.move(days=2)
    user, path = logged_in(world, ana), f"/app/{code}/accesos"
    said = ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo")[day.weekday()]
    page = user.get(path).text
    sentence = (
        f"Una persona desconocida abrió la ficha el {said} a las 14:22, tras escanear la etiqueta «casco &lt;b&gt;»"
    )
    assert sentence in page and "Las horas son de Caracas" in page and "Fíjese" not in page
    assert "A stranger opened the record on" in user.get(f"{path}?l=en").text
    assert "Uma pessoa desconhecida abriu a ficha" in user.get(f"{path}?l=pt").text
    assert "Última vez escaneada" in user.get(f"/app/{code}/etiquetas").text
    # By parts: changes are hers, strangers are not.
    assert "Una persona desconocida" not in user.get(f"{path}?ver=cambios").text
    strangers = user.get(f"{path}?ver=extranos").text
    assert sentence in strangers and "Usted miró" not in strangers
    assert "No hay nada así" in user.get(f"{path}?ver=alarmas").text
    # Whoever gives a name and a reason is an alarm, by that name.
    broken = world.client.post(f"/e/{code}/{tag}/mas", data={"quien": "Dra. Soto", "motivo": "Urgencias"})
    assert broken.status_code == 200
    page = user.get(path).text
    assert "hubo alarmas: " in page and "Quien dijo ser «Dra. Soto» pidió ver más" in page
    assert "Dra. Soto" in user.get(f"{path}?ver=alarmas").text


def test_ones_own_looks_are_folded_into_one_line_and_nothing_else_is(world: World, ana: Person) -> None:
    code, tag = with_sticker(world, ana)
    user, path = logged_in(world, ana), f"/app/{code}/accesos"
    world.reader.get(f"/E/{code}/{tag}")
    for _ in range(3):
        user.get(f"/app/{code}")
        world.clock.move(minutes=20)
    page = user.get(path).text
    fold = re.search(r"<details><summary>Usted miró: (\d+) veces seguidas</summary>(.*?)</details>", page, re.DOTALL)
    assert fold is not None
    assert fold[2].count("no-fui-yo?de=") == int(fold[1]) >= 4, "each can be told to be somebody else's, and opens"
    assert "Una persona desconocida" not in fold[2] and "Una persona desconocida abrió" in page
    assert "creó la ficha" in page and "creó la ficha" not in fold[2]
    assert "You looked: " in user.get(f"{path}?l=en").text and "Você olhou: " in user.get(f"{path}?l=pt").text


def test_times_are_those_of_whoever_reads(world: World, ana: Person) -> None:
    """She lives in Madrid; the record that she keeps names the zone of a child in Caracas."""
    madrid = world.register(cod_telefono="+34", telefono="612345678")
    code = code_of(madrid)
    madrid.put(f"/v2/fmd/{code}/preferencia", {"zona_horaria": "America/Caracas"})
    assert "Las horas son de Madrid" in logged_in(world, madrid).get(f"/app/{code}/accesos").text
    # A number of which no zone is known, then a record that names none: the country of the browser, then the service's.
    japan = world.register(cod_telefono="+81", telefono="312345678")
    code = code_of(japan)
    user, path = logged_in(world, japan), f"/app/{code}/accesos"
    assert "Las horas son de Bogotá" in user.client.get(path, headers={"Accept-Language": "es-CO"}).text
    assert "Las horas son de Caracas" in user.client.get(path, headers={"Accept-Language": "es"}).text
    japan.put(f"/v2/fmd/{code}/preferencia", {"zona_horaria": "Asia/Tokyo"})
    assert "Las horas son de Tokyo" in user.get(path).text


def test_this_was_not_me_closes_all_of_it_at_once(world: World, ana: Person) -> None:
    code, tag = with_sticker(world, ana)
    first = code_of(ana)
    luis = world.register(nombre="Luis Molina")
    hasta = (world.clock.now() + timedelta(days=3)).isoformat()
    ana.post(f"/v2/fmd/{code}/grants", {"correo": luis.correo, "tipo": "delegate", "hasta": hasta, "edita": True})
    world.accept_invitation(luis)
    luis.put(f"/v2/fmd/{code}/salud", {"condiciones": [{"condicion": {"texto": "Asma"}}]})
    world.reader.get(f"/E/{code}/{tag}")
    user, thief = logged_in(world, ana), logged_in(world, ana)
    alarms = user.get(f"/app/{first}/accesos?ver=alarmas").text
    assert "Luis Molina, con acceso, cambió la ficha" in alarms
    path = f"/app/{first}/no-fui-yo"
    entry = re.search(rf"{path}\?de=(\d+)", alarms)
    assert entry is not None
    asked = user.get(f"{path}?de={entry.group(1)}").text
    grant = re.search(r'name="(acceso\.\d+)" value="si" checked', asked)
    assert grant is not None and asked.count(" checked") == 1
    scan = re.search(rf"{path}\?de=(\d+)", user.get(f"/app/{first}/accesos?ver=extranos").text)
    assert scan is not None
    assert f'name="etiqueta.{code}" value="si" checked' in user.get(f"{path}?de={scan.group(1)}").text
    # A grant of another record is nothing to her, and nothing ticked changes nothing.
    assert "nada cambió" in user.get(user.submit(path).headers["location"]).text
    ticked = {grant.group(1): "si", "acceso.999999": "si", f"etiqueta.{code}": "si", f"etiqueta.{first}": "si"}
    done = user.submit(path, sesiones="si", **ticked)
    fresh = re.fullmatch(r"/app/(\w+)/no-fui-yo\?hecho=1.*", done.headers["location"])
    # Both stickers are dead; the record has a new code, by which its owner finds it.
    assert fresh is not None and fresh.group(1) not in (code, first)
    said = user.get(done.headers["location"]).text
    for words in ("Sus otras sesiones terminaron", "ya no abren nada: 2", "Accesos retirados: 1", "Cambie también"):
        assert words in said
    assert world.reader.get(f"/E/{code}/{tag}").status_code == 410
    assert luis.get(f"/v2/fmd/{fresh.group(1)}/salud").status_code == 404
    assert ana.get("/v2/auth/me").status_code == 401
    assert thief.get("/app").headers["location"].startswith("/login")
    assert user.get("/app").status_code == 200


def test_a_scan_of_an_ended_sticker_is_told_as_what_it_was(world: World, ana: Person) -> None:
    code, tag = with_sticker(world, ana)
    name(world, ana, code, "casco")
    first = code_of(ana)
    assert ana.post(f"/v2/products/{code}/lost").status_code == 200
    assert world.reader.get(f"/E/{code}/{tag}").status_code == 410
    user, path = logged_in(world, ana), f"/app/{first}/accesos?ver=extranos"
    assert "Alguien escaneó una etiqueta que ya no servía" in user.get(path).text and "(casco)" in user.get(path).text
    assert "Somebody scanned a sticker that had ended" in user.get(f"{path}&l=en").text
    assert "Alguém escaneou uma etiqueta que já não servia" in user.get(f"{path}&l=pt").text
    assert "abrió la ficha" not in user.get(path).text, "it opened nothing"
    assert "Nunca escaneada" in user.get(f"/app/{first}/etiquetas").text
