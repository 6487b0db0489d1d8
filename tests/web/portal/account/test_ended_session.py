"""A session that ended while somebody typed: the login page says so, and what was typed is sent after it."""

from html import unescape

import pytest

from tests.web.portal.forms.form_filling import ShownForm
from tests.web.portal.page_session import PageUser, hidden_in, logged_in
from tests.world import CLAVE, Person, World

OURS = {"Sec-Fetch-Site": "same-origin"}
ENDED = {
    "es": ("Su sesión había terminado.", "Lo que escribió no se pierde.", "Enviar lo que escribí"),
    "en": ("Your session had ended.", "What you typed is not lost.", "Send what I typed"),
    "pt": ("A sua sessão tinha terminado.", "O que você escreveu não se perde.", "Enviar o que escrevi"),
}


@pytest.fixture
def ana(world: World) -> Person:
    return world.register()


def form_of(ana: Person) -> str:
    return f"/app/{ana.data['attributes']['product_codes'][0]}/emergencia"


def sent_too_late(user: PageUser, path: str) -> tuple[str, str]:
    """The page that a browser gets which followed the redirect with its form, and the address of that page."""
    shown = ShownForm(user.get(path).text)
    user.client.cookies.delete("ficha_session")
    fields = shown.values | {"hospital_preferido": 'Clínica "Sur"', "do": "save"}
    answer = user.client.post(path, data=fields, headers=OURS, follow_redirects=False)
    assert answer.status_code == 307, "the browser sends the same form again, to there"
    where = answer.headers["location"]
    return user.client.post(where, data=fields, headers=OURS).text, where


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("language", ENDED)
def test_what_was_typed_is_sent_after_logging_in(world: World, ana: Person, language: str) -> None:
    user, path = logged_in(world, ana), form_of(ana)
    here = f"{path}?l={language}"
    page, where = sent_too_late(user, here)
    ended, kept, button = ENDED[language]
    assert where.startswith("/login/sigue?next=") and ended in page and kept in page
    assert "Clínica" not in page, "it is sealed: who finds this page reads nothing of it"
    # A wrong clave first, and another language: it stays.
    said = hidden_in(page) | {"correo": ana.correo}
    page = user.post(f"/login?l={language}", **said, clave="equivocada").text
    assert ended in page and kept in page
    page = user.post(f"/login?l={language}", **hidden_in(page), correo=ana.correo, do="idioma").text
    assert kept in page and f'value="{ana.correo}"' in page
    done = user.post(f"/login?l={language}", **hidden_in(page), correo=ana.correo, clave=CLAVE)
    assert done.status_code == 200 and button in done.text
    assert "hreflang" not in done.text, "in another language it would be the login page again"
    fields = {name: unescape(value) for name, value in hidden_in(done.text).items()}
    assert fields["hospital_preferido"] == 'Clínica "Sur"' and fields["do"] == "save"
    saved = user.post(here, **fields)
    assert saved.status_code == 303 and "guardado=1" in saved.headers["location"]
    assert 'value="Clínica &#34;Sur&#34;"' in user.get(path).text


def test_only_what_a_page_of_ours_sent_is_kept_and_never_a_clave(world: World, ana: Person) -> None:
    path = form_of(ana)
    for headers in ({}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}):
        stranger = PageUser(world)
        sent = stranger.client.post(path, data={"hospital_preferido": "X"}, headers=headers, follow_redirects=False)
        assert sent.status_code == 303 and sent.headers["location"].startswith("/login?next=")
        where = "/login/sigue?next=/app"
        assert 'name="kept"' not in stranger.client.post(where, data={"a": "b"}, headers=headers).text
    origin = {"Origin": world.parts.settings.public_url}
    older = PageUser(world).client.post(path, data={"hospital_preferido": "X"}, headers=origin, follow_redirects=False)
    assert older.status_code == 307
    for secret in ("clave", "codigo", "clave_nueva"):
        page = PageUser(world).client.post("/login/sigue?next=/app", data={secret: "x"}, headers=OURS)
        assert page.status_code == 200 and 'name="kept"' not in page.text


def test_it_is_for_that_browser_that_page_and_an_hour(world: World, ana: Person) -> None:
    path = form_of(ana)
    page, _ = sent_too_late(logged_in(world, ana), path)
    kept = hidden_in(page)["kept"]
    assert PageUser(world).log_in(ana, kept=kept, next=path).status_code == 303
    user = logged_in(world, ana)
    page, _ = sent_too_late(user, path)
    said = hidden_in(page) | {"correo": ana.correo, "clave": CLAVE}
    assert user.post("/login", **said | {"next": "/app/mi-cuenta"}).status_code == 303
    for kept in ("x", "AAAA", "é", "A" * 5000):
        assert PageUser(world).log_in(ana, kept=kept, next=path).status_code == 303
    user = logged_in(world, ana)
    page, _ = sent_too_late(user, path)
    world.clock.move(minutes=61)
    assert user.post("/login", **hidden_in(page) | {"correo": ana.correo, "clave": CLAVE}).status_code == 303


def test_the_login_page_says_that_a_session_had_ended(world: World, ana: Person) -> None:
    user = logged_in(world, ana)
    assert user.get("/app").status_code == 200
    world.clock.move(days=2)  # The server has forgotten it, and then the browser has too.
    for _ in range(2):
        to = user.get("/app").headers["location"]
        assert to.startswith("/login?next=%2Fapp") and "Su sesión había terminado." in user.get(to).text
        user.client.cookies.delete("ficha_session")
    # Who never had one here is told nothing of one.
    assert "había terminado" not in PageUser(world).get(PageUser(world).get("/app").headers["location"]).text
