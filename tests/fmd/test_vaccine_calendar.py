"""The calendar of vaccines: order, groups, missing numbers and ages, for any doses."""

import csv
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ficha.fmd import vaccine_calendar
from ficha.fmd.terms import all_terms, folded
from ficha.fmd.vaccine_calendar import (
    DISEASES,
    GivenDose,
    age_at,
    by_day,
    by_disease,
    diseases_of,
    doses_in,
    in_order,
    missing_numbers,
)

CODES = [(term.sistema, term.codigo, term.words.es) for term in all_terms() if term.modelo == "vacuna"]
DAYS = st.dates(date(1990, 1, 1), date(2026, 11, 18)).map(date.isoformat)
PARTS = st.one_of(DAYS, DAYS.map(lambda day: day[:7]), DAYS.map(lambda day: day[:4]), st.just(""))
KNOWN = st.sampled_from(CODES).map(lambda one: (one[2], one[0], one[1]))
TYPED = st.sampled_from(["Fiebre amarilla", "fiebre  amarilla", "La del colegio", "???"]).map(lambda one: (one, "", ""))
DOSES = st.builds(
    lambda vaccine, day, number: GivenDose(vaccine[0], vaccine[1], vaccine[2], day, number),
    st.one_of(KNOWN, TYPED),
    PARTS,
    st.one_of(st.none(), st.integers(1, 30)),
)


@given(st.lists(DOSES, max_size=40))
def test_every_dose_stands_in_both_lists_and_in_order(doses: list[GivenDose]) -> None:
    days = by_day(doses)
    assert sorted(map(repr, (dose for day in days for dose in day.doses))) == sorted(map(repr, doses))
    assert len({day.day for day in days}) == len(days)
    assert [at for at, day in enumerate(days) if not day.day] in ([], [len(days) - 1])
    groups = by_disease(doses)
    for dose in doses:
        holding = [group for group in groups if dose in group.doses]
        assert len(holding) == max(1, len(diseases_of(dose.system, dose.code)))
    for group in groups:
        assert list(group.doses) == in_order(group.doses)
        assert (group.disease in DISEASES) != bool(group.words)


@given(st.lists(DOSES, max_size=40), st.randoms())
def test_the_order_in_which_they_were_written_changes_nothing(doses: list[GivenDose], random: object) -> None:
    shuffled = list(doses)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert by_day(shuffled) == by_day(doses)
    assert [(one.disease, one.missing) for one in by_disease(shuffled)] == [
        (one.disease, one.missing) for one in by_disease(doses)
    ]


@given(st.sets(st.integers(1, 30)))
def test_missing_are_the_numbers_between_and_no_others(numbers: set[int]) -> None:
    missing = missing_numbers(GivenDose("x", number=number) for number in numbers)
    assert not set(missing) & numbers
    assert set(missing) | numbers == (set(range(min(numbers), max(numbers) + 1)) if numbers else set())


@pytest.mark.parametrize(
    ("born", "day", "age"),
    [
        ("2024-01-15", "2024-01-15", "0 días"),
        ("2024-01-15", "2024-03-20", "2 meses"),
        ("2024-01-15", "2024-03", "entre 1 mes y 2 meses"),
        ("2024-01-15", "2028", "entre 3 años y 4 años"),
        ("2024-01-15", "2024-01", "entre 0 días y 16 días"),
        ("2024-01-15", "2023-12-31", ""),
        ("2024-01-15", "", ""),
        ("", "2024-01-15", ""),
        ("no", "2024-01-15", ""),
    ],
)
def test_the_age_is_as_exact_as_the_dates(born: str, day: str, age: str) -> None:
    assert age_at(born, GivenDose("x", day=day), "es") == age


@given(PARTS, DOSES)
def test_an_age_is_always_words_or_nothing(born: str, dose: GivenDose) -> None:
    for language in ("es", "en", "pt"):
        assert "None" not in age_at(born, dose, language)


def test_combined_vaccines_count_for_each_disease() -> None:
    doses = [
        GivenDose("Pentavalente", "atc", "J07CA11", "2024-03-20", 1),
        GivenDose("Hexavalente", "atc", "J07CA09", "2024-07-20", 3),
        GivenDose("Hepatitis B", "cvx", "08", "2024-01-15", 1),
        GivenDose("La del colegio", day="2030"),
    ]
    groups = {group.disease or group.words: group for group in by_disease(doses)}
    assert [dose.vaccine for dose in groups["hepatitis_b"].doses] == ["Hepatitis B", "Pentavalente", "Hexavalente"]
    assert list(groups["hepatitis_b"].missing) == [2] == list(groups["tetanus"].missing)
    assert list(groups["polio"].missing) == [] and len(groups["polio"].doses) == 1
    assert list(groups)[-1] == "La del colegio"


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {"vacunas": "x"},
        {"vacunas": [None, 7, {}, {"vacuna": "x"}, {"vacuna": {"texto": 7}}]},
        {"ausencia": "x"},
    ],
)
def test_what_cannot_be_read_is_left_out(document: object) -> None:
    assert doses_in(document) == []


def test_a_damaged_date_or_number_is_none() -> None:
    given_doses = [{"vacuna": {"texto": "BCG"}, "fecha": "2024-13", "dosis_numero": True}]
    assert doses_in({"vacunas": given_doses}) == [GivenDose("BCG")]


# What the words of a term must say for each disease, in Spanish; of combined vaccines by the usual letters.
SAID = {
    "diphtheria": ("difteria", "dtp"),
    "tetanus": ("tetan", "dtp"),
    "pertussis": ("tos ferina", "dtp"),
    "hib": ("haemophilus", "hib"),
    "hpv": ("papiloma",),
    "meningococcus_b": ("meningococo b",),
    "meningococcus_acwy": ("meningococo acwy",),
    "smallpox_mpox": ("viruela",),
    "rsv": ("sincitial",),
    "zoster": ("zoster",),
    "covid": ("covid",),
    "influenza": ("gripe",),
    "yellow_fever": ("fiebre amarilla",),
    "typhoid": ("tifoidea",),
    "rabies": ("rabia",),
    "measles": ("sarampion",),
    "mumps": ("paperas",),
    "rubella": ("rubeola",),
    "pneumococcus": ("neumococo",),
    "varicella": ("varicela",),
}


def test_each_vaccine_of_the_catalogue_is_for_what_its_words_say() -> None:
    file = Path(vaccine_calendar.__file__).with_name("vaccine_diseases.csv")
    with file.open(encoding="utf-8", newline="") as opened:
        listed = [(row["sistema"], row["codigo"]) for row in csv.DictReader(opened)]
    assert sorted(listed) == sorted((system, code) for system, code, _ in CODES)
    for system, code, words in CODES:
        for disease in DISEASES:
            expected = any(said in folded(words) for said in SAID.get(disease, (folded(DISEASES[disease].es),)))
            assert (disease in diseases_of(system, code)) == expected, (words, disease)
