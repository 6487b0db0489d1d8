"""The doses of a record as a calendar: by date, with the age at which each was given, and by what it protects against,
with the dose numbers that are missing between those written down. Values in, values out.

It tells what is written, and nothing of what should be given: no national scheme is here. Which vaccine is for what
follows from the words of its own term (`terms.csv`); a test holds `vaccine_diseases.csv` to them."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from ficha.fmd.dates_and_amounts import age_text
from ficha.fmd.terms import name_key
from ficha.fmd.translations import Translated
from ficha.fmd.values import PARTIAL, first_day, last_day

DISEASES: Mapping[str, Translated] = {
    "tuberculosis": Translated("Tuberculosis", "Tuberculosis", "Tuberculose"),
    "hepatitis_b": Translated("Hepatitis B", "Hepatitis B", "Hepatite B"),
    "diphtheria": Translated("Difteria", "Diphtheria", "Difteria"),
    "tetanus": Translated("Tétanos", "Tetanus", "Tétano"),
    "pertussis": Translated("Tos ferina", "Pertussis", "Coqueluche"),
    "hib": Translated("Haemophilus influenzae b", "Haemophilus influenzae b", "Haemophilus influenzae b"),
    "polio": Translated("Polio", "Polio", "Poliomielite"),
    "rotavirus": Translated("Rotavirus", "Rotavirus", "Rotavírus"),
    "pneumococcus": Translated("Neumococo", "Pneumococcus", "Pneumococo"),
    "meningococcus_b": Translated("Meningococo B", "Meningococcus B", "Meningococo B"),
    "meningococcus_acwy": Translated("Meningococo ACWY", "Meningococcus ACWY", "Meningococo ACWY"),
    "measles": Translated("Sarampión", "Measles", "Sarampo"),
    "rubella": Translated("Rubéola", "Rubella", "Rubéola"),
    "mumps": Translated("Paperas", "Mumps", "Caxumba"),
    "varicella": Translated("Varicela", "Chickenpox", "Varicela"),
    "hepatitis_a": Translated("Hepatitis A", "Hepatitis A", "Hepatite A"),
    "yellow_fever": Translated("Fiebre amarilla", "Yellow fever", "Febre amarela"),
    "hpv": Translated("Virus del papiloma humano", "Human papillomavirus", "Papilomavírus humano"),
    "influenza": Translated("Influenza (gripe)", "Influenza (flu)", "Influenza (gripe)"),
    "covid": Translated("COVID-19", "COVID-19", "COVID-19"),
    "dengue": Translated("Dengue", "Dengue", "Dengue"),
    "typhoid": Translated("Fiebre tifoidea", "Typhoid fever", "Febre tifoide"),
    "rabies": Translated("Rabia", "Rabies", "Raiva"),
    "zoster": Translated("Herpes zóster", "Shingles", "Herpes-zóster"),
    "smallpox_mpox": Translated("Viruela y viruela símica", "Smallpox and mpox", "Varíola e mpox"),
    "rsv": Translated("Virus respiratorio sincitial", "Respiratory syncytial virus", "Vírus sincicial respiratório"),
}
_RANKS = {name: rank for rank, name in enumerate(DISEASES)}
BETWEEN = Translated("entre {} y {}", "between {} and {}", "entre {} e {}")


@dataclass(frozen=True)
class GivenDose:
    """As the record has it. `day` is a date or the part of one that is known; empty if nobody wrote it down."""

    vaccine: str
    system: str = ""
    code: str = ""
    day: str = ""
    number: int | None = None

    @property
    def when(self) -> tuple[date, date]:
        """The first and the last day that it can have been. Those without a date come last."""
        return first_day(self.day) or date.max, last_day(self.day) or date.max


class DayGroup(NamedTuple):
    """What was given on one day. `day` is empty for the doses without a date."""

    day: str
    doses: Sequence[GivenDose]


class DiseaseGroup(NamedTuple):
    """What was given against one disease; of a vaccine without a code that we know, under its own words. `missing` are
    the dose numbers that nobody wrote down between the lowest and the highest of it."""

    disease: str
    words: str
    doses: Sequence[GivenDose]
    missing: Sequence[int]


def doses_in(document: Any) -> list[GivenDose]:
    """Of the stored model of vaccines. What cannot be read is left out."""
    listed = document.get("vacunas") if isinstance(document, Mapping) else None
    doses = []
    for each in listed if isinstance(listed, list) else []:
        vaccine = each.get("vacuna") if isinstance(each, Mapping) else None
        if not isinstance(vaccine, Mapping) or not isinstance(vaccine.get("texto"), str):
            continue
        day, number = each.get("fecha"), each.get("dosis_numero")
        known_day = day if isinstance(day, str) and PARTIAL.fullmatch(day) and first_day(day) else ""
        known_number = number if isinstance(number, int) and not isinstance(number, bool) else None
        code = [str(vaccine.get(name) or "") for name in ("sistema", "codigo")]
        doses.append(GivenDose(vaccine["texto"], code[0], code[1], known_day, known_number))
    return doses


def by_day(doses: Iterable[GivenDose]) -> list[DayGroup]:
    """The earliest first; those without a date last."""
    found: dict[str, list[GivenDose]] = {}
    for dose in in_order(doses):
        found.setdefault(dose.day, []).append(dose)
    return [DayGroup(day, group) for day, group in found.items()]


def by_disease(doses: Iterable[GivenDose]) -> list[DiseaseGroup]:
    """A combined vaccine stands under each disease that it is for. Those without a known code come last."""
    found: dict[tuple[int, str], list[GivenDose]] = {}
    for dose in in_order(doses):
        diseases = diseases_of(dose.system, dose.code)
        keys = [(_RANKS[name], name) for name in diseases] or [(len(_RANKS), name_key(dose.vaccine) or dose.vaccine)]
        for key in keys:
            found.setdefault(key, []).append(dose)
    groups = []
    for (rank, name), group in sorted(found.items(), key=lambda one: one[0]):
        is_known = rank < len(_RANKS)
        words = "" if is_known else group[0].vaccine
        groups.append(DiseaseGroup(name if is_known else "", words, group, missing_numbers(group)))
    return groups


def in_order(doses: Iterable[GivenDose]) -> list[GivenDose]:
    return sorted(doses, key=lambda dose: (dose.when, dose.day, dose.number or 0, dose.vaccine, dose.system, dose.code))


def missing_numbers(doses: Iterable[GivenDose]) -> list[int]:
    numbers = {dose.number for dose in doses if dose.number is not None}
    return [each for each in range(min(numbers), max(numbers)) if each not in numbers] if numbers else []


def age_at(born: str, dose: GivenDose, language: str) -> str:
    """Between two ages where only a part of the date is known. Empty without both dates, or if they do not agree."""
    if not born or not dose.day or first_day(born) is None:
        return ""
    start, end = dose.when
    earliest, latest = age_text(born, max(start, first_day(born) or start), language), age_text(born, end, language)
    if not earliest or not latest or earliest == latest:
        return latest
    return BETWEEN.in_language(language).format(earliest, latest)


def diseases_of(system: str, code: str) -> Sequence[str]:
    """None for a vaccine that has no code, or one that is not in the catalogue."""
    return _table().get((system, code), ())


@cache
def _table() -> Mapping[tuple[str, str], tuple[str, ...]]:
    lines = (files("ficha.fmd") / "vaccine_diseases.csv").read_text(encoding="utf-8").splitlines()
    return {
        (row["sistema"], row["codigo"]): tuple(row["enfermedades"].split())
        for row in csv.DictReader(lines, strict=True)
    }
