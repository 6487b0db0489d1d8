"""The page of vaccines: by date and age, by disease, with the numbers that are not written; for who may see them."""

from html.parser import HTMLParser

from ficha.fmd.grants import GrantKind
from tests.emergencies.scenario import EmergencyScenario, granted
from tests.web.portal.page_session import logged_in

BORN = {"nombres": "Ana", "apellidos": "Pérez", "fecha_nacimiento": "2024-01-15"}
DOSES = [
    {
        "vacuna": {"texto": "Pentavalente", "sistema": "atc", "codigo": "J07CA11"},
        "fecha": "2024-03-20",
        "dosis_numero": 1,
    },
    {"vacuna": {"texto": "Pentavalente", "sistema": "atc", "codigo": "J07CA11"}, "fecha": "2024-07", "dosis_numero": 3},
    {"vacuna": {"texto": "La del <b>colegio</b>"}},
]


class Rows(HTMLParser):
    """The rows of the tables of a page, as a screen reader reads their cells."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._in_cell = False
        self.feed(html)

    def handle_starttag(self, tag: str, _attributes: object) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
            self._in_cell = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th"):
            self._in_cell = False

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.rows[-1][-1] += f" {data.strip()}" if data.strip() else ""


def rows_of(html: str) -> list[list[str]]:
    return [[cell.strip() for cell in row] for row in Rows(html.partition("<table")[2]).rows]


def test_what_was_given_by_age_with_what_is_missing(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(personal=BORN, vacuna={"vacunas": DOSES})
    owner = logged_in(scenario.world, sticker.owner)
    page = owner.get(f"/app/{sticker.code}/calendario-de-vacunas")
    rows = rows_of(page.text)
    assert ["1", "20/03/2024 2 meses", "Pentavalente (DTP, Hib y hepatitis B)"] in rows
    assert rows[rows.index(["Tétanos"]) + 2] == ["2", "no está escrita"]
    assert ["3", "07/2024 entre 5 meses y 6 meses", "Pentavalente (DTP, Hib y hepatitis B)"] in rows
    assert ["sin número", "sin fecha", "La del <b>colegio</b>"] in rows
    assert rows[-1] == ["sin fecha", "La del <b>colegio</b> (dosis sin número)"]
    assert "qué vacuna toca" in page.text and f'href="/app/{sticker.code}/vacuna"' in page.text
    assert f"/app/{sticker.code}/calendario-de-vacunas" in owner.get(f"/app/{sticker.code}").text
    english = rows_of(owner.get(f"/app/{sticker.code}/calendario-de-vacunas?l=en").text)
    assert ["2", "not written down"] in english and ["Whooping cough"] not in english and ["Pertussis"] in english
    scenario.world.drain_reads()
    entry = next(each for each in reversed(scenario.log_of(sticker)) if each.action == "record.read")
    assert list(entry.what) == ["personal", "vacuna"]


def test_without_vaccines_or_a_birth_date_it_says_so(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker()
    page = logged_in(scenario.world, sticker.owner).get(f"/app/{sticker.code}/calendario-de-vacunas").text
    assert "No hay ninguna vacuna escrita" in page and "<table" not in page
    assert "No está escrita la fecha de nacimiento" in page


def test_who_may_read_the_record_sees_it_and_nobody_else(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(personal=BORN, vacuna={"vacunas": DOSES})
    path = f"/app/{sticker.code}/calendario-de-vacunas"
    guardian = granted(scenario, sticker, GrantKind.GUARDIAN)
    assert "Tétanos" in logged_in(scenario.world, guardian).get(path).text
    stranger = logged_in(scenario.world, scenario.sticker().owner)
    assert stranger.get(path).status_code == 404
    assert stranger.get("/app/XXXXXX/calendario-de-vacunas").content == stranger.get(path).content
