"""What must hold for any sequence of changes, through HTTP."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ficha.fmd.merge import merge_patch
from tests.api.fmd.test_fmd import exported, fmd, patch
from tests.world import Person, World

NUMBERS = st.one_of(st.none(), st.integers(min_value=20, max_value=200))
LETTERS = st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"])
WORDS = st.text(LETTERS, min_size=1, max_size=20).filter(str.strip)
CUERPO = st.fixed_dictionaries(
    {}, optional={"peso_kg": NUMBERS, "estatura_cm": NUMBERS, "senas_particulares": st.one_of(st.none(), WORDS)}
)
CONDITION = st.fixed_dictionaries({"condicion": st.fixed_dictionaries({"texto": WORDS})})
PREGNANCY = st.fixed_dictionaries({"estado": st.sampled_from(["posible", "no_embarazada"])})
SALUD = st.fixed_dictionaries(
    {},
    optional={
        "condiciones": st.one_of(st.none(), st.lists(CONDITION, max_size=3)),
        "embarazo": st.one_of(st.none(), PREGNANCY),
    },
)
BAD = st.sampled_from([{"peso_kg": "mucho"}, {"nada": 1}, {"peso_kg": -5}])
PATCHES = st.lists(
    st.one_of(
        st.fixed_dictionaries({}, optional={"cuerpo": st.one_of(st.none(), CUERPO), "salud": SALUD}).filter(bool),
        st.fixed_dictionaries({"cuerpo": BAD, "salud": SALUD}),
    ),
    min_size=1,
    max_size=5,
)


@pytest.fixture
def fresh(world: World) -> World:
    return world


@pytest.mark.slow
@settings(max_examples=12, suppress_health_check=list(HealthCheck))
@given(patches=PATCHES)
def test_changes_replayed_from_history_give_the_stored_state(fresh: World, patches: list[dict[str, Any]]) -> None:
    person = fresh.register()
    for body in patches:
        before = exported(person)["modelos"]
        answer = patch(person, "", body)
        assert answer.status_code in (200, 422)
        if answer.status_code == 422:  # A refused patch changes nothing in any model.
            assert exported(person)["modelos"] == before
    replayed: dict[str, Any] = {}
    for change in reversed(person.get(fmd(person, "/history")).json()["data"]):
        for model, step in change["attributes"]["models"].items():
            replayed[model] = merge_patch(replayed.get(model, {}), step["patch"])
    assert replayed == exported(person)["modelos"]


@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@given(turns=st.lists(st.booleans(), min_size=2, max_size=8))
def test_two_writers_with_if_match_never_lose_an_update(fresh: World, turns: list[bool]) -> None:
    """Each writer changes her own field with the version she last saw; whoever is refused reads again."""
    person: Person = fresh.register()
    known = {True: '"cuerpo-0"', False: '"cuerpo-0"'}
    expected: dict[str, int] = {}
    for count, who in enumerate(turns):
        field = "peso_kg" if who else "estatura_cm"
        answer = patch(person, "/cuerpo", {field: 50 + count}, **{"If-Match": known[who]})
        if answer.status_code == 412:
            known[who] = known[not who]
            answer = patch(person, "/cuerpo", {field: 50 + count}, **{"If-Match": known[who]})
        assert answer.status_code == 200
        known[who] = answer.headers["ETag"]
        expected[field] = 50 + count
    assert exported(person)["modelos"]["cuerpo"] == expected
