"""Somebody whom the family had let in learns that it is over; to everybody else the record is as good as none."""

import re
from datetime import timedelta

import pytest

from tests.api.fmd.test_grants import let_in
from tests.web.portal.forms.form_filling import ShownForm, send
from tests.web.portal.page_session import logged_in
from tests.world import Person, World

WORDS = {
    "es": ("Ya no tiene acceso a esta ficha", "No se guardó.", "Ya no tiene acceso a una ficha"),
    "en": ("You no longer have access to this record", "It was not saved.", "You no longer have access to a record"),
    "pt": ("Você já não tem acesso a esta ficha", "Não foi salvo.", "Você já não tem acesso a uma ficha"),
}


@pytest.mark.parametrize("language", WORDS)
def test_who_lost_access_while_she_typed_gets_her_words_back_and_a_mail(
    world: World, ana: Person, language: str
) -> None:
    beatriz = world.register(nombre="Beatriz", idioma=language)
    grant = let_in(world, ana, beatriz, tipo="guardian").json()["data"]["id"]
    code = ana.data["attributes"]["product_codes"][0]
    user, form = logged_in(world, beatriz), f"/app/{code}/medicacion?l={language}"
    user.client.headers["Accept"] = "text/html"
    shown = ShownForm(send(user, form, ShownForm(user.get(form).text), "add:medicamentos").text)
    assert ana.delete(f"/v2/fmd/{code}/grants/{grant}").status_code == 200
    typed = {"medicamentos.0.medicamento.texto": "Warfarina", "medicamentos.0.dosis": "2,5 mg <cada> tarde"}
    sent = send(user, form, shown, "save", **typed)
    title, unsaved, subject = WORDS[language]
    assert sent.status_code == 404 and title in sent.text and unsaved in sent.text
    assert len(re.findall(r"<dt>[^<]* 1 · [^<]+</dt>", sent.text)) == 2  # What was typed, not what was tapped.
    assert "Warfarina" in sent.text and "2,5 mg &lt;cada&gt; tarde" in sent.text
    later = user.get(f"/app/{code}?l={language}")
    assert later.status_code == 404 and title in later.text and unsaved not in later.text
    world.run_jobs()
    assert [mail.subject for mail in world.mails() if mail.to == beatriz.correo].count(subject) == 1
    # Whoever never had access is told what she is told of a code that nobody has.
    stranger = logged_in(world, world.register())
    stranger.client.headers["Accept"] = "text/html"
    for other in (code, "ZZZZZZ"):
        answer = stranger.get(f"/app/{other}?l={language}")
        assert answer.status_code == 404 and title not in answer.text
    # The API says nothing new.
    refused = world.reader.get(f"/v2/fmd/{code}", headers=beatriz.headers)
    assert refused.status_code == 404 and refused.json()["errors"][0]["code"] == "ficha_no_encontrada"


def test_who_is_let_in_anew_is_not_told_that_it_is_over(world: World, ana: Person) -> None:
    luis = world.register(nombre="Luis")
    grant = let_in(world, ana, luis).json()["data"]["id"]
    code = ana.data["attributes"]["product_codes"][0]
    assert ana.delete(f"/v2/fmd/{code}/grants/{grant}").status_code == 200
    until = (world.clock.now() + timedelta(days=9)).isoformat()
    made = ana.post(f"/v2/fmd/{code}/grants", {"correo": luis.correo, "tipo": "delegate", "hasta": until})
    assert made.status_code == 201
    user = logged_in(world, luis)
    user.client.headers["Accept"] = "text/html"
    assert "Ya no tiene acceso" in user.get(f"/app/{code}").text  # Until she accepts.
    world.accept_invitation(luis)
    assert user.get(f"/app/{code}").status_code == 200
