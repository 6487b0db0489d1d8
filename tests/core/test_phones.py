"""Phone numbers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ficha.core.phones import NotDialable, to_e164


@pytest.mark.parametrize(
    ("cod_telefono", "telefono", "expected"),
    [
        ("+58", "4125551111", "+584125551111"),
        ("+58", "04125551111", "+584125551111"),
        ("+57", "3011234567", "+573011234567"),
        ("+55", "11987654321", "+5511987654321"),
        ("+1", "2025550123", "+12025550123"),
        ("+39", "0612345678", "+390612345678"),
    ],
)
def test_numbers_become_dialable(cod_telefono: str, telefono: str, expected: str) -> None:
    assert to_e164(cod_telefono, telefono) == expected


@pytest.mark.parametrize(
    ("cod_telefono", "telefono"), [("+58", "911"), ("+49", "112"), ("+999", "4125551111"), ("+58", "12")]
)
def test_what_reaches_nobody_is_refused(cod_telefono: str, telefono: str) -> None:
    with pytest.raises(NotDialable):
        to_e164(cod_telefono, telefono)


@given(st.from_regex(r"\+[1-9][0-9]{0,3}", fullmatch=True), st.from_regex(r"[0-9]{4,15}", fullmatch=True))
def test_any_digits_are_either_dialable_or_refused(cod_telefono: str, telefono: str) -> None:
    try:
        found = to_e164(cod_telefono, telefono)
    except NotDialable:
        return
    assert found.startswith(cod_telefono) and found[1:].isdigit() and len(found) <= 20
