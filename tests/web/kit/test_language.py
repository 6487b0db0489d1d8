"""Pages speak the reader's language."""

import pytest
from starlette.testclient import TestClient


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "es"),
        ("en-GB,en;q=0.9", "en"),
        ("fr-FR,fr;q=0.9,pt;q=0.8,en;q=0.7", "pt"),
        ("en;q=0.2, es;q=0.9", "es"),
        ("de", "es"),
        ("pt;q=0, en", "en"),
        ("en;q=nonsense", "es"),
        (";;;,,,q=", "es"),
    ],
)
def test_the_browser_says_which_language(client: TestClient, header: str, language: str) -> None:
    page = client.get("/", headers={"Accept-Language": header})
    assert f'<html lang="{language}">' in page.text
    assert page.headers["content-language"] == language


def test_the_switch_wins_and_links_remember_it(client: TestClient) -> None:
    page = client.get("/?l=en", headers={"Accept-Language": "pt"}).text
    assert '<html lang="en">' in page
    assert 'href="/docs?l=en"' in page
    assert 'href="?l=pt"' in page


def test_an_unknown_language_is_no_language(client: TestClient) -> None:
    assert '<html lang="es">' in client.get("/?l=xx").text
