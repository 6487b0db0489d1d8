"""What the server gives out for the viewer: one page for everybody, with the directory and a policy of its own."""

import json
import re
import shutil
from pathlib import Path

from starlette.testclient import TestClient

from ficha.exchange.trusted_issuers import MOST_ISSUERS
from tests.world import build_world, settings_for

ISSUERS = re.compile(r'<script type="application/json" id="issuers">(.*?)</script>', re.S)


def test_only_this_page_may_ask_any_host(client: TestClient) -> None:
    page = client.get("/ver")
    policy = page.headers["content-security-policy"]
    assert policy.endswith("; connect-src 'self' https:") and "default-src 'none'" in policy
    assert "script-src 'self';" in policy and "unsafe" not in policy and "form-action 'self'" in policy
    assert page.headers["referrer-policy"] == "no-referrer"
    assert page.headers["permissions-policy"] == "camera=(self), microphone=(), geolocation=()"
    assert "https:" not in client.get("/login").headers["content-security-policy"]


def test_it_is_in_three_languages(client: TestClient) -> None:
    for language, title in (("es", "Ver un enlace"), ("en", "Open a health link"), ("pt", "Ver um link")):
        page = client.get("/ver", params={"l": language})
        assert f'<html lang="{language}">' in page.text and title in page.text


def test_its_words_are_kept_for_good(client: TestClient) -> None:
    page = client.get("/ver").text
    for kind in ("words", "terms"):
        found = re.search(rf'data-{kind}="([^"]+)"', page)
        assert found is not None
        answer = client.get(found[1])
        assert "immutable" in answer.headers["cache-control"] and answer.json()
    assert client.get("/ver/words.000000000000.json").status_code == 404
    assert client.get("/ver/other.000000000000.json").status_code == 404


def test_the_whole_directory_is_in_the_page_and_cannot_leave_its_place(sqlite_file: Path, tmp_path: Path) -> None:
    file = tmp_path / "issuers.json"
    many = [{"iss": f"https://i{number}.example", "name": f"</script>{number}'\""} for number in range(MOST_ISSUERS)]
    file.write_text(json.dumps({"participating_issuers": many}))
    database = shutil.copy(sqlite_file, tmp_path / "ficha.db")
    world = build_world(settings_for(f"sqlite:///{database}", tmp_path / "data", trusted_issuers_file=file))
    page = world.client.get("/ver").text
    world.close()
    found = ISSUERS.search(page)
    assert found is not None
    names = json.loads(found[1])
    assert len(names) == MOST_ISSUERS + 1 and names["https://i7.example"] == "</script>7'\""
    assert names["https://testserver"] == "Ficha" and page.count("</script>7") == 0
