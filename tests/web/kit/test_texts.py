"""Every text of every page is there in three languages and is used, and a faulty file of texts is refused."""

import re
from collections.abc import Iterable
from pathlib import Path
from string import Formatter

import pytest

from ficha.emergencies.alert_progress import ProgressKind
from ficha.fmd.translations import Translated
from ficha.web.console.resources import button_pages, project_pages, service_pages
from ficha.web.console.subscriptions import subscription_pages
from ficha.web.kit.language import Phrases
from ficha.web.kit.texts import COLUMNS, FOLDER, TextsFaulty, page_texts, texts_of_file

WEB = FOLDER.parent
FOLDERS = sorted(file.stem for file in FOLDER.glob("*.csv"))
RESOURCES = (service_pages, button_pages, project_pages, subscription_pages)
# Their keys are words of others: types of pydantic's faults, relations on the wire, kinds of progress, names of FHIR.
KEYS_OF_OTHERS = ("faults", "relations", "alert_progress", "fhir_fields", "fhir_codes", "fhir_kinds")
# Beside its own: who draws its lists and forms, whose scripts ask for it, and where else its texts are shown.
MORE_SOURCES = {
    "console": ["kit", "templates/kit"],
    "health_viewer": ["static"],
    "institution": ["kit", "templates/kit"],
    "kit": ["."],
    "sticker": ["static"],
}
SECTIONS = set(page_texts("kit", "sections"))
# By templates of the kit, of the page that includes them; and where a page adds them in its module.
FROM_ELSEWHERE = {
    "console": {key for pages in RESOURCES for key in pages.phrases} | SECTIONS,
    "contact": {"number_unknown", "closed"},
    "institution": SECTIONS,
    "kit": set(page_texts("console", "frame")) | {"title", "advice"},
    "sticker": {"number_unknown"},
}


def _source(places: Iterable[str]) -> str:
    files = [file for place in places for file in sorted((WEB / place).rglob("*"))]
    return "\n".join(file.read_text() for file in files if file.suffix in (".py", ".html", ".js"))


def _keys(folder: str) -> set[str]:
    return {key for phrases in texts_of_file(FOLDER / f"{folder}.csv").values() for key in phrases}


def _all_phrases() -> list[tuple[str, Translated]]:
    tables: list[tuple[str, Phrases]] = [(one.path, one.phrases) for one in RESOURCES]
    for folder in FOLDERS:
        tables += [(f"{folder} {page}", table) for page, table in texts_of_file(FOLDER / f"{folder}.csv").items()]
    return [(f"{name}: {key}", phrase) for name, table in tables for key, phrase in table.items()]


def test_languages_have_the_same_places_for_values() -> None:
    phrases = _all_phrases()
    assert len(phrases) > 1500
    for name, phrase in phrases:
        places = [sorted(field for _, field, _, _ in Formatter().parse(text) if field is not None) for text in phrase]
        assert all(one == places[0] for one in places), name
        assert all(text == text.strip() and text.count("`") % 2 == 0 for text in phrase), name


@pytest.mark.parametrize(("folder", "page"), [("sticker", "page"), ("contact", "answer"), ("kit", "alert_headlines")])
def test_pages_of_an_emergency_have_calm_phrases(folder: str, page: str) -> None:
    assert [key for key, phrase in page_texts(folder, page).items() if "!" in "".join(phrase)] == []


def test_a_spreadsheet_takes_no_text_for_a_formula() -> None:
    assert [name for name, phrase in _all_phrases() if any(text.startswith(tuple("=+-@")) for text in phrase)] == []


def test_files_are_those_of_the_folders_of_pages() -> None:
    assert {folder for folder in FOLDERS if not (WEB / folder / "__init__.py").is_file()} == set()


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_page_of_a_file_is_asked_for(folder: str) -> None:
    asked = re.findall(rf'page_texts\("{folder}", "(\w+)"\)', _source(["."]))
    assert set(asked) == set(texts_of_file(FOLDER / f"{folder}.csv"))


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_text_is_used(folder: str) -> None:
    """By its whole key, or by one that is put together: `t("state_" ~ one)`, `word_of(t, PHRASES, "state", …)`."""
    source = _source([folder, f"templates/{folder}", *MORE_SOURCES.get(folder, ())])
    words = set(re.findall(r"\w+", source))
    begins = set(re.findall(r"""["'](\w+)_["'] ~|f["'](\w+)_\{|["'](\w+)["']""", source))
    prefixes = tuple(f"{name}_" for found in begins for name in found if name)
    suffixes = tuple(re.findall(r"""(?:~ ["']|\})(_\w+)["']""", source))
    unused = [
        f"{page}: {key}"
        for page, phrases in texts_of_file(FOLDER / f"{folder}.csv").items()
        for key in phrases
        if page not in KEYS_OF_OTHERS and key not in words
        if not key.startswith(prefixes) and not key.endswith(suffixes)
    ]
    assert unused == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_text_that_a_page_asks_for_is_there(folder: str) -> None:
    source = _source([folder, f"templates/{folder}"])
    asked = re.findall(r"""\bt\(["'](\w+)["'](?! ~)""", source) + re.findall(r"\bt\.(\w+)", source)
    asked += re.findall(r"""\b(?:PHRASES|SENTENCES|DURATIONS|WORDS|TOLD)\["(\w+)"\]""", source)
    assert len(asked) > 10 or folder == "preview"
    there = _keys(folder) | set(page_texts("kit", "every_page")) | FROM_ELSEWHERE.get(folder, set())
    assert set(asked) - there == set()


def test_every_kind_of_progress_but_two_has_its_sentence() -> None:
    """When an alert that is held back leaves, and that one does not leave, only the headline says."""
    unsaid = {ProgressKind.HELD_BACK, ProgressKind.STALLED}
    assert set(ProgressKind) - set(page_texts("kit", "alert_progress")) == unsaid
    assert set(page_texts("kit", "alert_progress")) <= set(ProgressKind)


HEADER = ",".join(COLUMNS)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "line 1: must be pages,key,es,en,pt,note"),
        ("pages,key,es,en,note\na,b,c,d,\n", "line 1: must be"),
        (HEADER.replace(",", ";"), "line 1: must be"),
        (f"{HEADER}\nlogin,title,Entrar,,Entrar,\n", "line 2: an empty cell"),
        (f"{HEADER}\nlogin,title,Entrar, ,Entrar,\n", "line 2: an empty cell"),
        (f"{HEADER}\n,title,Entrar,Log in,Entrar,\n", "line 2: an empty cell"),
        (f"{HEADER}\nlogin,title,Entrar,Log in,Entrar\n", "line 2: 5 cells, not 6"),
        (f"{HEADER}\nlogin,a,x,x,x,\nclave login,a,y,y,y,\n", "line 3: the page login has the key a twice"),
    ],
)
def test_a_faulty_file_is_refused_by_name_and_line(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "portal.csv"
    file.write_text(text)
    with pytest.raises(TextsFaulty, match=f"^portal.csv, {re.escape(complaint)}"):
        texts_of_file(file)


def test_a_file_that_a_spreadsheet_saved_is_read(tmp_path: Path) -> None:
    file = tmp_path / "portal.csv"
    row = 'login clave,title,"¿Entrar, ya?","Log in, ""now""?","Entrar, já?",On the door.'
    file.write_bytes(f"\ufeff{HEADER}\r\n{row}\r\n".encode())
    phrase = Translated("¿Entrar, ya?", 'Log in, "now"?', "Entrar, já?")
    assert texts_of_file(file) == {"login": {"title": phrase}, "clave": {"title": phrase}}
