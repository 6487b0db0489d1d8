"""Pages speak the reader's language."""

import pytest
from starlette.testclient import TestClient

from ficha.accounts.accounts import Idioma
from ficha.web.contact import phrases as contact
from ficha.web.docs import convention_phrases
from ficha.web.docs import phrases as docs
from ficha.web.kit import phrases as shared
from ficha.web.kit.language import Phrases
from ficha.web.portal.account import clave_phrases
from ficha.web.portal.joining import home_phrases
from ficha.web.sandbox import phrases as sandbox
from ficha.web.sticker import break_glass_form, offline_phrases, page_phrases

TABLES = (
    contact,
    clave_phrases,
    shared,
    convention_phrases,
    docs,
    break_glass_form,
    home_phrases,
    offline_phrases,
    page_phrases,
    sandbox,
)


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


def test_every_phrase_is_said_in_every_language() -> None:
    for table in TABLES:
        for key, said in table.PHRASES.items():
            for language in Idioma:
                phrase = getattr(said, language)
                assert phrase.strip(), key
                assert phrase.count("`") % 2 == 0, key
                assert phrase.count("{") == said.es.count("{"), key


@pytest.mark.parametrize("phrases", [page_phrases.PHRASES, contact.PHRASES])
def test_pages_of_an_emergency_have_calm_phrases(phrases: Phrases) -> None:
    for key, phrase in phrases.items():
        assert all(text.strip() and "!" not in text for text in phrase), key
        assert len({text.count("{") for text in phrase}) == 1, key
