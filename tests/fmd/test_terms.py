"""The term catalogue: every code exists, every word is there, and typing errors find it."""

import csv
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ficha.fmd
from ficha.fmd.catalog import CATALOG
from ficha.fmd.fields import FormField, form_of
from ficha.fmd.model_parts import Sistema, is_well_formed
from ficha.fmd.terms import Term, all_terms, folded, lookup, name_key, search

CHECK = Path(__file__).parents[3] / "shared" / "terms" / "check"
TERMS = Path(ficha.fmd.__path__[0]) / "terms.csv"
with (TERMS.parent / "medicine_names.csv").open(encoding="utf-8", newline="") as opened:
    NAMES = list(csv.DictReader(opened))


@pytest.mark.skipif(not CHECK.exists(), reason="the reference lists are not here")
def test_every_code_is_in_the_reference_lists() -> None:
    checked = subprocess.run([sys.executable, str(CHECK), str(TERMS)], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout


def test_there_are_enough_terms_and_each_is_whole() -> None:
    terms = all_terms()
    assert len(terms) >= 250
    for term in terms:
        assert term.modelo in CATALOG.names
        assert all(word.strip() == word and word for word in term.words)
        assert is_well_formed(next(each for each in Sistema if each == term.sistema), term.codigo)


def test_every_kind_of_term_is_asked_for_by_a_form() -> None:
    asked = {(model.about.wire, kind) for model in CATALOG for field in form_of(model) for kind in _kinds(field)}
    # Devices are chosen by their kind; their codes are for FHIR and the signs.
    offered = {(term.modelo, term.campo) for term in all_terms()} - {("cardiologico", "dispositivos")}
    assert asked == offered


def _kinds(field: FormField) -> set[str]:
    return {field.terms} - {""} | {kind for inner in field.fields for kind in _kinds(inner)}


def test_the_attribution_of_the_global_patient_set_is_kept() -> None:
    assert "SNOMED CT Global Patient Set" in (Path(__file__).parents[2] / "NOTICE").read_text("utf-8")


def first(q: str, model: str = "") -> str:
    found = search(q, model)
    return found[0].words.es if found else ""


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("epilepsia", "Epilepsia"),
        ("EPILEPSIA", "Epilepsia"),
        ("epliepsia", "Epilepsia"),
        ("epilesia", "Epilepsia"),
        ("maní", "Maní (cacahuate)"),
        ("mani", "Maní (cacahuate)"),
        ("peanut", "Maní (cacahuate)"),
        ("amendoim", "Maní (cacahuate)"),
        ("cacahuete", "Maní (cacahuate)"),
        ("camaron", "Camarón"),
        ("diabetis tipo 1", "Diabetes tipo 1"),
        ("1 tipo diabetes", "Diabetes tipo 1"),
        ("warfarna", "Warfarina"),
        ("marcapaso", "Marcapasos"),
        ("hemofilia a", "Hemofilia A (déficit de factor VIII)"),
        ("sindorme de stevns jonson", "Síndrome de Stevens-Johnson"),
        ("azpirina", "Ácido acetilsalicílico (aspirina)"),
        ("84757009", "Epilepsia"),
        ("b01aa03", "Warfarina"),
        ("látx", "Látex"),
    ],
)
def test_finds_what_was_meant(typed: str, meant: str) -> None:
    assert first(typed) == meant


@pytest.mark.skipif(not CHECK.exists(), reason="the reference lists are not here")
def test_every_name_of_a_medicine_means_a_code_of_the_reference_list() -> None:
    with (CHECK.parent / "atc.csv").open(encoding="utf-8", newline="") as stream:
        known = {row["codigo"] for row in csv.DictReader(stream)}
    assert {row["codigo"] for row in NAMES} - {""} <= known


def test_every_name_of_a_medicine_means_one_term_or_says_why_none() -> None:
    codes = {term.codigo for term in all_terms() if term.sistema == "atc"}
    assert len(NAMES) > 700
    assert len({name_key(row["nombre"]) for row in NAMES}) == len(NAMES), "a name that means two"
    for row in NAMES:
        assert (row["codigo"] in codes) != bool(row["reason"]), row
        assert name_key(row["nombre"]) and row["nombre"] == row["nombre"].strip()
    assert [row["nombre"] for row in NAMES] == sorted((row["nombre"] for row in NAMES), key=folded), "in order"


def test_no_name_of_one_medicine_is_a_word_of_another() -> None:
    """Who types a name that the catalogue knows as another term's own words would be offered the wrong substance."""
    words = {name_key(word): term.codigo for term in all_terms() if term.sistema == "atc" for word in term.words}
    for row in NAMES:
        assert words.get(name_key(row["nombre"]), row["codigo"]) == row["codigo"], row


@pytest.mark.parametrize(
    ("typed", "code"),
    [
        ("Acetaminofén", "N02BE01"),
        ("acetaminophen", "N02BE01"),
        ("paracetamol", "N02BE01"),
        ("ATAMEL", "N02BE01"),
        ("Atamel 500 mg", "N02BE01"),
        ("ibuprofeno", "M01AE01"),
        ("Ventolín", "R03AC02"),
        ("vento", "R03AC02"),
        ("albuterol", "R03AC02"),
        ("Depakine", "N03AG01"),
        ("depakine chrono 500", "N03AG01"),
        ("Novalgina", "N02BB02"),
        ("Glucophage 850mg", "A10BA02"),
        ("Eutirox", "H03AA01"),
        ("Puran T4 50 mcg", "H03AA01"),
        ("Neo Melubrina", "N02BB02"),
        ("solumedrol", ""),
        ("Co-Diovan", "C09DA03"),
        ("Humulin N", "A10AC01"),
        ("insulina cristalina", "A10AB01"),
        ("losartán potásico", "C09CA01"),
        ("EpiPen", "C01CA24"),
        ("Aspirina Protect", "B01AC06"),
    ],
)
def test_a_medicine_is_found_by_the_name_on_its_box(typed: str, code: str) -> None:
    assert [term.codigo for term in search(typed, "medicacion", 1)] == [code] * bool(code)


def test_a_name_of_the_trade_is_said_beside_what_it_means() -> None:
    [found] = search("ventolin", "medicacion")
    assert (found.words.es, found.nombre) == ("Salbutamol inhalado", "Ventolin")
    assert search("salbutamol", "medicacion")[0].nombre == search("epinefrina", "medicacion")[0].nombre == ""


@pytest.mark.parametrize("typed", [row["nombre"] for row in NAMES if not row["codigo"]])
def test_a_name_that_may_mean_several_things_means_none(typed: str) -> None:
    assert search(typed) == []


@pytest.mark.parametrize("typed", ["Diovan 160/12.5", "Atamel Forte", "Humulin 70/30", "Ventolim", "Blokiun", "Cozar"])
def test_a_name_of_the_trade_is_never_guessed(typed: str) -> None:
    """Another word behind it is another box, and many names differ by a letter."""
    assert all(not term.nombre for term in search(typed))


@pytest.mark.parametrize(
    ("typed", "model", "meant", "member"),
    [
        ("Penicilina", "alergiasm", "J01C", "J01CE08"),
        ("PENICILINA", "", "J01C", "J01CE08"),
        ("insulina", "medicacion", "A10A", "A10AE04"),
        ("heparina", "medicacion", "B01AB", "B01AB01"),
        ("antidepresivo", "medicacion", "N06A", "N06AB"),
    ],
)
def test_a_class_comes_before_its_members(typed: str, model: str, meant: str, member: str) -> None:
    codes = [term.codigo for term in search(typed, model, 30)]
    assert codes[0] == meant
    assert member in codes


def test_penicillin_is_found_however_it_is_spelt() -> None:
    for typed in ("penicilina", "penisilina", "penicilin", "penicillin", "Penicilinas", "penecilina"):
        assert any("Penicilina" in term.words.es for term in search(typed, "alergiasm")[:3]), typed


def test_every_word_of_the_catalogue_finds_its_term() -> None:
    for term in all_terms()[::5]:
        for word in term.words:
            assert (term.sistema, term.codigo) in [found[1:3] for found in search(word, term.modelo, 5)], word


def test_a_search_stays_within_its_model_and_field() -> None:
    assert {term.modelo for term in search("insulina", "medicacion")} == {"medicacion"}
    assert search("anafilaxia", "alergiasa", campo="agente") == []
    assert search("anafilaxia", "alergiasa", campo="reacciones")[0].codigo == "39579001"


def test_a_code_is_offered_once_and_the_limit_holds() -> None:
    found = search("in", limit=500)
    assert len({(term.sistema, term.codigo) for term in found}) == len(found)
    assert len(search("in", limit=3)) == 3


def test_nothing_is_found_for_nothing() -> None:
    assert search("") == search("   ") == search("¿?") == search("xqzwkj") == []


def test_a_code_prefers_the_words_of_its_model() -> None:
    assert lookup("atc", "N02AB03", "medicacion") == (
        "Fentanilo (analgésico)",
        "Fentanyl (analgesic)",
        "Fentanila (analgésico)",
    )
    assert (lookup("atc", "N02AB03", "alergiasm") or [""])[0] == "Fentanilo"


@settings(max_examples=80)
@given(st.text(max_size=200), st.integers(0, 30))
def test_any_text_can_be_searched(typed: str, limit: int) -> None:
    found = search(typed, limit=limit)
    assert len(found) <= limit
    assert all(isinstance(term, Term) for term in found)


def test_a_search_takes_a_few_milliseconds() -> None:
    search("epilepsia")
    spent = []
    for typed in ("penisilina", "diabetis tipo 1", "marcapsos", "in", "B01AA", "insulna glargina", "ventolin", "dio"):
        start = time.process_time()
        for _ in range(10):
            search(typed)
        spent.append((time.process_time() - start) / 10)
    assert sorted(spent)[len(spent) // 2] < 0.005
