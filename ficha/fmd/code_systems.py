"""The code systems we know, and what a code of each looks like."""

import re

from ficha.fmd.translations import Choice


class Sistema(Choice):
    SNOMED = "snomed", "SNOMED CT", "SNOMED CT", "SNOMED CT"
    ATC = "atc", "ATC (OMS)", "ATC (WHO)", "ATC (OMS)"
    CIE10 = "cie10", "CIE-10", "ICD-10", "CID-10"
    CVX = "cvx", "CVX", "CVX", "CVX"
    LOINC = "loinc", "LOINC", "LOINC", "LOINC"


_FORMS = {
    # Six digits at least; the two before the last say that it names a concept, not a description.
    Sistema.SNOMED: re.compile(r"[1-9][0-9]{2,14}[01]0[0-9]"),
    Sistema.ATC: re.compile(r"[A-DGHJLMNPRSV]([0-9]{2}([A-Z]([A-Z]([0-9]{2})?)?)?)?"),
    Sistema.CIE10: re.compile(r"[A-Z][0-9][0-9A-Z](\.[0-9A-Z]{1,4})?"),
    Sistema.CVX: re.compile(r"[0-9]{2,3}"),
    Sistema.LOINC: re.compile(r"[0-9]{1,7}-[0-9]"),
}


def is_well_formed(sistema: Sistema, codigo: str) -> bool:
    """Whether it has the form of a code of that system. Whether it exists, only the catalogue knows."""
    if not _FORMS[sistema].fullmatch(codigo):
        return False
    return sistema is not Sistema.SNOMED or _verhoeff(codigo) == 0


# Verhoeff's multiplication and permutation tables, for the check digit of SNOMED CT: it finds every single wrong digit
# and every swap of neighbours.
_MULTIPLICATION = (
    "0123456789",
    "1234067895",
    "2340178956",
    "3401289567",
    "4012395678",
    "5987604321",
    "6598710432",
    "7659821043",
    "8765932104",
    "9876543210",
)
_PERMUTATION = "1576283094"


def _verhoeff(digits: str) -> int:
    """Zero if the check digit is right."""
    check = 0
    for place, digit in enumerate(reversed(digits)):
        for _ in range(place % 8):
            digit = _PERMUTATION[int(digit)]  # noqa: PLW2901
        check = int(_MULTIPLICATION[check][int(digit)])
    return check
