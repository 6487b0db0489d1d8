"""For a doctor: a QR on the screen, ended by one tap; and one page of all that was shared, where each thing ends."""

import re
from html import unescape

import pytest
from PIL import Image

from ficha.cards.qr import symbol_of
from tests.api.fmd.test_fmd import fmd, patch
from tests.api.fmd.test_grants import let_in
from tests.exchange.health_links.links import Link, ask, share
from tests.exchange.samples import SMALL
from tests.qr_reader import read_all_qr
from tests.web.portal.page_session import logged_in
from tests.world import Person, World

ENLACE = re.compile(r'<textarea id="enlace"[^>]*>([^<]+)</textarea>')
PASSCODE = re.compile(r'<p class="told"><b>(\d{3}) (\d{3})</b>')
SVG = re.compile(r'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 (\d+) \1".*?<path d="([^"]+)"/></svg>', re.S)


def read_svg(page: str) -> str:
    """What a camera reads of the drawing on the page."""
    found = SVG.search(page)
    assert found is not None
    side = int(found.group(1))
    picture = Image.new("L", (side, side), 255)
    for x, y, length in re.findall(r"M(\d+) (\d+)h(\d+)v1", found.group(2)):
        for at in range(int(length)):
            picture.putpixel((int(x) + at, int(y)), 0)
    [read] = read_all_qr(picture.resize((side * 4, side * 4), Image.Resampling.NEAREST))
    assert read.ec_level == "M"
    return read.text


def test_a_mother_shows_a_qr_and_a_doctor_opens_it(world: World, ana: Person) -> None:
    patch(ana, "", SMALL)
    page, mother = fmd(ana).replace("/v2/fmd", "/app") + "/medico", logged_in(world, ana)
    assert page in unescape(mother.get(page.removesuffix("/medico")).text)
    made = mother.submit(page, do="hacer", cuanto="una", clave="si")
    assert made.status_code == 200 and made.headers["cache-control"] == "no-store"
    assert made.headers["referrer-policy"] == "no-referrer"
    [text], passcode = ENLACE.findall(made.text), "".join(PASSCODE.findall(made.text)[0])
    assert read_svg(made.text) == unescape(text) and unescape(text).startswith("http://testserver/ver#shlink:/")
    link = Link.of(unescape(text))
    assert link.payload["flag"] == "P" and "Pérez" not in str(link.payload), "the label names nobody"
    assert ask(world.client, link, passcode="000000").status_code in (401, 200)
    opened = ask(world.client, link, passcode=passcode)
    assert "Pérez" in str(link.bundle(opened.json()["files"][0]["embedded"]))
    assert ask(world.client, link, passcode=passcode).status_code == 404


@pytest.mark.parametrize(("cuanto", "seconds"), [("hora", 3600), ("dia", 86400), ("nunca", 3600)])
def test_for_how_long_and_without_a_passcode(world: World, ana: Person, cuanto: str, seconds: int) -> None:
    page, mother = fmd(ana).replace("/v2/fmd", "/app") + "/medico", logged_in(world, ana)
    made = mother.submit(page, do="hacer", cuanto=cuanto).text
    link = Link.of(unescape(ENLACE.findall(made)[0]))
    assert link.payload["exp"] == int(world.clock.now().timestamp()) + seconds and "flag" not in link.payload
    assert not PASSCODE.search(made) and ask(world.client, link).status_code == 200
    ends = re.findall(r'name="do" value="(terminar:\d+)"', made)
    assert mother.submit(page, do=ends[0]).headers["location"].endswith("/compartido?hecho=terminado")
    assert ask(world.client, link).status_code == 404


def test_all_that_was_shared_is_on_one_page_and_ends_there(world: World, ana: Person) -> None:
    luis, guest = world.register(nombre="Luis Molina"), world.register()
    let_in(world, ana, luis)
    ends = "2030-01-01T00:00:00+00:00"
    assert ana.post(fmd(ana, "/grants"), {"correo": guest.correo, "tipo": "delegate", "hasta": ends}).status_code == 201
    assert ana.post(fmd(ana, "/issue").replace("/v2/fmd", "/v2/carnet"), {}).status_code == 201
    assert ana.get(fmd(ana, "/health-card")).status_code == 200
    link, page = share(world, ana), fmd(ana).replace("/v2/fmd", "/app") + "/compartido"
    ask(world.client, link, recipient='<b>Dra. "Silva"</b>')
    assert luis.get(fmd(ana, "/cuerpo")).status_code in (200, 404)
    mother = logged_in(world, ana)
    told = mother.get(page).text
    assert "«&lt;b&gt;Dra. &#34;Silva&#34;&lt;/b&gt;»" in told, "the opener's own words, as words"
    assert "Luis Molina" in told and guest.correo in told and "Para la cardióloga" in told
    for do in dict.fromkeys(re.findall(r'name="do" value="((?:enlace|persona|tarjeta|carnet)[^"]*)"', told)):
        assert mother.submit(page, do=do).headers["location"] == f"{page}?hecho=terminado"
        assert mother.submit(page, do=do).headers["location"] == f"{page}?hecho=terminado", "twice is once"
    assert ask(world.client, link).status_code == 404
    assert luis.get(fmd(ana, "/cuerpo")).status_code == 404 and ana.get(fmd(ana, "/grants")).json()["data"] == []
    after = mother.get(page).text
    assert (
        "tarjeta:" not in after and "enlace:" not in after and "persona:" not in after and 'value="carnet"' not in after
    )


def test_the_record_stays_within_reach_when_its_last_sticker_is_ended_there(world: World, ana: Person) -> None:
    [code] = ana.data["attributes"]["product_codes"]
    mother, page = logged_in(world, ana), fmd(ana).replace("/v2/fmd", "/app") + "/compartido"
    ended = mother.submit(page.replace("/compartido", "/medico"), page, do=f"codigo:{code}")
    assert ended.status_code == 303
    assert mother.get(ended.headers["location"]).status_code == 200 and mother.get(page).status_code == 404


def test_nobody_ends_what_is_another_s_from_her_own_page(world: World, ana: Person) -> None:
    other = world.register()
    link, page = share(world, ana), fmd(other).replace("/v2/fmd", "/app") + "/compartido"
    theirs = logged_in(world, other)
    sticker = ana.data["attributes"]["product_codes"][0]
    for do in (f"enlace:{link.id}", f"codigo:{sticker}"):
        assert theirs.submit(page.replace("/compartido", "/medico"), page, do=do).status_code == 303
    assert theirs.get(fmd(ana).replace("/v2/fmd", "/app") + "/compartido").status_code == 404
    assert ask(world.client, link).status_code == 200 and ana.get(fmd(ana)).status_code == 200


def test_the_longest_link_is_a_symbol_that_phones_read() -> None:
    uri = "https://ficha.example.org/ver#shlink:/" + "A" * 360
    assert symbol_of(uri, "M").version <= 16
