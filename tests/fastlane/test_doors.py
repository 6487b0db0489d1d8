"""How deep others see: what `consentimiento` allows, and not a word more."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ficha.audit.read_log import ReadLog
from ficha.fmd.base import Document, Door, has_data
from ficha.fmd.catalog import CATALOG
from ficha.fmd.consent import visible_documents
from ficha.fmd.grants import GrantKind
from tests.fastlane.lane import SALUD, Lane, example, path_of
from tests.world import Person

NAMES = [model.about.wire for model in CATALOG]
NEVER_SAVED: Document = {"version": 0, "updated_at": None, "data": {}}
DECISIONS: list[dict[str, str]] = [
    {},
    {"salud": "P", "vacuna": "R"},
    dict.fromkeys(NAMES, "P"),
    dict.fromkeys(NAMES, "R"),
    {"alergiasm": "no such door"},
]


@pytest.fixture
def eva(lane: Lane) -> Person:
    return lane.world.register()


def fill(lane: Lane, person: Person, visibilidad: Any) -> dict[str, Document]:
    documents = {model: example(model) for model in NAMES}
    documents["consentimiento"] = {"visibilidad": visibilidad}
    lane.save(person, **documents)
    return documents


@pytest.mark.parametrize("visibilidad", [*DECISIONS, "unreadable"])
@pytest.mark.parametrize("kind", [GrantKind.DELEGATE, GrantKind.INSTITUTION])
def test_others_see_what_consent_shows_them(
    lane: Lane, ana: Person, eva: Person, kind: GrantKind, visibilidad: Any
) -> None:
    documents = fill(lane, ana, visibilidad)
    lane.grant(ana, eva, kind)
    expected: Mapping[str, Document] = visible_documents(documents, Door.B)
    answer = lane.get(path_of(ana), eva)
    shown = answer.json()["data"]["attributes"]["models"]
    assert {model: one["data"] for model, one in shown.items()} == expected
    assert "ETag" not in answer.headers
    listed = {one["id"]: one["attributes"] for one in lane.data(path_of(ana, "/models"), eva)}
    assert listed == {model: shown.get(model, NEVER_SAVED) for model in NAMES}
    with_data = [model for model in NAMES if has_data(expected.get(model))]
    assert lane.data(path_of(ana, "/exists"), eva) == {"exists": bool(with_data), "models": with_data}
    for model in ("salud", "vacuna", "consentimiento", "alergiasm"):
        assert lane.data(path_of(ana, f"/{model}"), eva)["attributes"] == shown.get(model, NEVER_SAVED)
        assert lane.data(path_of(ana, f"/{model}/exists"), eva) == {"exists": model in with_data}
        named = lane.data(path_of(ana, f"/models?names={model}"), eva)
        assert [(one["id"], one["attributes"]) for one in named] == [(model, shown.get(model, NEVER_SAVED))]


def test_a_guardian_sees_what_the_owner_sees(lane: Lane, ana: Person, eva: Person) -> None:
    fill(lane, ana, dict.fromkeys(NAMES, "P"))
    lane.grant(ana, eva, GrantKind.GUARDIAN)
    for below in ("", "/models", "/salud", "/salud/exists", "/exists"):
        mine, hers = lane.get(path_of(ana, below), ana), lane.get(path_of(ana, below), eva)
        assert hers.json() == mine.json() and hers.headers.get("ETag") == mine.headers.get("ETag")


def test_consent_that_cannot_be_opened_hides_everything(lane: Lane, ana: Person, eva: Person) -> None:
    fill(lane, ana, {})
    lane.grant(ana, eva, GrantKind.DELEGATE)
    assert lane.data(path_of(ana, "/salud/exists"), eva) == {"exists": True}
    lane.damage(ana, "consentimiento")
    hidden = visible_documents({"consentimiento": None, "salud": SALUD}, Door.B)
    assert lane.data(path_of(ana), eva)["attributes"]["models"].keys() == hidden.keys()
    assert lane.data(path_of(ana, "/salud"), eva)["attributes"] == NEVER_SAVED
    assert lane.data(path_of(ana, "/salud/exists"), eva) == {"exists": False}
    assert lane.data(path_of(ana, "/exists"), eva) == {"exists": False, "models": []}


def test_a_damaged_entry_for_others(lane: Lane, ana: Person, eva: Person) -> None:
    lane.save(ana, salud=SALUD, alergiasm=example("alergiasm"))
    lane.grant(ana, eva, GrantKind.DELEGATE)
    lane.damage(ana, "salud")
    assert list(lane.data(path_of(ana), eva)["attributes"]["models"]) == ["alergiasm"]
    assert [one["id"] for one in lane.data(path_of(ana, "/models?names=salud,alergiasm"), eva)] == ["alergiasm"]
    assert lane.get(path_of(ana, "/salud"), eva).status_code == 500


def test_others_always_get_the_document_because_consent_may_have_changed(lane: Lane, ana: Person, eva: Person) -> None:
    lane.save(ana, salud=SALUD)
    lane.grant(ana, eva, GrantKind.DELEGATE)
    first = lane.get(path_of(ana, "/salud"), eva)
    assert first.headers["ETag"] == '"salud-1"' and first.json()["data"]["attributes"]["data"]
    lane.save(ana, consentimiento={"visibilidad": {"salud": "P"}})
    again = lane.get(path_of(ana, "/salud"), eva, If_None_Match='"salud-1"')
    assert again.status_code == 200 and again.json()["data"]["attributes"] == NEVER_SAVED


def test_every_read_is_written_down_but_the_owner_asking_what_there_is(lane: Lane, ana: Person, eva: Person) -> None:
    lane.save(ana, salud=SALUD, preferencia=example("preferencia"))
    lane.grant(ana, eva, GrantKind.DELEGATE)
    record = ana.data["attributes"]["fmd_code"]
    for who in (ana, eva):
        for below in ("/exists", "/salud/exists", "/salud", "/models?names=salud,vacuna", ""):
            assert lane.get(path_of(ana, below), who).status_code == 200
    actor, other = f"account:{ana.id}", f"account:{eva.id}"
    whole = lane.data(path_of(ana), eva)["attributes"]["models"]
    assert lane.noted_reads()[:-1] == [
        (record, actor, "record.read", ["salud"], "owner", "testclient"),
        (record, actor, "record.read", ["salud", "vacuna"], "owner", "testclient"),
        (record, actor, "record.read", ["salud", "preferencia"], "owner", "testclient"),
        (record, other, "record.exists", list(whole), "delegate", "testclient"),
        (record, other, "record.exists", ["salud"], "delegate", "testclient"),
        (record, other, "record.read", ["salud"], "delegate", "testclient"),
        (record, other, "record.read", ["salud", "vacuna"], "delegate", "testclient"),
        (record, other, "record.read", list(whole), "delegate", "testclient"),
    ]


def test_a_read_that_cannot_be_written_down_is_not_answered(lane: Lane, ana: Person, tmp_path: Path) -> None:
    lane.save(ana, salud=SALUD)
    no_folder = tmp_path / "file"
    no_folder.touch()
    parts = lane.world.parts
    client = lane.with_parts(replace(parts, read_log=ReadLog(no_folder, parts.database)))
    answer = client.get(path_of(ana, "/salud"), headers=ana.headers)
    assert answer.status_code == 503 and "data" not in answer.json()
    assert answer.headers["Retry-After"] and "file" not in answer.text
    assert client.get(path_of(ana, "/salud/exists"), headers=ana.headers).status_code == 200
