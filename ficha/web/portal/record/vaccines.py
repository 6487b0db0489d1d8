"""The vaccines of a record as a calendar: what was given by date and age, and by what it protects against, with the
dose numbers that nobody wrote down. It says nothing of what comes next: no national scheme is here."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Idioma
from ficha.fmd.consent import visible_documents
from ficha.fmd.dates_and_amounts import date_text
from ficha.fmd.stored_documents import documents_of, text_in, unfiltered_first_name
from ficha.fmd.terms import lookup
from ficha.fmd.vaccine_calendar import DISEASES, DiseaseGroup, GivenDose, age_at, by_day, by_disease, doses_in
from ficha.http.dependencies import Now, Reading
from ficha.http.fmd_dependencies import ReadFmd
from ficha.web.kit.language import Translate, language_of, translator
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import signed_in_routes
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("portal", "vaccines")
MODELS = ["personal", "vacuna"]

routes = signed_in_routes("/app")


class ShownDose(NamedTuple):
    """`is_missing`: a number that nobody wrote down, between two that somebody did."""

    number: str
    day: str = ""
    age: str = ""
    vaccine: str = ""
    is_missing: bool = False


class ShownGroup(NamedTuple):
    title: str
    doses: Sequence[ShownDose]
    age: str = ""


@dataclass(frozen=True)
class DoseWords:
    """Doses of one person in the words of the page."""

    t: Translate
    language: Idioma
    born: str

    def day(self, dose: GivenDose) -> str:
        """A date stays on one line, however narrow its column is."""
        return date_text(dose.day, self.language).replace(" ", "\N{NO-BREAK SPACE}") or self.t("no_date")

    def dose(self, dose: GivenDose) -> ShownDose:
        known = lookup(dose.system, dose.code, "vacuna") if dose.code else None
        vaccine = known.in_language(self.language) if known else dose.vaccine
        number = self.t("no_number") if dose.number is None else str(dose.number)
        return ShownDose(number, self.day(dose), age_at(self.born, dose, self.language), vaccine)

    def disease(self, group: DiseaseGroup) -> ShownGroup:
        """Each missing number before the first dose with a higher one."""
        rows, missing = [], list(group.missing)
        for dose in group.doses:
            while missing and dose.number is not None and missing[0] < dose.number:
                rows.append(ShownDose(str(missing.pop(0)), is_missing=True))
            rows.append(self.dose(dose))
        words = DISEASES[group.disease].in_language(self.language) if group.disease else group.words
        return ShownGroup(words, rows)


@routes.page("/{code}/calendario-de-vacunas")
def vaccines_page(request: Request, reading: Reading, opened: ReadFmd, now: Now, code: str) -> Response:
    fmd = opened.fmd
    stored = documents_of(reading, fmd.id, fmd.key, [*MODELS, "consentimiento"])
    documents = visible_documents(stored, fmd.rights.door)
    opened.note("record.read", [name for name in MODELS if name in documents], now)
    language = language_of(request)
    personal = documents.get("personal", {})
    words = DoseWords(translator(language, PHRASES), language, text_in(personal, "fecha_nacimiento"))
    doses = doses_in(documents.get("vacuna"))
    days = [
        ShownGroup(words.day(first), [words.dose(dose) for dose in day.doses], age_at(words.born, first, language))
        for day in by_day(doses)
        for first in day.doses[:1]
    ]
    diseases = [words.disease(group) for group in by_disease(doses)]
    return show(
        request,
        "portal/record/vaccines.html",
        PHRASES,
        code=code,
        name=unfiltered_first_name({"personal": personal}),
        born=date_text(words.born, language),
        days=days,
        diseases=diseases,
        has_gaps=any(dose.is_missing for group in diseases for dose in group.doses),
        may_change=fmd.rights.changes,
    )
