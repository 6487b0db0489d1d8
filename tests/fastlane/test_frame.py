"""What surrounds every answer of the lane, and what it leaves to the application behind it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import structlog
from httpx2 import Response
from starlette.testclient import TestClient

from ficha.accounts.browser_sessions import LastUsed
from tests.fastlane.lane import SALUD, Lane, path_of
from tests.world import Person, World, build_world, settings_for

BELOW = ["", "/exists", "/models", "/salud", "/salud/exists"]


@pytest.mark.parametrize("below", BELOW)
def test_the_headers_are_those_of_the_other_lane(lane: Lane, ana: Person, below: str) -> None:
    own = {"x-request-id", "content-length", "etag"}
    mine, others = lane.get(path_of(ana, below), ana), lane.get("/v2/auth/me", ana)
    assert {k: v for k, v in mine.headers.items() if k not in own} == {
        k: v for k, v in others.headers.items() if k not in own
    }
    assert int(mine.headers["Content-Length"]) == len(mine.content)


def test_every_answer_has_an_id_and_keeps_a_good_one(lane: Lane, ana: Person) -> None:
    assert len(lane.get(path_of(ana), ana).headers["X-Request-Id"]) == 16
    assert lane.get(path_of(ana), X_Request_Id="mi-peticion-1").headers["X-Request-Id"] == "mi-peticion-1"
    assert len(lane.get(path_of(ana), ana, X_Request_Id="mala id").headers["X-Request-Id"]) == 16


def test_a_header_that_may_come_once_is_refused_twice(lane: Lane, ana: Person) -> None:
    doubled = [("Authorization", f"Bearer {ana.token}")] * 2
    mine, others = (lane.client.get(path, headers=doubled) for path in (path_of(ana), "/v2/auth/me"))
    assert mine.status_code == 400 and mine.json() == others.json()
    harmless = [*ana.headers.items(), ("Accept", "a/b"), ("Accept", "c/d")]
    assert lane.client.get(path_of(ana), headers=harmless).status_code == 200


def test_a_body_that_is_too_large_is_refused_unread(lane: Lane, ana: Person) -> None:
    headers = ana.headers | {"Content-Length": "99999999"}
    assert lane.client.request("GET", path_of(ana), content=b"{}", headers=headers).status_code == 413
    assert lane.client.request("GET", path_of(ana), content=b"{}", headers=ana.headers).status_code == 200


@pytest.mark.parametrize("below", BELOW)
def test_unknown_parameters_are_refused_in_the_words_of_the_other_lane(lane: Lane, ana: Person, below: str) -> None:
    mine = lane.get(path_of(ana, f"{below}?nombres=salud&b="), ana)
    assert mine.status_code == 422
    assert mine.json() == lane.get("/v2/auth/me?nombres=salud&b=", ana).json()
    assert [one["source"] for one in mine.json()["errors"]] == [{"parameter": "b"}, {"parameter": "nombres"}]


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("names", ["", "salud,", "salud,otra", "SALUD", "%ff", "salud;vacuna"])
def test_an_unknown_model_among_the_names_is_a_bad_parameter(lane: Lane, ana: Person, names: str) -> None:
    answer = lane.get(path_of(ana, f"/models?names={names}"), ana)
    assert answer.status_code == answer.json()["meta"]["status"] == 422
    error = answer.json()["errors"][0]
    assert error["source"] == {"parameter": "names"} and error["code"] == "valor_desconocido"


@pytest.mark.parametrize("path", ["/v1/welcome", "/health/live", "/v2/fmd", "/v2/fmd/", "/nada", "/v2/fmd/schemas"])
def test_everything_else_goes_on_untouched(lane: Lane, path: str) -> None:
    mine, others = lane.client.get(path), lane.world.client.get(path)
    assert (mine.status_code, mine.headers.get("ETag")) == (others.status_code, others.headers.get("ETag"))
    assert mine.json().keys() == others.json().keys()


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("below", ["/", "/salud/", "/otra", "/otra/exists", "/salud/exists/x", "/exists/exists"])
def test_neighbours_are_not_taken_for_ours(lane: Lane, ana: Person, below: str) -> None:
    assert lane.get(path_of(ana, below), ana).json()["errors"][0]["code"] != "ficha_no_encontrada"
    for code in ("ABCDE", "ABCDEFG", "ABC0EF", "ÁBCDEF", "ABC EF"):
        answer = lane.get(f"/v2/fmd/{code}", ana)
        assert answer.status_code in (404, 405) and not lane.noted_reads()


def test_other_methods_go_on(lane: Lane, ana: Person) -> None:
    for method, below in (("POST", ""), ("OPTIONS", ""), ("DELETE", "/salud")):
        assert lane.client.request(method, path_of(ana, below), headers=ana.headers).status_code == 405


class BrokenUsage(LastUsed):
    def note(self, *_: object, **__: object) -> None:
        raise RuntimeError("the secret cause")


def test_a_bug_is_a_500_in_our_shape_without_a_word_about_its_cause(lane: Lane, ana: Person) -> None:
    answer = lane.with_parts(replace(lane.world.parts, last_used=BrokenUsage())).get(path_of(ana), headers=ana.headers)
    assert answer.status_code == 500 and answer.json()["errors"][0]["code"] == "error_interno"
    assert "secret cause" not in answer.text
    assert answer.headers["Cache-Control"] == "no-store"


def test_only_what_went_wrong_is_worth_a_line(lane: Lane, ana: Person) -> None:
    lane.save(ana, salud=SALUD)
    with structlog.testing.capture_logs() as lines:
        lane.get(path_of(ana, "/salud"), ana)
        lane.get(path_of(ana, "/salud"))
        lane.get("/v2/fmd/222222/salud", ana)
        lane.damage(ana, "salud")
        lane.get(path_of(ana, "/salud"), ana, X_Request_Id="esta-misma")
    lines = [line for line in lines if line["event"] != "alarm.began"]
    assert [line["event"] for line in lines] == ["entry.damaged", "request"]
    assert lines[1]["route"] == "/v2/fmd/{code}/{model}" and lines[1]["status"] == 500
    assert path_of(ana) not in str(lines) and ana.token not in str(lines)


def test_answers_are_counted_by_route(lane: Lane, ana: Person) -> None:
    lane.get(path_of(ana, "/salud"), ana)
    lane.get(path_of(ana, "/salud"))
    text = lane.world.app.state.metrics.text().decode()
    for status in (200, 401):
        line = f'ficha_requests_total{{method="GET",route="/v2/fmd/{{code}}/{{model}}",status="{status}"}} 1.0'
        assert line in text
    assert 'ficha_request_seconds_count{method="GET",route="/v2/fmd/{code}/{model}"} 2.0' in text


@pytest.fixture
def strict(database_url: str, tmp_path: Path) -> Iterator[World]:
    """A world with limits, another origin, and a proxy in front."""
    changes = {"cors_origins": ("https://escuela.example",), "trusted_proxies": ("10.0.0.0/8",)}
    world = build_world(
        settings_for(database_url, tmp_path / "data", rate_limits="on", limit_token="2/minute", **changes)
    )
    yield world
    world.close()


def test_a_token_that_asks_too_often_waits(strict: World) -> None:
    ana = strict.register()
    lane = Lane(strict)
    first = lane.get(path_of(ana, "/exists"), ana)
    assert first.headers["RateLimit-Policy"] == '"token";q=2;w=60'
    assert first.headers["RateLimit"].startswith('"token";r=1;')
    assert ana.get("/v2/auth/me").status_code == 200  # Both lanes count together.
    refused = lane.get(path_of(ana, "/exists"), ana)
    assert refused.status_code == 429 and int(refused.headers["Retry-After"]) > 0
    assert refused.headers["RateLimit"].startswith('"token";r=0;')
    assert refused.json()["errors"] == ana.get("/v2/auth/me").json()["errors"]


def test_other_origins_are_answered_only_when_a_setting_names_them(strict: World) -> None:
    ana, lane = strict.register(), Lane(strict)

    def cors(answer: Response) -> dict[str, str]:
        return {k: v for k, v in answer.headers.items() if k.startswith("access-control-") or k == "vary"}

    for origin in ("https://escuela.example", "https://evil.example"):
        mine = lane.get(path_of(ana, "/exists"), ana, Origin=origin)
        others = strict.client.get("/v2/auth/me", headers=ana.headers | {"Origin": origin})
        if origin == "https://escuela.example":
            assert cors(mine) == cors(others) and cors(mine)
        else:
            assert "access-control-allow-origin" not in cors(mine)


def test_the_log_gets_the_address_behind_our_proxy(strict: World) -> None:
    ana, lane = strict.register(), Lane(strict)
    client = TestClient(lane.app, client=("10.1.2.3", 4000))
    client.get(path_of(ana), headers=ana.headers | {"X-Forwarded-For": "203.0.113.9"})
    assert [read.origin for read in lane.noted_reads()] == ["203.0.113.9"]
