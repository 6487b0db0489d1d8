"""The patient summaries that we issue are what the IPS asks for, by a validator that is not ours; and spoilt ones are
noticed. `make conformance` tries everything; `make test` one small summary."""

import os
from copy import deepcopy
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ficha.fmd.base import Door
from tests.exchange.ips.mutations import MUTATIONS
from tests.exchange.ips.validator import (
    NO_DAY,
    NO_SLICES,
    hl7_example,
    our_problems,
    problems,
    raw_errors,
    their_problems,
)
from tests.exchange.samples import RECORDS, SMALL, any_record, summary_of

everything = pytest.mark.skipif(
    not (os.environ.get("FICHA_CONFORMANCE") or os.environ.get("FICHA_STORM")),
    reason="takes the validator minutes: make conformance",
)
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", RECORDS)
def test_every_summary_has_what_the_validator_does_not_look_for(name: str) -> None:
    for language in ("es", "en", "pt"):
        assert list(our_problems(summary_of(RECORDS[name], language))) == []


def test_a_summary_follows_the_profiles_of_the_ips() -> None:
    assert problems(summary_of({wire: SMALL[wire] for wire in ("personal", "alergiasm", "medicacion")})) == []


@everything
@pytest.mark.parametrize("name", RECORDS)
def test_every_summary_follows_the_profiles_of_the_ips(name: str) -> None:
    assert problems(summary_of(RECORDS[name])) == []


@everything
@pytest.mark.parametrize("name", MUTATIONS)
def test_a_spoilt_summary_is_noticed(name: str) -> None:
    spoilt = deepcopy(summary_of(SMALL))
    MUTATIONS[name](spoilt)
    assert problems(spoilt), f"nobody noticed that it {name}"


def has_nothing_empty(part: Any) -> bool:
    """FHIR knows no nulls, no empty texts and no empty lists."""
    if isinstance(part, dict | list):
        return bool(part) and all(map(has_nothing_empty, part.values() if isinstance(part, dict) else part))
    return part is not None and part != ""


@settings(max_examples=40)
@given(record=any_record(), language=st.sampled_from(["es", "en", "pt"]), door=st.sampled_from([Door.R, Door.B]))
def test_the_summary_of_any_record_is_whole(record: dict[str, Any], language: str, door: Door) -> None:
    bundle = summary_of(record, language, door)
    assert list(our_problems(bundle)) == []
    assert has_nothing_empty(bundle)
    kinds = [entry["resource"]["resourceType"] for entry in bundle["entry"]]
    assert kinds[0] == "Composition" and kinds.count("Composition") == kinds.count("Patient") == 1
    assert len({entry["fullUrl"] for entry in bundle["entry"]}) == len(kinds)
    for section in bundle["entry"][0]["resource"]["section"]:
        told = fromstring(section["text"]["div"])  # Well-formed, in the reader's language.
        assert told.get("lang") == language


@everything
@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@given(record=any_record())
def test_the_summary_of_any_record_follows_the_profiles(record: dict[str, Any]) -> None:
    assert their_problems(summary_of(record)) == []


@everything
def test_the_validator_claims_the_same_of_what_is_certainly_right() -> None:
    """What is left out of its claims is no fault of ours: it finds it in HL7's own example, and in a plain weight."""
    assert NO_SLICES in {code for code, _ in raw_errors(hl7_example("Bundle-bundle-minimal"))}
    [weight] = [
        entry["resource"]
        for entry in summary_of({"cuerpo": {"peso_kg": 60}})["entry"]
        if "valueQuantity" in entry["resource"]
    ]
    del weight["_effectiveDateTime"]
    assert NO_DAY in {code for code, _ in raw_errors(weight | {"effectiveDateTime": "2020-02-03"})}
