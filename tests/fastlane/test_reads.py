"""What the five reads answer."""

import pytest

from ficha.fmd.catalog import CATALOG
from tests.fastlane.lane import SALUD, Lane, example, path_of
from tests.world import Person

NAMES = [model.about.wire for model in CATALOG]


def test_one_model_comes_back_as_it_was_saved(lane: Lane, ana: Person) -> None:
    lane.save(ana, salud=SALUD)
    lane.world.clock.move(minutes=5)
    lane.save(ana, salud=SALUD | {"seen": "ñandú 💊"})
    answer = lane.get(path_of(ana, "/salud"), ana)
    assert answer.status_code == 200
    assert answer.headers["ETag"] == '"salud-2"'
    assert answer.headers["Content-Type"] == "application/json"
    content = answer.json()
    assert content["meta"] == {
        "timestamp": "2026-11-15T12:05:00+00:00",
        "api_version": "v2.0.0",
        "status": 200,
        "copyright": "© Ficha",
    }
    attributes = content["data"]["attributes"]
    assert content["data"] == {"type": "fmd_model", "id": "salud", "attributes": attributes}
    assert attributes["version"] == 2 and attributes["updated_at"] == "2026-11-15T12:05:00+00:00"
    assert attributes["data"] == SALUD | {"seen": "ñandú 💊"}


def test_times_are_written_like_everywhere(lane: Lane, ana: Person) -> None:
    lane.world.clock.move(microseconds=120)
    lane.save(ana, salud=SALUD)
    assert lane.data(path_of(ana, "/salud"), ana)["attributes"]["updated_at"] == "2026-11-15T12:00:00.000120+00:00"


def test_a_model_never_saved_is_empty_and_has_version_0(lane: Lane, ana: Person) -> None:
    for model in NAMES:
        answer = lane.get(path_of(ana, f"/{model}"), ana)
        assert answer.status_code == 200 and answer.headers["ETag"] == f'"{model}-0"'
        assert answer.json()["data"]["attributes"] == {"version": 0, "updated_at": None, "data": {}}


def test_the_code_is_read_in_either_case(lane: Lane, ana: Person) -> None:
    lane.save(ana, salud=SALUD)
    assert lane.data(path_of(ana, "/salud/exists").lower(), ana) == {"exists": True}


def test_existence_follows_what_is_saved_and_cleared(lane: Lane, ana: Person) -> None:
    assert lane.data(path_of(ana, "/salud/exists"), ana) == {"exists": False}
    assert lane.data(path_of(ana, "/exists"), ana) == {"exists": False, "models": []}
    lane.save(ana, vacuna=example("vacuna"), alergiasa=example("alergiasa"), salud=SALUD)
    assert lane.data(path_of(ana, "/salud/exists"), ana) == {"exists": True}
    assert lane.data(path_of(ana, "/exists"), ana) == {"exists": True, "models": ["alergiasa", "salud", "vacuna"]}
    lane.save(ana, salud={})
    assert lane.data(path_of(ana, "/salud/exists"), ana) == {"exists": False}
    assert lane.data(path_of(ana, "/exists"), ana)["models"] == ["alergiasa", "vacuna"]


def test_models_by_name_in_the_order_asked(lane: Lane, ana: Person) -> None:
    lane.save(ana, salud=SALUD)
    answer = lane.get(path_of(ana, "/models?names=vacuna,salud,vacuna"), ana)
    assert answer.json()["meta"]["page"] == {"size": 2, "next": None}
    assert [(one["id"], one["attributes"]["version"]) for one in answer.json()["data"]] == [("vacuna", 0), ("salud", 1)]
    assert answer.json()["data"][1] == lane.data(path_of(ana, "/salud"), ana)


def test_models_without_names_are_all(lane: Lane, ana: Person) -> None:
    assert [one["id"] for one in lane.data(path_of(ana, "/models"), ana)] == NAMES


def test_the_whole_record(lane: Lane, ana: Person) -> None:
    lane.save(ana, **{model: example(model) for model in NAMES})
    answer = lane.get(path_of(ana), ana)
    data = answer.json()["data"]
    assert data["type"] == "fmd" and data["id"] == ana.data["attributes"]["fmd_code"]
    attributes = data["attributes"]
    assert (attributes["relacion"], attributes["template_type"], attributes["version"]) == (
        "madre",
        "general",
        len(NAMES),
    )
    assert answer.headers["ETag"] == f'"r-{len(NAMES)}"'
    assert list(attributes["models"]) == NAMES
    for model, shown in attributes["models"].items():
        assert shown == lane.data(path_of(ana, f"/{model}"), ana)["attributes"]
        assert shown["data"] == example(model)


def test_an_empty_record_is_a_record(lane: Lane, ana: Person) -> None:
    assert lane.data(path_of(ana), ana)["attributes"]["models"] == {}


@pytest.mark.parametrize("below", ["/salud", ""])
def test_a_reader_who_has_it_already_gets_304(lane: Lane, ana: Person, below: str) -> None:
    lane.save(ana, salud=SALUD)
    etag = lane.get(path_of(ana, below), ana).headers["ETag"]
    for header in (etag, f'"x", W/{etag}', "*"):
        again = lane.get(path_of(ana, below), ana, If_None_Match=header)
        assert again.status_code == 304 and again.content == b"" and again.headers["ETag"] == etag
        assert again.headers["Cache-Control"] == "no-store" and "Content-Type" not in again.headers
    assert lane.get(path_of(ana, below), ana, If_None_Match='"salud-9"').status_code == 200
    lane.save(ana, salud=SALUD)
    assert lane.get(path_of(ana, below), ana, If_None_Match=etag).status_code == 200


@pytest.mark.parametrize("below", ["/salud", "", "/models", "/exists", "/salud/exists"])
def test_head_is_get_without_the_body(lane: Lane, ana: Person, below: str) -> None:
    lane.save(ana, salud=SALUD)
    get = lane.get(path_of(ana, below), ana)
    head = lane.client.head(path_of(ana, below), headers=ana.headers)
    assert head.status_code == 200 and head.content == b""
    changing = {"x-request-id"}
    assert {k: v for k, v in head.headers.items() if k not in changing} == {
        k: v for k, v in get.headers.items() if k not in changing
    }


def test_a_damaged_entry_is_left_out_of_many_and_an_error_alone(lane: Lane, ana: Person) -> None:
    lane.save(ana, salud=SALUD, vacuna=example("vacuna"))
    lane.damage(ana, "salud")
    assert list(lane.data(path_of(ana), ana)["attributes"]["models"]) == ["vacuna"]
    assert [one["id"] for one in lane.data(path_of(ana, "/models?names=salud,vacuna"), ana)] == ["vacuna"]
    alone = lane.get(path_of(ana, "/salud"), ana)
    assert alone.status_code == alone.json()["meta"]["status"] == 500
    assert alone.json()["errors"][0]["code"] == "error_interno"
    assert lane.data(path_of(ana, "/salud/exists"), ana) == {"exists": True}
