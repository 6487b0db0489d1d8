"""Every page: renders, keeps to itself, and says who may do what in it."""

import re

import pytest
from starlette.testclient import TestClient

from ficha.web.kit.assets import assets
from tests.world import World

PAGES = ("/", "/login", "/docs", "/sandbox", "/clave", "/clave/nada")
ADDRESS = re.compile(r"https?://([^\s/\"'<>\\)]+)")
# The example of /v1/welcome names a laptop; the last is the name of SVG, which nobody fetches.
OURS = {"testserver", "127.0.0.1:8000", "www.w3.org"}


@pytest.mark.one_case_on_postgresql("language")
@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(("language", "word"), [("es", "Idioma"), ("en", "Language"), ("pt", "Idioma")])
def test_pages_render_in_three_languages(client: TestClient, path: str, language: str, word: str) -> None:
    page = client.get(path, params={"l": language})
    assert page.status_code == (410 if path == "/clave/nada" else 200)
    assert f'<html lang="{language}">' in page.text
    assert f'aria-label="{word}"' in page.text
    assert "{" not in re.sub(
        r"<(pre|code|textarea)[\s>].*?</\1>|data-\w+=\"[^\"]*\"|class=\"path\">[^<]*", "", page.text, flags=re.S
    )


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("path", PAGES)
def test_pages_name_no_other_host(client: TestClient, path: str) -> None:
    """Examples and patterns are text: nothing is fetched from there."""
    page = re.sub(r"<(pre|code|textarea)[\s>].*?</\1>|data-\w+=\"[^\"]*\"", "", client.get(path).text, flags=re.S)
    assert set(ADDRESS.findall(page)) <= OURS


def test_static_files_name_no_other_host(client: TestClient) -> None:
    for asset in assets().values():
        assert set(ADDRESS.findall(asset.content.decode())) <= OURS


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("path", PAGES)
def test_pages_bring_a_strict_policy(client: TestClient, path: str) -> None:
    page = client.get(path)
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert ("connect-src 'self'" in policy) == (path in ("/docs", "/sandbox"))
    assert " style=" not in page.text
    assert "<style" not in page.text
    assert not re.search(r"<script(?! src=\"/static/)", page.text)
    assert not re.search(r"\son\w+=", re.sub(r"<(pre|code|textarea)[\s>].*?</\1>", "", page.text, flags=re.S))


def test_what_pages_use_is_served_and_kept_for_good(client: TestClient) -> None:
    used = {url for path in PAGES for url in re.findall(r"/static/[\w.-]+", client.get(path).text)}
    assert any(url.endswith(".css") for url in used)
    for url in used:
        answer = client.get(url)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
    assert client.get("/static/ficha.css").status_code == 404
    assert client.get("/static/..%2Fpages.py").status_code == 404


def test_small_files_that_browsers_and_robots_ask_for(client: TestClient) -> None:
    assert client.get("/favicon.ico").headers["content-type"] == "image/svg+xml"
    assert "Disallow: /\n" in client.get("/robots.txt").text
    assert client.head("/").status_code == 200


def test_the_front_page_helps_in_development(client: TestClient) -> None:
    assert "ficha demo" in client.get("/").text
    assert "/sandbox" in client.get("/").text


def test_the_front_page_is_silent_in_production(hidden: World) -> None:
    assert "ficha demo" not in hidden.client.get("/").text
    assert "/sandbox" not in hidden.client.get("/").text


def test_pages_are_not_in_the_api_document(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    assert "/v2/auth/login" in paths
    assert not {"/", "/docs", "/sandbox", "/clave", "/metrics", "/openapi.json"} & set(paths)
