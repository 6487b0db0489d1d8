"""A sticker is scanned while the service cannot answer: whom to call and what to do, from us and from the proxies."""

import html
import http.client
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ficha.accounts.accounts import Idioma
from ficha.fmd.rules.advice import all_advice
from ficha.web.kit.small_pages.content_policy import policy
from ficha.web.sticker.script import UNAVAILABLE_SCRIPT
from ficha.web.sticker.unavailable_page import TEXTS
from tests.attack.proxy import Proxy
from tests.attack.test_idle_per_address import PROGRAM as HAPROXY
from tests.attack.test_idle_per_address import configuration
from tests.local_http import PATIENCE
from tests.ports import ReservedPort
from tests.project.page_table import PAGES
from tests.waiting import eventually
from tests.web.sticker.rendering import FIRST_ROUND_TRIP
from tests.web.sticker.sticker import sticker_of
from tests.world import World, build_world, settings_for

TAG = "ABCDEFGHJKMNPQRSTVWXYZ2345"
OPENED = ("/e/K7M2QX", f"/e/K7M2QX/{TAG}", f"/E/K7M2QX/{TAG}", f"/e/K7M2QX/{TAG}?mas=1", "/e/offline")
SENT = ("/e/K7M2QX/avisar", f"/e/K7M2QX/{TAG}/avisar", f"/e/K7M2QX/{TAG}/mensaje", f"/e/K7M2QX/{TAG}/mas")
PLACE = re.compile(r"{\w+}")
COMMITTED = Path(__file__).parents[3] / "docs" / "proxy" / "no-service.html"


@pytest.fixture(params=["postgresql", "sqlite"])
def no_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    gone = "postgresql://nobody@127.0.0.1:1/none" if request.param == "postgresql" else f"sqlite:///{tmp_path}/no/f.db"
    world = build_world(settings_for(gone, tmp_path / "data", emergency_country="PE"), has_database=False)
    yield world
    world.close()


def test_every_page_of_a_sticker_says_whom_to_call(no_database: World) -> None:
    for path in OPENED:
        for accepted in ("*/*", "text/html", "application/json"):
            page = no_database.reader.get(path, headers={"Accept": accepted})
            assert page.status_code == 503 and int(page.headers["Retry-After"]) > 0
            assert page.headers["content-type"].startswith("text/html") and 'href="tel:106"' in page.text, path
            assert page.headers["Content-Security-Policy"] == policy(UNAVAILABLE_SCRIPT)
            assert len(page.content) < FIRST_ROUND_TRIP


@pytest.mark.parametrize("language", Idioma)
def test_it_is_in_the_readers_language_and_has_the_number_of_her_phone(no_database: World, language: Idioma) -> None:
    page = no_database.reader.get(OPENED[1], headers={"Accept-Language": f"{language}-AR"})
    words = html.unescape(page.text)
    assert f'<html lang="{language}">' in words and 'href="tel:107"' in words
    for key in ("unavailable", "unavailable_why", "unavailable_help", "try_again", "call_emergency"):
        assert getattr(TEXTS[language], key) in words
    assert 'href="?l=pt"' in words or language is Idioma.PT


def test_what_was_sent_may_not_have_gone_out_and_the_page_can_be_opened_again(no_database: World) -> None:
    for path in SENT:
        page = no_database.reader.post(f"{path}?l=en", data={"mensaje": "x", "quien": "Dra. Gil", "motivo": "Caída"})
        assert page.status_code == 503 and TEXTS[Idioma.EN].unavailable_posted in page.text
        assert f'href="{path.rpartition("/")[0]}?l=en"' in page.text


def test_nothing_clinical_is_said_that_is_not_said_elsewhere() -> None:
    known = all_advice()["voluntad"].do
    for language in Idioma:
        said = getattr(known, language.value).partition(": ")[2].partition(".")[0].lower()
        assert said in TEXTS[language].unavailable_help.lower()


def test_a_crash_tells_a_stranger_whom_to_call_too(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    sticker = sticker_of(world)
    monkeypatch.setattr(type(world.parts.keyring), "unwrap", lambda *_: 1 / 0)
    page = sticker.scan(headers={"Accept-Language": "es-VE"})
    assert page.status_code == 500 and 'href="tel:911"' in page.text and "Ana" not in page.text


def test_streams_and_scripts_beside_the_pages_stay_for_programs(no_database: World) -> None:
    stream = no_database.reader.get(f"{OPENED[1]}/vivo", headers={"Accept": "text/event-stream"})
    words = no_database.reader.get("/e/offline/worker.js")
    assert stream.status_code == words.status_code == 503
    assert stream.headers["content-type"] == words.headers["content-type"] == "application/json"


@pytest.mark.parametrize("accepted", ["text/html", "*/*"])
def test_owners_and_staff_get_a_page_too_even_where_it_would_have_a_form(no_database: World, accepted: str) -> None:
    """A form has a token, for which the database is needed."""
    for path in ("/login", "/registro", "/a/abcdefgh", "/docs"):
        page = no_database.client.get(path, headers={"Accept": accepted})
        assert page.status_code == 503 and int(page.headers["Retry-After"]) > 0
        assert page.headers["content-type"].startswith("text/html") and "Volvemos en un momento" in page.text, path
    assert no_database.client.get("/v2/account", headers={"Accept": "text/html"}).json()["errors"]


CHROME = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"


@pytest.mark.parametrize(("phone", "number"), [("es-AR", "107"), ("pt", "106")])
def test_of_all_pages_none_is_a_crash_and_each_that_cannot_be_shown_says_whom_to_call(
    no_database: World, phone: str, number: str
) -> None:
    """Whoever is logged in, or has a link, gets it too: a contact who was alerted comes with nothing else."""
    no_database.client.cookies.set("ficha_session", "A" * 43)
    seen = 0
    for method, path in PAGES:
        address = PLACE.sub("x7", path.replace("{code}", "K7M2QX").replace("{tag}", TAG).replace("{token}", "a" * 24))
        page = no_database.client.request(
            method, address, headers={"Accept": CHROME, "Accept-Language": phone}, follow_redirects=False
        )
        if page.status_code >= 500:
            seen += 1
            assert (page.status_code, page.headers["content-type"]) == (503, "text/html; charset=utf-8"), path
            assert int(page.headers["Retry-After"]) > 0 and f'href="tel:{number}"' in page.text, path
    assert seen > 200


def test_what_a_qr_holds_can_still_be_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The viewer, its words and its keys are as they were when the database last answered."""
    page, keys = world.reader.get("/e/offline"), world.reader.get("/.well-known/ficha-keys.json")
    words = page.text.partition('data-words="')[2].partition('"')[0]
    elsewhere = settings_for("postgresql://nobody@127.0.0.1:1/none", world.parts.settings.data_dir / "no")
    gone = build_world(elsewhere, has_database=False)
    monkeypatch.setattr(world.parts.database, "reading", gone.parts.database.reading)
    monkeypatch.setattr(world.parts.database, "writing", gone.parts.database.writing)
    assert world.reader.get(OPENED[0]).status_code == 503
    assert world.reader.get("/e/offline").text == page.text
    assert world.reader.get(words).status_code == 200
    assert world.reader.get("/.well-known/ficha-keys.json").json() == keys.json()
    gone.close()


def answer_of(port: int) -> tuple[http.client.HTTPResponse, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", OPENED[1])
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer, text


def is_the_committed_page(answer: http.client.HTTPResponse, text: str) -> bool:
    assert answer.status == 503 and int(answer.headers["Retry-After"]) > 0
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-store"
    return text == COMMITTED.read_text()


def test_the_page_of_the_proxies_is_in_all_languages() -> None:
    assert COMMITTED.stat().st_size < FIRST_ROUND_TRIP  # Nor does HAProxy take more than 16 kB.
    text = html.unescape(COMMITTED.read_text())
    for language in Idioma:
        assert TEXTS[language].unavailable_help in text and TEXTS[language].number_unknown in text


def test_nginx_shows_it_when_no_server_answers(tmp_path: Path) -> None:
    with ReservedPort() as nobody, Proxy(tmp_path / "nginx", nobody) as proxy:
        assert is_the_committed_page(*answer_of(proxy.port))


def test_haproxy_shows_it_when_no_server_answers(tmp_path: Path) -> None:
    if HAPROXY is None:
        pytest.skip("haproxy is not installed: apt-get install haproxy")
    with ReservedPort() as nobody, ReservedPort() as port:
        file = tmp_path / "haproxy.cfg"
        file.write_text(configuration(port, nobody))
        process = subprocess.Popen([HAPROXY, "-db", "-f", str(file)])
        try:
            eventually(lambda: _listens(port))
            assert is_the_committed_page(*answer_of(port))
        finally:
            process.kill()
            process.wait(30)


def _listens(port: int) -> bool:
    try:
        answer_of(port)
    except OSError:
        return False
    return True
