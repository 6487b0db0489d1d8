"""Codes and batches on pages: made, shipped and voided by administrators, and nobody's name beside a code."""

import re

import pytest

from ficha.accounts.accounts import Role
from ficha.products.decoys import make_decoys
from tests.web.portal.page_session import PageUser, logged_in
from tests.world import World

CODE = re.compile(r'href="/admin/codigos/([A-Z0-9]{6})"')


@pytest.fixture
def admin(world: World) -> PageUser:
    return logged_in(world, world.somebody_with(Role.ADMIN))


def test_a_batch_is_made_shipped_and_voided(world: World, admin: PageUser) -> None:
    made = admin.submit("/admin/lotes/nuevo", count="3", label="<i>Colegio</i>")
    assert made.headers["location"] == "/admin/lotes?hecho=made"
    listed = admin.get("/admin/lotes").text
    assert "&lt;i&gt;Colegio&lt;/i&gt;" in listed and "3 / 3" in listed
    codes = CODE.findall(admin.get("/admin/codigos?lote=1").text)
    assert len(codes) == 3 and codes == sorted(codes)

    assert admin.submit("/admin/lotes/1").headers["location"] == "/admin/lotes/1?hecho=shipped"
    page = admin.get(f"/admin/codigos/{codes[0]}").text
    who = re.compile(r"Persona \(cuenta [0-9]+\)")
    assert "enviado" in page and len(who.findall(page)) == 2, "who made it and who shipped it"
    assert who.search(listed) and who.search(admin.get("/admin/lotes/1").text)
    assert "account:" not in f"{listed}{page}"
    void = admin.submit(f"/admin/codigos/{codes[0]}/anular")
    assert void.headers["location"] == f"/admin/codigos/{codes[0]}?hecho=voided"
    assert CODE.findall(admin.get("/admin/codigos?lote=1&estado=void").text) == codes[:1]
    assert admin.submit("/admin/lotes/nuevo", to=f"/admin/codigos/{codes[0]}").status_code == 409

    assert "no se puede deshacer" in admin.get("/admin/lotes/1/anular").text
    assert admin.submit("/admin/lotes/1/anular").headers["location"] == "/admin/lotes/1?hecho=voided"
    counted = re.findall(r"<div>([a-z ñ]+)</div></td>\s*<td[^>]*><div>(\d+)</div>", admin.get("/admin/lotes/1").text)
    assert dict(counted) == {"impreso": "0", "enviado": "0", "con dueño": "0", "anulado": "3"}, "before the job has run"
    assert admin.get("/admin/codigos?lote=1").text.partition("<tbody")[2].count("anulado") == 3
    world.run_jobs()
    assert CODE.findall(admin.get("/admin/codigos?lote=1&estado=void").text) == codes


def test_a_batch_is_printed_from_its_page_until_its_tags_are_confirmed(world: World, admin: PageUser) -> None:
    admin.submit("/admin/lotes/nuevo", count="3", label="Colegio")
    page = admin.get("/admin/lotes/1").text
    assert 'action="/admin/lotes/1/pliego"' in page and "Pliego, de 1" in page
    lines = admin.get("/admin/lotes/1/csv")
    assert lines.headers["content-disposition"] == 'attachment; filename="lote-1.csv"'
    assert len(lines.text.splitlines()) == 4 and ",printed," in lines.text
    early = admin.submit("/admin/lotes/1/confirmar")
    assert early.status_code == 409 and "Descargue antes todos los pliegos" in early.text
    sheet = admin.get("/admin/lotes/1/pliego?pliego=1&formato=band&papel=letter")
    assert sheet.headers["content-type"] == "application/pdf" and sheet.content.startswith(b"%PDF")
    assert admin.get("/admin/lotes/1/pliego?pliego=2").status_code == 404
    tags = admin.get("/admin/lotes/1/marcas").text.splitlines()
    assert len(tags) == 4 and len(tags[1].rpartition("/")[2]) == 26
    assert "no se puede deshacer" in admin.get("/admin/lotes/1/confirmar").text
    assert admin.submit("/admin/lotes/1/confirmar").headers["location"] == "/admin/lotes/1?hecho=confirmed"
    gone = admin.get("/admin/lotes/1").text
    assert "destruidas" in gone and "/pliego" not in gone
    assert [admin.get(f"/admin/lotes/1/{name}").status_code for name in ("pliego", "marcas", "csv")] == [409, 409, 200]


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("count", ["", "0", "-1", "muchos", "9999999", "9" * 40])
def test_a_wrong_number_of_codes_is_told(admin: PageUser, count: str) -> None:
    answer = admin.submit("/admin/lotes/nuevo", count=count, label="Para el colegio")
    assert answer.status_code == 422
    assert '<a href="#count">' in answer.text and 'value="Para el colegio"' in answer.text
    assert "Todavía no hay lotes" in admin.get("/admin/lotes").text


def test_whose_a_code_is_and_which_is_a_decoy_is_not_told(world: World, admin: PageUser) -> None:
    ana = world.register(nombre="Ana Pérez")
    [code] = ana.data["attributes"]["product_codes"]
    with world.parts.database.writing() as tx:
        [decoy] = make_decoys(tx, world.clock.now(), 1)
    for path in (f"/admin/codigos?q={code[:3]}", f"/admin/codigos/{code}"):
        page = admin.get(path).text
        assert code in page and "con dueño" in page and ">owner<" not in page
        assert "Ana" not in page and str(ana.data["attributes"]["fmd_code"]) not in page
    assert decoy not in admin.get(f"/admin/codigos?q={decoy}").text.partition("<table")[2]
    assert admin.get(f"/admin/codigos/{decoy}").status_code == 404
    assert admin.submit("/admin/lotes/nuevo", to=f"/admin/codigos/{code}/anular").status_code == 409


def test_codes_have_pages_and_odd_searches_are_refused(admin: PageUser) -> None:
    assert admin.submit("/admin/lotes/nuevo", count="60").status_code == 303
    first = admin.get("/admin/codigos?lote=1").text
    following = re.search(r'rel="next" href="([^"]+)"', first)
    assert following
    second = admin.get(following.group(1).replace("&amp;", "&")).text
    together = CODE.findall(first) + CODE.findall(second)
    assert len(together) == 60 and together == sorted(set(together))
    copied = f"{together[0][:3].lower()}%20{together[0][3:5]}"
    assert CODE.findall(admin.get(f"/admin/codigos?q={copied}").text)[:1] == [together[0]]
    for typed in ("%C3%B1", "abcdefg", "K7%25"):
        assert CODE.findall(admin.get(f"/admin/codigos?q={typed}").text) == [], typed
    assert 'value="abcdefg"' in admin.get("/admin/codigos?q=abcdefg").text, "what was typed is kept"
    for query in ("q=%00", "lote=0", "lote=x", f"lote={2**70}", "estado=x", "cursor=x"):
        assert admin.get(f"/admin/codigos?{query}").status_code == 422, query


def test_a_lost_code_is_shown_as_lost(world: World, admin: PageUser) -> None:
    lost, retired, used = (world.register() for _ in range(3))
    codes = {
        name: one.data["attributes"]["product_codes"][0] for name, one in zip("lru", (lost, retired, used), strict=True)
    }
    lost.post(f"/v2/products/{codes['l']}/lost")
    retired.post(f"/v2/products/{codes['r']}/retire")
    assert "perdido" in admin.get(f"/admin/codigos/{codes['l']}").text.partition("</dl>")[0]
    for state, mine in (("lost", "l"), ("retired", "r"), ("claimed", "u")):
        page = admin.get(f"/admin/codigos?estado={state}").text
        listed = CODE.findall(page)
        assert codes[mine] in listed and not {codes[name] for name in "lru" if name != mine} & set(listed), state
    for language, words in (("es", "perdido"), ("en", "lost"), ("pt", "perdido")):
        table = admin.get(f"/admin/codigos?estado=lost&l={language}").text.partition("<table")[2]
        assert words in table
