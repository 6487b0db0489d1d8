"""A stranger scans the sticker: what she sees, whom she can alert, and what is written down of it."""

import gzip

import pytest
from sqlalchemy import select

from ficha.fmd.entries import Entry
from tests.web.sticker.rendering import FIRST_ROUND_TRIP
from tests.web.sticker.sticker import ScannedSticker, actions, emergencies, sticker_of
from tests.world import World


@pytest.fixture
def sticker(world: World) -> ScannedSticker:
    return sticker_of(world)


def test_the_sticker_opens_the_page_and_the_log_knows(sticker: ScannedSticker) -> None:
    answer = sticker.scan()
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "Ana Lucía" in answer.text and "Epilepsia" in answer.text and "tel:+584125551111" in answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert len(answer.headers.get_list("content-security-policy")) == 1
    assert ("tag", "record.read") in actions(sticker.world)


@pytest.mark.parametrize("change", [str.lower, str.upper], ids=["lower", "upper"])
def test_either_case_opens_it(sticker: ScannedSticker, change: type[str]) -> None:
    assert sticker.world.reader.get(change(sticker.path)).status_code in (200, 404)
    assert sticker.world.reader.get(f"/E/{sticker.code}/{sticker.tag}").status_code == 200
    assert sticker.world.reader.get(f"/e/{sticker.code.lower()}/{sticker.tag.lower()}").status_code == 200


def test_it_speaks_the_responder_s_language(sticker: ScannedSticker) -> None:
    english = sticker.scan(headers={"Accept-Language": "en-GB,en;q=0.9"}).text
    assert 'lang="en"' in english and "Epilepsy" in english
    assert 'lang="pt"' in sticker.scan(params={"l": "pt"}).text


def test_it_fits_the_first_round_trip(sticker: ScannedSticker) -> None:
    answer = sticker.scan(headers={"Accept-Encoding": "gzip"})
    head = sum(len(name) + len(value) + 4 for name, value in answer.headers.raw)
    assert answer.headers["content-encoding"] == "gzip"
    assert head + len(gzip.compress(answer.content, 9)) < FIRST_ROUND_TRIP


def test_alerting_the_family_is_one_emergency_and_the_page_says_how_far_it_is(sticker: ScannedSticker) -> None:
    world = sticker.world
    world.listen()
    assert sticker.alert(lat="10.65", lon="-71.63", precision="12").status_code == 303
    assert sticker.alert().status_code == 303
    [emergency] = emergencies(world)
    assert (emergency.state, emergency.scans, emergency.position is not None) == ("open", 2, True)
    world.do("emergencia.paso", emergency_id=emergency.id, place=1)
    page = sticker.scan()
    assert page.status_code == 200 and 'http-equiv="refresh"' in page.text
    assert "Avisando a la madre por WhatsApp" in page.text
    assert "Epilepsia" in page.text, "the facts stay while the alert is under way"


def test_a_damaged_entry_never_blanks_the_page(sticker: ScannedSticker) -> None:
    with sticker.world.parts.database.writing() as tx:
        [entry] = tx.orm.scalars(select(Entry).where(Entry.model == "salud")).all()
        entry.sealed = b"x" * len(entry.sealed)
    page = sticker.scan()
    assert page.status_code == 200
    assert "Ana Lucía" in page.text and "No se pudo leer" in page.text


def test_breaking_the_glass_asks_who_and_why_and_tells_the_owner(sticker: ScannedSticker) -> None:
    world = sticker.world
    refused = world.reader.post(f"{sticker.path}/mas", data={"quien": "Dr. Gil", "motivo": " "}, follow_redirects=False)
    assert refused.status_code == 422 and "Dr. Gil" in refused.text and "Escriba por qué" in refused.text
    opened = world.reader.post(
        f"{sticker.path}/mas", data={"quien": "Dr. Gil", "motivo": "Convulsión"}, follow_redirects=False
    )
    assert opened.status_code == 303
    secret = opened.headers["set-cookie"].partition("=")[2].partition(";")[0]
    cookie = {"Cookie": f"ficha_glass={secret}"}
    assert "más datos" in world.reader.get(sticker.path, headers=cookie).text
    done = actions(world)
    assert ("glass", "glass.broken") in done and ("glass", "record.read") in done
    world.clock.move(minutes=61)
    assert "hasta las" not in world.reader.get(sticker.path, headers=cookie).text
