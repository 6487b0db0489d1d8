"""A sticker is marked lost from a phone that is not logged in, by a mailed link."""

import re
from pathlib import Path

from tests.web.portal.page_session import PageUser
from tests.web.portal.record.test_stickers import code_of, with_sticker
from tests.world import Person, World, build_world, settings_for


def mailed(world: World) -> list[str]:
    world.run_jobs()
    found = (re.search(r"/perdida/\w+", mail.text) for mail in world.mails())
    return [link.group() for link in found if link is not None]


def test_a_lost_sticker_dies_by_mail_without_logging_in(world: World, ana: Person) -> None:
    code, tag = with_sticker(world, ana)
    phone = PageUser(world)
    answers = {phone.post("/perdida", cual=given).text for given in (ana.correo, code, "nadie@ejemplo.com", "ZZZZZZ")}
    assert len(answers) == 1  # The same for what exists and what does not.
    links = mailed(world)
    assert len(links) == 2
    # Asking again replaced the first link.
    pages = {link: phone.get(link) for link in links}
    [link] = [link for link, page in pages.items() if page.status_code == 200]
    assert code in pages[link].text and pages[link].headers["referrer-policy"] == "no-referrer"
    assert world.reader.get(f"/E/{code}/{tag}").status_code == 200
    other = code_of(world.register())
    assert phone.post(link).status_code == 422
    done = phone.post(link, **{f"etiqueta.{code}": "si", f"etiqueta.{other}": "si"})
    assert code in done.text and other not in done.text and ">Ir a sus fichas</a>" in done.text
    assert "hreflang" not in done.text, "its address says from now on that the link is dead"
    assert world.reader.get(f"/E/{code}/{tag}").status_code == 410
    assert phone.get(link).status_code == phone.post(link, **{f"etiqueta.{code}": "si"}).status_code == 410
    assert phone.post("/perdida", cual=" ").status_code == 422
    # Her only sticker is ticked already: two taps. The record is still found, by a new code.
    phone.post("/perdida", cual=ana.correo)
    newest = next(link for link in mailed(world) if link not in links)
    assert f'name="etiqueta.{code_of(ana)}" value="si" checked' in phone.get(newest).text
    phone.post(newest, **{f"etiqueta.{code_of(ana)}": "si"})
    codes = ana.get("/v2/fmd").json()["data"][0]["attributes"]["product_codes"]
    assert len(codes) == 1 and code_of(ana) not in codes


def test_links_to_a_mailbox_and_questions_of_an_address_are_limited(database_url: str, tmp_path: Path) -> None:
    world = build_world(settings_for(database_url, tmp_path, rate_limits="on"))
    phone, person = PageUser(world), world.register()
    said = [phone.post("/perdida", cual=person.correo) for _ in range(4)]
    assert [page.status_code for page in said] == [200, 200, 200, 429] and int(said[3].headers["retry-after"]) > 0
    assert len(mailed(world)) == 3
    # Of other mailboxes the same address may ask once more in this minute.
    assert [phone.post("/perdida", cual=f"{n}@ejemplo.com").status_code for n in range(2)] == [200, 429]
    world.close()


def test_many_codes_of_one_person_are_one_mailbox(database_url: str, tmp_path: Path) -> None:
    """Whoever asks is told the same as for others: which codes are one person's is nobody's business."""
    world = build_world(settings_for(database_url, tmp_path, rate_limits="on", limit_login="100/minute"))
    phone, person = PageUser(world), world.register()
    codes = [with_sticker(world, person)[0] for _ in range(4)]
    said = [phone.post("/perdida", cual=code) for code in (*codes, "ZZZZZZ")]
    assert {(page.status_code, page.text) for page in said} == {(200, said[0].text)}
    assert len({(page.headers["ratelimit-policy"], page.headers["ratelimit"].split(",")[1]) for page in said}) == 1
    assert len(mailed(world)) == 3
    world.close()
