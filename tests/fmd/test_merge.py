"""JSON Merge Patch as RFC 7396 has it, and the merging of emergency contacts."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ficha.fmd.faults import InvalidDocument
from ficha.fmd.merge import merge_contacts, merge_patch
from tests.fmd.documents import stored_form

# Appendix A of the RFC: original, patch, result.
RFC_EXAMPLES: list[tuple[Any, Any, Any]] = [
    ({"a": "b"}, {"a": "c"}, {"a": "c"}),
    ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
    ({"a": "b"}, {"a": None}, {}),
    ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
    ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
    ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
    ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
    ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
    (["a", "b"], ["c", "d"], ["c", "d"]),
    ({"a": "b"}, ["c"], ["c"]),
    ({"a": "foo"}, None, None),
    ({"a": "foo"}, "bar", "bar"),
    ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
    ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
    ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
]

names = st.sampled_from("abcd")
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4),
    max_leaves=15,
)


def as_the_rfc_writes_it(target: Any, patch: Any) -> Any:
    """Section 2 of the RFC, word for word."""
    if isinstance(patch, dict):
        if not isinstance(target, dict):
            target = {}
        for name, value in patch.items():
            if value is None:
                if name in target:
                    del target[name]
            else:
                target[name] = as_the_rfc_writes_it(target.get(name), value)
        return target
    return patch


@pytest.mark.parametrize(("original", "patch", "result"), RFC_EXAMPLES)
def test_the_examples_of_the_rfc(original: Any, patch: Any, result: Any) -> None:
    assert merge_patch(original, patch) == result


@given(values, values)
def test_agrees_with_the_rfc_and_leaves_its_arguments_alone(target: Any, patch: Any) -> None:
    before = deepcopy((target, patch))
    result = merge_patch(target, patch)
    assert (target, patch) == before
    assert result == as_the_rfc_writes_it(deepcopy(target), patch)


@given(values, values)
def test_a_patch_applied_twice_does_no_more(target: Any, patch: Any) -> None:
    once = merge_patch(target, patch)
    assert merge_patch(once, patch) == once


def test_a_patch_may_be_very_deep() -> None:
    deep: dict[str, Any] = {}
    for _ in range(100_000):
        deep = {"a": deep}
    result = merge_patch({}, deep)
    while result:
        result = result["a"]
    while deep:  # Python frees nested objects one inside the other, and would run out of stack.
        deep = deep.pop("a")


MARIA = {"nombre": "María", "relacion": "madre", "cod_telefono": "+58", "telefono": "4125551111"}
LUIS = {"nombre": "Luis", "relacion": "padre", "cod_telefono": "+58", "telefono": "4125552222"}


def stored() -> tuple[list[dict[str, Any]], str, str]:
    contacts = stored_form("emergencia", {"contactos": [MARIA, LUIS]})["contactos"]
    return contacts, contacts[0]["id"], contacts[1]["id"]


def test_a_contact_is_changed_by_its_id() -> None:
    contacts, maria, _ = stored()
    for changes in ({maria: {"prioridad": 2}}, [{"id": maria, "prioridad": 2}]):
        assert merge_contacts(contacts, changes) == [contacts[0] | {"prioridad": 2}, contacts[1]]


def test_null_removes_a_contact() -> None:
    contacts, maria, _ = stored()
    assert merge_contacts(contacts, {maria: None}) == [contacts[1]]


def test_a_contact_without_id_is_added_at_the_end() -> None:
    contacts, maria, luis = stored()
    abuela = MARIA | {"nombre": "Carmen", "correo": None}
    merged = merge_contacts(contacts, [{"id": luis, "relacion": "papá"}, abuela, abuela])
    assert [contact["nombre"] for contact in merged] == ["María", "Luis", "Carmen", "Carmen"]
    assert merge_contacts([], [MARIA]) == [MARIA]
    again = stored_form("emergencia", {"contactos": merged}, {"contactos": contacts})["contactos"]
    assert [contact["id"] for contact in again[:2]] == [maria, luis]


def test_an_id_cannot_be_changed_through_its_contact() -> None:
    contacts, maria, luis = stored()
    assert merge_contacts(contacts, {maria: {"id": luis}})[0]["id"] == maria


@pytest.mark.parametrize("changes", [{"AAAAAAAA": {}}, [{"id": "AAAAAAAA"}], {"AAAAAAAA": None}, [None], ["x"]])
def test_what_concerns_nobody_is_refused(changes: Any) -> None:
    with pytest.raises(InvalidDocument):
        merge_contacts(stored()[0], changes)
