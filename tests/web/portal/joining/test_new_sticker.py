"""A sticker that is nobody's yet: whoever scans it begins with it, and no mail is waited for; whoever has an account
adds it to a record, scanned or typed."""

import re

import pytest

from ficha.accounts.accounts import Account
from ficha.products.codes import IssuedCode, issue_code
from ficha.web.portal.sticker_cookie import COOKIE
from tests.web.portal.joining.test_joining import PERSON, contact
from tests.web.portal.page_session import PageUser, hidden_in, logged_in
from tests.world import Person, World, new_correo

REGISTER = "/registro?code={}"
CHOICE = "/app/etiqueta?code={}"


def printed(world: World) -> IssuedCode:
    with world.parts.database.writing() as tx:
        return issue_code(tx, world.clock.now())


def code_of(person: Person) -> str:
    return str(person.data["attributes"]["product_codes"][0])


def begin(user: PageUser, sticker: IssuedCode, **pressed: str) -> str:
    """Scans the sticker and presses its button; where that leads."""
    page = user.get(f"/E/{sticker.code}/{sticker.tag}")
    answer = user.post("/empezar?l=es", **hidden_in(page.text) | pressed)
    assert answer.status_code == 303 and sticker.tag not in str(answer.headers)
    return str(answer.headers["location"]).replace("&l=es", "").replace("?l=es", "")


def opens(world: World, sticker: IssuedCode) -> bool:
    return world.reader.get(f"/E/{sticker.code}/{sticker.tag}").status_code == 200


def test_from_the_scan_to_a_sticker_that_opens_without_a_mailbox(world: World) -> None:
    user, sticker, correo = PageUser(world), printed(world), new_correo()
    where = begin(user, sticker)
    assert where == REGISTER.format(sticker.code)
    page = user.get(where).text
    assert f'value="{sticker.code}"' in page and "se activa sin correo" in page and sticker.tag not in page
    assert "it is activated without a mail" in user.get(f"{where}&l=en").text
    assert "é ativada sem e-mail" in user.get(f"{where}&l=pt").text
    joined = user.submit(where, to="/registro", code=sticker.code, correo=correo, **PERSON)
    assert joined.headers["location"] == f"/app/{sticker.code}/inicio"
    fields = {"nombres": "Ana", "apellidos": "Rojas", "alergia.0": "Penicilina", "sin_medicinas": "si", **contact(0)}
    done = user.submit(f"/app/{sticker.code}/inicio", **fields)
    if done.status_code == 200:
        chosen = re.findall(r'type="radio" name="([^"]+)" value="([^"]*)" checked', done.text)
        done = user.post(f"/app/{sticker.code}/inicio", **hidden_in(done.text) | dict(chosen))
    last = user.get(done.headers["location"]).text
    assert f"Revise su correo: {correo}" in last and 'href="/app/mi-cuenta/correo"' in last
    assert "Todavía no abre" not in last and COOKIE not in user.client.cookies
    world.run_jobs()
    assert world.mails() == [] and opens(world, sticker)


def test_the_tag_travels_sealed_and_for_an_hour(world: World) -> None:
    sticker = printed(world)
    user = PageUser(world)
    begin(user, sticker)
    assert sticker.tag not in user.client.cookies[COOKIE] and sticker.code not in user.client.cookies[COOKIE]
    world.clock.move(minutes=61)
    assert "se activa sin correo" not in user.get(REGISTER.format(sticker.code)).text
    # Of another sticker than the one that was scanned nothing is proven.
    begin(user, sticker)
    other = printed(world)
    user.submit("/registro", code=other.code, correo=new_correo(), **PERSON)
    world.run_jobs()
    assert not opens(world, other) and [mail.subject for mail in world.mails()] != []


def test_another_site_cannot_hand_somebody_a_sticker_whose_tag_it_knows(world: World) -> None:
    user, sticker = PageUser(world), printed(world)
    user.get("/registro")
    for token in ("", "0" * 64):
        answer = user.post("/empezar", code=sticker.code, tag=sticker.tag, _token=token)
        assert answer.headers["location"] == REGISTER.format(sticker.code)
        assert COOKIE not in user.client.cookies
    # Nor does the answer tell whether there is such a sticker.
    fields = hidden_in(user.get(f"/E/{sticker.code}/{sticker.tag}").text)
    for code, tag in ((sticker.code, "A" * 26), ("222222", "A" * 26), (sticker.code, sticker.tag)):
        answer = user.post("/empezar", **fields | {"code": code, "tag": tag})
        assert answer.headers["location"] == REGISTER.format(code) and COOKIE in answer.headers["set-cookie"]
    assert user.post("/empezar", **fields | {"code": "<b>"}).headers["location"] == "/"
    assert user.get("/empezar").headers["location"] == "/"


def test_who_is_logged_in_adds_it_to_a_record_or_begins_another(world: World, ana: Person) -> None:
    user, first, second = logged_in(world, ana), printed(world), printed(world)
    where = begin(user, first)
    assert where == CHOICE.format(first.code)
    page = user.get(where).text
    assert "se activa sin correo" in page and code_of(ana) in page and "empezar su ficha" in page
    refused = user.submit(where, to="/app/etiqueta", code=first.code)
    assert refused.status_code == 422 and "Elija de quién es" in refused.text
    record = str(ana.data["attributes"]["fmd_code"])
    added = user.submit(where, to="/app/etiqueta", code=first.code, record=record)
    assert added.headers["location"] == f"/app/{first.code}/etiquetas?hecho=agregada" and opens(world, first)
    assert "ya abre esta ficha" in user.get(added.headers["location"]).text
    where = begin(user, second)
    new = user.submit(where, to="/app/etiqueta", code=second.code, record="nueva").headers["location"]
    assert new == f"/app/nueva?code={second.code}" and "se activa sin correo" in user.get(new).text
    child = {"nombres": "Luis", "relacion": "madre", "template_type": "general", "code": second.code}
    assert user.submit(new, to="/app/nueva", **child).headers["location"] == f"/app/{second.code}/inicio"
    world.run_jobs()
    assert opens(world, second) and not [mail for mail in world.mails() if "/etiqueta/" in mail.text]
    # Another person's record is no record of hers.
    other = str(world.register().data["attributes"]["fmd_code"])
    third = printed(world)
    assert user.submit(begin(user, third), to="/app/etiqueta", code=third.code, record=other).status_code == 404


def test_who_has_an_account_logs_in_on_the_way(world: World, ana: Person) -> None:
    user, sticker = PageUser(world), printed(world)
    where = begin(user, sticker, para="entrar")
    assert where.startswith("/login?next=%2Fapp%2Fetiqueta")
    assert user.log_in(ana, where).headers["location"] == CHOICE.format(sticker.code)
    record = str(ana.data["attributes"]["fmd_code"])
    user.submit(CHOICE.format(sticker.code), to="/app/etiqueta", code=sticker.code, record=record)
    assert opens(world, sticker)
    # Also from the page for who joins.
    sticker = printed(world)
    page = PageUser(world).get(REGISTER.format(sticker.code)).text
    assert f'href="/login?next=/app/etiqueta%3Fcode%3D{sticker.code}"' in page


def test_from_the_front_page_by_its_code_and_later_by_its_scan(world: World, ana: Person) -> None:
    user, sticker, record = logged_in(world, ana), printed(world), str(ana.data["attributes"]["fmd_code"])
    front = user.get("/").text
    assert "Es mía: agregarla" in front and "Las fichas de su familia" in front and 'href="/registro"' not in front
    assert "Es mía: empezar" in PageUser(world).get("/").text
    where = user.get(f"/codigo?code={sticker.code}&para=mia").headers["location"]
    assert where == CHOICE.format(sticker.code)
    added = user.submit(where, to="/app/etiqueta", code=sticker.code, record=record)
    assert added.headers["location"] == f"/app/{sticker.code}/etiquetas?hecho=espera" and not opens(world, sticker)
    # It says so wherever the family looks, and the mail can be sent again.
    for path in ("/app", f"/app/{code_of(ana)}", f"/app/{code_of(ana)}/etiquetas"):
        page = user.get(path).text
        assert sticker.code in page and "Enviar otra vez el correo" in page, path
        for language, words in (("en", "Send the mail again"), ("pt", "Enviar o e-mail de novo")):
            assert words in user.get(f"{path}?l={language}").text, path
    stickers = f"/app/{code_of(ana)}/etiquetas"
    assert ana.correo in user.get(stickers).text
    world.run_jobs()
    sent = len(world.mails())
    assert user.submit(stickers, do="resend").headers["location"] == f"{stickers}?hecho=enviado"
    world.run_jobs()
    assert len(world.mails()) == sent + 1
    # With the sticker at hand no mail is needed: the record that it waits for is chosen already.
    where = begin(user, sticker, para="entrar")
    page = user.get(where).text
    assert re.search(rf'value="{record}" checked', page)
    user.submit(where, to="/app/etiqueta", code=sticker.code, record=record)
    assert opens(world, sticker) and "Enviar otra vez" not in user.get("/app").text


def test_a_sticker_joins_the_record_on_its_own_page(world: World, ana: Person) -> None:
    user, path = logged_in(world, ana), f"/app/{code_of(ana)}/etiquetas"
    by_code, by_qr, scanned, taken = (printed(world) for _ in range(4))
    link = f"https://ficha.example/E/{by_qr.code}/{by_qr.tag}#lines"
    typed = f"{by_code.code[:3]}-{by_code.code[3:].lower()}"
    begin(user, scanned)
    for code, said in ((typed, "espera"), (scanned.code, "agregada"), (link, "agregada")):
        assert user.submit(path, do="add", code=code).headers["location"] == f"{path}?hecho={said}"
    assert [opens(world, one) for one in (by_code, by_qr, scanned)] == [False, True, True]
    world.register(product_code=taken.code, product_tag=taken.tag)
    ana.post(f"/v2/products/{scanned.code}/lost")
    for code, sentence in (
        ("", "Escriba el código"),
        ("<b>x", "seis letras y números, como"),
        (taken.code, "no existe o ya pertenece"),
        ("222222", "no existe o ya pertenece"),
        (by_qr.code, "ya es de esta ficha"),
        (scanned.code, "Esa etiqueta terminó"),
    ):
        refused = user.submit(path, do="add", code=code)
        assert refused.status_code == 422 and sentence in refused.text and "<b>x" not in refused.text, code
        assert '<a href="#code">' in refused.text


def test_every_further_sticker_ends_alone(world: World, ana: Person) -> None:
    user, path = logged_in(world, ana), f"/app/{code_of(ana)}/etiquetas"
    made = []
    for _ in range(2):
        page = user.submit(path, do="another")
        found = re.search(r"HTTP://TESTSERVER/E/(\w+)/([A-Z2-7]{26})", page.text)
        assert found is not None and f"Imprima su etiqueta: {found.group(1)}" in page.text
        assert page.headers["referrer-policy"] == "no-referrer"
        made.append(IssuedCode(*found.groups()))
    assert made[0].code != made[1].code and all(opens(world, one) for one in made)
    user.submit(path, do=f"lost:{made[0].code}")
    assert [opens(world, one) for one in made] == [False, True]
    # As many as her plan allows, and no more.
    answers = [user.submit(path, do="another") for _ in range(30)]
    assert answers[-1].status_code == 409 and "máximo de etiquetas de su plan" in answers[-1].text


def test_a_new_qr_is_asked_about_on_a_page_of_its_own(world: World, ana: Person) -> None:
    user, path = logged_in(world, ana), f"/app/{code_of(ana)}/etiquetas"
    listed = user.get(path).text
    assert f'href="{path}/renovar?cual={code_of(ana)}"' in listed and f"tag:{code_of(ana)}" not in listed
    page = user.get(f"{path}/renovar?cual={code_of(ana)}").text
    assert "deja de abrir al instante" in page and "<details" not in page and "haga una con código propio" in page
    assert "stops opening at once" in user.get(f"{path}/renovar?l=en").text
    waiting, other = printed(world), code_of(world.register())
    ana.post(f"/v2/products/{waiting.code}/claim")
    for code in (other, waiting.code, "222222", "<b>"):
        assert user.get(f"{path}/renovar?cual={code}").headers["location"] == path


def test_a_correo_typed_wrong_is_corrected_with_the_clave(world: World, ana: Person) -> None:
    user, path, right = logged_in(world, ana), "/app/mi-cuenta/correo", new_correo()
    assert ana.correo in user.get(path).text
    taken = world.register().correo
    clave = PERSON["clave"]
    for fields, field in (
        ({"correo": "no", "clave": clave}, "correo"),
        ({"correo": taken, "clave": clave}, "correo"),
        ({"correo": right, "clave": "otra-cualquiera"}, "clave"),
    ):
        refused = user.submit(path, **fields)
        assert refused.status_code == 422 and f'<a href="#{field}">' in refused.text, fields
    assert user.submit(path, correo=right, clave=clave).headers["location"] == "/app/mi-cuenta/verificar"
    assert right in user.get("/app/mi-cuenta").text
    # One that was confirmed is not asked about again, and a changed one is.
    code = code_of(ana)
    ended, later = user.get(f"/app/{code}?listo=1").text, user.get(f"/app/{code}").text
    assert ended.count(right) == 1 and "Corregirlo" in ended
    assert right in later and "Corregirlo" not in later


def test_a_phone_is_changed_with_the_clave_and_verified_again(world: World, ana: Person) -> None:
    user, path = logged_in(world, ana), "/app/mi-cuenta/telefono"
    with world.parts.database.writing() as tx:
        tx.orm.get_one(Account, ana.id).telefono_verificado_en = world.clock.now()
    assert f'href="{path}"' in user.get("/app/mi-cuenta").text
    assert f'href="{path}"' in user.get("/app/mi-cuenta/verificar").text
    clave = PERSON["clave"]
    for fields, field in (
        ({"cod_telefono": "+58", "telefono": "12", "clave": clave}, "telefono"),
        ({"cod_telefono": "casa", "telefono": "4125557788", "clave": clave}, "telefono"),
        ({"cod_telefono": "", "telefono": "", "clave": clave}, "telefono"),
        ({"cod_telefono": "+57", "telefono": "3001234567", "clave": "otra-cualquiera"}, "clave"),
    ):
        refused = user.submit(path, **fields)
        assert refused.status_code == 422 and f'<a href="#{field}">' in refused.text, fields
        assert fields["telefono"] in refused.text
    # The same number in another spelling stays verified; another one does not.
    account = world.account(ana.id)
    assert account is not None
    same = {"cod_telefono": account.cod_telefono, "telefono": account.telefono, "clave": clave}
    assert user.submit(path, **same).headers["location"] == "/app/mi-cuenta/verificar"
    account = world.account(ana.id)
    assert account is not None and account.telefono_verificado_en is not None
    assert user.submit(path, cod_telefono="+58", telefono="+57 300 123 45 67", clave=clave).status_code == 303
    account = world.account(ana.id)
    assert account is not None and account.telefono_verificado_en is None
    assert (account.cod_telefono, account.telefono, account.telefono_e164) == ("+57", "3001234567", "+573001234567")
    assert "+57 3001234567" in user.get("/app/mi-cuenta/verificar").text


@pytest.mark.one_case_on_postgresql("language")
@pytest.mark.parametrize("path", ["/app/etiqueta", "/app/mi-cuenta/correo", "/app/{code}/etiquetas/renovar"])
@pytest.mark.parametrize("language", ["es", "en", "pt"])
def test_pages_speak_three_languages(world: World, ana: Person, path: str, language: str) -> None:
    page = logged_in(world, ana).get(path.format(code=code_of(ana)) + f"?l={language}")
    assert page.status_code == 200 and f'<html lang="{language}">' in page.text
