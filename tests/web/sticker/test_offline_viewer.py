"""The viewer's page and what a phone keeps for it, as the server gives them out."""

import json
import re

import pytest
from starlette.testclient import TestClient

from ficha.fmd.offline.keys import add_signing_key, signing_keys
from ficha.fmd.offline.packing import dictionary
from ficha.fmd.offline.wording import references
from ficha.web.kit.assets import assets
from ficha.web.sticker.offline_viewer import PHRASES
from tests.world import Person, World

PAGE = "/e/offline"
KEYS = "/.well-known/ficha-keys.json"


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    ("language", "title"), [("es", "sin conexión"), ("en", "without a network"), ("pt", "sem conexão")]
)
def test_the_page_speaks_three_languages_and_helps_without_scripts(
    client: TestClient, language: str, title: str
) -> None:
    page = client.get(PAGE, params={"l": language})
    assert page.status_code == 200
    assert f'<html lang="{language}">' in page.text and title in page.text
    assert "112" in page.text.partition("<noscript>")[2]


def test_the_page_keeps_to_itself(client: TestClient) -> None:
    page = client.get(PAGE)
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "connect-src 'self'" in policy and "unsafe" not in policy
    assert not re.search(r"https?://", page.text)
    assert not re.search(r"<script(?! src=\"/static/)|<style| style=|\son\w+=", page.text)
    for name in ("offline.js", "offline-keep.js", "offline-worker.js", "offline.css"):
        content = assets()[name].content.decode()
        assert not re.search(r"https?://|innerHTML|insertAdjacent|eval\(|document\.write", content)


def test_everything_a_phone_keeps_is_there(client: TestClient) -> None:
    script = client.get(f"{PAGE}/worker.js")
    assert script.headers["content-type"].startswith("text/javascript")
    assert script.headers["service-worker-allowed"] == "/"
    assert "connect-src 'self'" in script.headers["content-security-policy"]
    kept = json.loads(script.text.partition("= ")[2].partition(";\n")[0])
    used = set(re.findall(r"/static/[\w.-]+", client.get(PAGE).text))
    assert used <= set(kept["files"])
    for address in [kept["page"], kept["keys"], *kept["files"]]:
        assert client.get(address).status_code == 200, address


def test_the_words_are_kept_for_good_under_a_name_of_their_own(client: TestClient) -> None:
    found = re.search(r'data-words="([^"]+)"', client.get(PAGE).text)
    assert found
    answer = client.get(found.group(1))
    assert "immutable" in answer.headers["cache-control"]
    content = answer.json()
    assert content["dictionaries"] == {"1": dictionary().decode()}
    assert content["words"]["Epilepsia"] == ["Epilepsy", "Epilepsia"]
    assert set(content["words"]) == set(references())
    assert set(PHRASES) == set(content["phrases"])
    assert client.get(f"{PAGE}/words.000000000000.json").status_code == 404


def test_the_script_says_only_what_has_words() -> None:
    script = assets()["offline.js"].content.decode()
    said = set(re.findall(r'(?:say|list|Refused)\("(\w+)"|"(no_signs_\w+|\w*more\w*|directive_why)"', script))
    said = {name for names in said for name in names if name}
    assert said <= set(PHRASES)
    assert {"altered", "huge", "key_unknown", "too_old", "unreadable", "signed"} <= said


def test_keys_are_published_before_the_first_sticker(world: World, ana: Person) -> None:
    answer = world.client.get(KEYS)
    assert answer.headers["cache-control"] == "public, max-age=3600"
    (first,) = answer.json()["keys"]
    assert first["kty"] == "EC" and "d" not in first
    assert world.client.get(KEYS).json() == answer.json()
    code = ana.data["attributes"]["product_codes"][0]
    assert ana.get("/v2/generators/qr", params={"code": code, "kind": "hybrid"}).status_code == 200
    with world.parts.database.reading() as tx:
        assert [key.id for key in signing_keys(tx, world.parts.keyring)] == [first["kid"]]


def test_a_key_that_no_longer_signs_stays_published(world: World) -> None:
    old = world.client.get(KEYS).json()["keys"]
    with world.parts.database.writing() as tx:
        new = add_signing_key(tx, world.parts.keyring, world.clock.now())
    world.clock.move(days=400)
    kept = world.client.get(KEYS).json()["keys"]
    assert old[0] in kept and new.jwk() in kept and len(kept) == 2
