"""The people of a record on pages: contacts and test messages, access for others, institutions; and the drill."""

import re
from datetime import timedelta

from tests.api.administration.institutions import mailed_token, new_institution
from tests.emergencies.scenario import HERE, MARIA, PEDRO, AlertSticker, EmergencyScenario, contact, father
from tests.web.portal.forms.form_filling import ShownForm
from tests.web.portal.page_session import PageUser, logged_in
from tests.world import World

STATED = {
    "alergiasm": {"ausencia": "ninguna_conocida"},
    "medicacion": {"medicamentos": [{"medicamento": {"texto": "Warfarina", "sistema": "atc", "codigo": "B01AA03"}}]},
}


def contacts_of(scenario: EmergencyScenario, sticker: AlertSticker) -> list[dict[str, object]]:
    path = f"/v2/fmd/{sticker.code}/emergencia"
    answer = scenario.world.reader.get(path, headers=sticker.owner.headers).json()
    found: list[dict[str, object]] = answer["data"]["attributes"]["data"]["contactos"]
    return sorted(found, key=lambda one: int(str(one["prioridad"])))


def page_of(user: PageUser, path: str) -> str:
    answer = user.get(path)
    assert answer.status_code == 200, answer.text
    return answer.text


def version_in(page: str) -> str:
    found = re.search(r'name="version" value="(\d+)"', page)
    assert found is not None
    return found.group(1)


def test_contacts_get_another_order_language_and_channels(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact(), father())
    user, path = logged_in(scenario.world, sticker.owner), f"/app/{sticker.code}/personas"
    page = page_of(user, path)
    assert page.index("María Rojas") < page.index("Pedro Pérez")
    mother, parent = (str(one["id"]) for one in contacts_of(scenario, sticker))
    shown = version_in(page)
    assert user.submit(path, do=f"up:{parent}", version=shown).headers["location"] == f"{path}?hecho=guardado"
    assert [one["id"] for one in contacts_of(scenario, sticker)] == [parent, mother]
    # Somebody who still sees the page as it was is told, and overwrites nothing.
    fields = {"do": f"contact:{mother}", "idioma": "en", "canal.correo": "si"}
    assert user.submit(path, version=shown, **fields).headers["location"] == f"{path}?hecho=cambio"
    assert "Alguien cambió esto" in page_of(user, f"{path}?hecho=cambio")
    user.submit(path, version=version_in(page_of(user, path)), **fields)
    changed = contacts_of(scenario, sticker)[1]
    assert (changed["idioma"], changed["canales"], changed["nombre"]) == ("en", ["correo"], "María Rojas")
    for do in ("up:nobody", f"up:{parent}", "contact:nobody", "x", ""):
        assert user.submit(path, do=do, version=version_in(page_of(user, path))).status_code == 303
    assert len(contacts_of(scenario, sticker)) == 2


def test_a_test_message_says_so_is_answered_and_delays_no_alert(scenario: EmergencyScenario) -> None:
    scenario.world.listen()
    sticker = scenario.sticker(contact(canales=["whatsapp", "correo"]), father())
    user, path = logged_in(scenario.world, sticker.owner), f"/app/{sticker.code}/simulacro"
    mother, _ = (str(one["id"]) for one in contacts_of(scenario, sticker))
    assert "Enviar una prueba por WhatsApp" in page_of(user, f"/app/{sticker.code}/personas")
    sent = user.submit(path, do=f"test:{mother}:whatsapp")
    report = sent.headers["location"].partition("?")[0]
    scenario.run_until_idle()
    (test,) = scenario.alerts()
    assert test.to.lstrip("+") == MARIA and test.text.startswith("Esto es una prueba: no pasa nada. Ana")
    assert "La prueba llegó" in page_of(user, report)
    assert "Usted envió un mensaje de prueba a un contacto hoy a las" in page_of(user, f"/app/{sticker.code}/accesos")
    # By mail in the same drill; and once by each way.
    drill = report.rpartition("/")[2]
    assert user.submit(path, do=f"test:{mother}:correo", drill=drill).headers["location"] == f"{report}?hecho=prueba"
    assert user.submit(path, do=f"test:{mother}:correo", drill=drill).headers["location"] == f"{report}?hecho=no"
    scenario.run_until_idle()
    [mail] = scenario.world.mails()
    assert mail.subject.startswith("Prueba:") and "no pasa nada" in mail.text
    link = re.search(r"/a/[\w-]+", mail.text)
    assert link is not None
    answer_page = scenario.world.client.get(link.group())
    assert "Una prueba: Ana está bien" in answer_page.text
    scenario.world.client.post(link.group(), data={"respuesta": "voy"})
    assert "Respondió a la prueba" in page_of(user, report)
    # What she writes without quoting the test answers nothing, and a real alert goes at once, as a first one.
    scenario.world.platform.receive(from_=MARIA, text="hola")
    scenario.run_until_idle()
    assert len(scenario.alerts()) == 1
    assert scenario.press_alert(sticker, HERE).status_code == 201
    scenario.run_until_idle()
    assert scenario.alerts()[-1].text.startswith("Ana puede necesitar ayuda")


def test_who_declined_or_stopped_gets_no_test_and_the_report_says_why(scenario: EmergencyScenario) -> None:
    scenario.world.listen()
    sticker = scenario.sticker(contact(canales=["correo"]), father(canales=["whatsapp", "push"]))
    user, path = logged_in(scenario.world, sticker.owner), f"/app/{sticker.code}/simulacro"
    mother, parent = (str(one["id"]) for one in contacts_of(scenario, sticker))
    user.submit(path, do=f"test:{mother}:correo")
    scenario.run_until_idle()
    link = re.search(r"/a/[\w-]+", scenario.world.mails()[0].text)
    assert link is not None
    scenario.world.client.post(link.group(), data={"respuesta": "no_acepto"})
    scenario.world.platform.receive(from_=PEDRO, text="BAJA")
    scenario.run_until_idle()
    before = len(scenario.alerts())
    for which in (f"{mother}:correo", f"{parent}:whatsapp", f"{parent}:push"):
        report = user.submit(path, do=f"test:{which}").headers["location"]
    scenario.run_until_idle()
    assert len(scenario.world.mails()) == 1 and len(scenario.alerts()) == before
    page = page_of(user, report)
    for why in ("pidió no recibir avisos", "pidió no recibir nuestros mensajes", "no activó las notificaciones"):
        assert why in page
    assert "A nadie" in page
    # The real ladder honours it too.
    scenario.press_alert(sticker, HERE)
    scenario.run_until_idle()
    assert ("correo", "skipped") in scenario.ladder()


def test_a_drill_tells_nobody_and_reports(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact(canales=["whatsapp", "correo"]), father(), **STATED)
    user, path = logged_in(scenario.world, sticker.owner), f"/app/{sticker.code}/simulacro"
    report = user.submit(path, do="run").headers["location"]
    scenario.run_until_idle()
    assert scenario.alerts() == [] and scenario.world.mails() == []
    page = page_of(user, report)
    assert "Personas a las que llegaríamos: 2" in page
    assert "Se le avisa enseguida, por WhatsApp" in page and "Se le avisa a los 60 s, por correo" in page
    assert "no hay nadie más a quien avisar" in page
    assert "Qué vio una persona desconocida" in page and "Toma anticoagulante: Warfarina" in page
    assert "¿Desde cuándo toma el anticoagulante?" in page and f"/app/{sticker.code}/medicacion" in page
    assert "Report of the drill" in page_of(user, f"{report}?l=en")
    assert report in page_of(user, path)
    # Of another's record, and of an emergency that is none, nothing is told.
    other = logged_in(scenario.world, scenario.sticker(contact()).owner)
    assert other.get(report).status_code == 404
    emergency = scenario.press_alert(sticker).json()["data"]["id"]
    assert user.get(f"{path}/{emergency}").status_code == 404


def test_a_drill_names_the_allergies_of_which_nobody_knows_whether_they_kill(scenario: EmergencyScenario) -> None:
    unknown = [{"medicamento": {"texto": "Penicilina"}}, {"medicamento": {"texto": "Dipirona"}, "criticidad": "baja"}]
    sticker = scenario.sticker(contact(), alergiasm={"alergias": unknown})
    user, path = logged_in(scenario.world, sticker.owner), f"/app/{sticker.code}/simulacro"
    report = user.submit(path, do="run").headers["location"]
    page = page_of(user, report)
    assert "Alergia de gravedad desconocida: Penicilina" in page and "Ninguna advertencia" not in page
    assert "Sin evaluar, puede ser importante: Dipirona" in page
    missing = page[page.index("Qué faltó") :]
    assert "No se sabe si puede ser mortal: Penicilina" in missing and "Dipirona" not in missing
    assert f"/app/{sticker.code}/alergiasm" in missing
    assert "It is not known whether it can be fatal: Penicilina" in page_of(user, f"{report}?l=en")


def test_somebody_is_invited_listed_and_withdrawn(scenario: EmergencyScenario) -> None:
    world, sticker = scenario.world, scenario.sticker(contact())
    user, path = logged_in(world, sticker.owner), f"/app/{sticker.code}/personas"
    luis = world.register()
    until = f"{world.clock.now() + timedelta(days=30):%Y-%m-%d}"
    for wrong in ({"correo": "x"}, {"hasta": "ayer"}, {"hasta": "2020-01-01"}, {"hasta": "2190-01-01"}):
        given = {"correo": luis.correo, "hasta": until, "tipo": "representa"} | wrong
        refused = user.submit(path, do="invite", **given)
        assert refused.status_code == 422 and "aria-invalid" in refused.text
    done = user.submit(path, do="invite", correo=luis.correo, hasta=until, tipo="representa")
    assert done.headers["location"] == f"{path}?hecho=invitado"
    assert "Invitación sin aceptar" in page_of(user, path)
    assert world.accept_invitation(luis).status_code == 200
    page = page_of(user, path)
    assert "María Rojas" in page and "Hasta el 15/12/2026" in page and "Representa a la persona" in page
    guardian = logged_in(world, luis)
    assert "Recibir la ficha" not in page_of(guardian, path)
    over = guardian.submit(path, do="invite", correo="otra@ejemplo.com", hasta=until, tipo="recibe")
    assert over.status_code == 422
    [grant] = sticker.owner.get(f"/v2/fmd/{sticker.code}/grants").json()["data"]
    user.submit(path, do=f"withdraw:{grant['id']}")
    assert guardian.get(path).status_code == 404
    assert user.submit(path, do=f"withdraw:{grant['id']}").headers["location"] == f"{path}?hecho=cambio"


def test_an_invitation_by_number_starts_from_the_inviters_country(world: World) -> None:
    british = world.register(cod_telefono="+44", telefono="7700900124")
    code = british.data["attributes"]["product_codes"][0]
    user, path = logged_in(world, british), f"/app/{code}/personas"
    shown = ShownForm(page_of(user, path)).values
    assert shown["cod_telefono"] == "+44"
    until = f"{world.clock.now() + timedelta(days=30):%Y-%m-%d}"
    for typed in ("07700 900126", "+58 412 555 11 19"):
        invited = {"do": "invite", "cod_telefono": shown["cod_telefono"], "telefono": typed, "hasta": until}
        assert user.submit(path, **invited).headers["location"] == f"{path}?hecho=invitado"
    page = page_of(user, path)
    assert "+447700900126" in page and "+584125551119" in page


def test_what_an_institution_may_see_is_decided_here_with_its_version(scenario: EmergencyScenario) -> None:
    world, sticker = scenario.world, scenario.sticker(contact())
    school = new_institution(world, "colegio-san-luis")
    school.enrol()
    accepted = {"token": mailed_token(world), "ve": True, "code": sticker.code}
    assert sticker.owner.post("/v2/institutions/accept", accepted).status_code == 200
    user, path = logged_in(world, sticker.owner), f"/app/{sticker.code}/personas"
    page = page_of(user, path)
    assert "Colegio San Luis" in page and "con el texto 2026-11" in page and "Ninguna otra persona." in page
    for chosen, seen in (("edita", "Ve y puede cambiar"), ("", "No ve nada"), ("lee", "Ve lo que vería")):
        user.submit(path, do="consent:colegio-san-luis", ve=chosen)
        assert f'<p class="soft">{seen}' in page_of(user, path)
        shared = page_of(user, f"/app/{sticker.code}/compartido")
        assert ("Colegio San Luis" in shared) == bool(chosen) and ("Nadie más entra" in shared) == (not chosen)
    for do, done in (("centro:colegio-san-luis", "terminado"), ("centro:otro", "terminado")):
        assert user.submit(f"/app/{sticker.code}/compartido", do=do).headers["location"].endswith(done)
    assert '<p class="soft">No ve nada' in page_of(user, path)
    assert user.submit(path, do="consent:otro", ve="lee").headers["location"] == f"{path}?hecho=cambio"
