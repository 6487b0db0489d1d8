"""Faults on purpose, and the journal that says what was accepted all the same."""

import httpx
import pytest

from tests.sandbox.whatsapp.conftest import ANA, Business
from tests.sandbox.whatsapp.test_sending import error_of

TEXT = {"text": {"body": "x"}}
MESSAGES = {"path": "/messages"}


def log(business: Business) -> list[tuple[int | None, str | None, bool]]:
    entries = [entry for entry in business.control.get("/log").json() if entry["kind"] == "request"]
    return [(entry["status"], entry["fault"], entry["accepted"] is not None) for entry in entries]


@pytest.mark.parametrize(
    ("rule", "status", "code"),
    [
        ({"code": 130429, "status": 429}, 429, 130429),
        ({"code": 4, "status": 429}, 429, 4),
        ({"code": 131000}, 500, 131000),
        ({"code": 2}, 503, 2),
        ({"code": 131016}, 500, 131016),
        ({"code": 131056}, 400, 131056),
        ({"code": 368}, 403, 368),
        ({"code": 190, "details": "Por prueba"}, 401, 190),
    ],
)
def test_any_error_of_the_platform_on_demand(
    business: Business, rule: dict[str, object], status: int, code: int
) -> None:
    business.set_faults({"match": MESSAGES, "times": 1, "action": "error", **rule})
    answer = business.post(TEXT)
    assert (answer.status_code, error_of(answer)["code"]) == (status, code)
    assert business.post(TEXT).status_code == 200
    assert log(business) == [(status, "error", False), (200, None, True)]
    assert len(business.accepted()) == 1


def test_a_proxy_may_answer_in_its_place(business: Business) -> None:
    business.set_faults(
        {"action": "http", "status": 502, "times": 1}, {"action": "http", "status": 502, "body": "", "times": 1}
    )
    page, nothing = business.post(TEXT), business.post(TEXT)
    assert page.status_code == nothing.status_code == 502
    assert page.text.startswith("<html>") and nothing.content == b""
    assert business.accepted() == []


def test_the_connection_may_close_before_anything_is_accepted(business: Business) -> None:
    business.set_faults({"action": "drop_before", "times": 1})
    with pytest.raises(httpx.RemoteProtocolError):
        business.post(TEXT)
    assert log(business) == [(None, "drop_before", False)] and business.accepted() == []


@pytest.mark.parametrize(
    ("action", "error"),
    [
        ("drop_after", httpx.RemoteProtocolError),
        ("half_answer", httpx.RemoteProtocolError),
        ("timeout_after_acceptance", httpx.ReadTimeout),
    ],
)
def test_the_answer_may_get_lost_after_the_message_was_accepted(
    business: Business, action: str, error: type[Exception]
) -> None:
    """The caller cannot know it from the answer, but the statuses carry our key."""
    business.receive(type="text", text="Hola")
    business.client.timeout = httpx.Timeout(5, read=0.3)
    business.set_faults({"match": MESSAGES, "action": action, "times": 1})
    with pytest.raises(error):
        business.post({**TEXT, "biz_opaque_callback_data": "clave-9"})
    business.wait_until_idle()
    assert [each["key"] for each in business.accepted()] == ["clave-9"]
    assert {each["biz_opaque_callback_data"] for each in business.receiver.statuses} == {"clave-9"}
    [(_, fault, was_accepted)] = log(business)
    assert (fault, was_accepted) == (action, True)


def test_silence_may_also_mean_that_nothing_was_accepted(business: Business) -> None:
    business.client.timeout = httpx.Timeout(5, read=0.2)
    business.set_faults({"action": "timeout_before_acceptance", "times": 1})
    with pytest.raises(httpx.ReadTimeout):
        business.post(TEXT)
    assert business.accepted() == []


def test_an_answer_may_be_late(business: Business) -> None:
    """Late before acceptance or late after it: the caller sees the same, the platform does not."""
    business.client.timeout = httpx.Timeout(5, read=0.15)
    business.set_faults({"action": "latency", "ms": 20_000, "times": 1})
    with pytest.raises(httpx.ReadTimeout):
        business.post(TEXT)
    assert business.accepted() == []
    business.set_faults({"action": "late_answer", "ms": 20_000, "times": 1})
    with pytest.raises(httpx.ReadTimeout):
        business.post(TEXT)
    assert len(business.accepted()) == 1
    business.client.timeout = httpx.Timeout(5)
    business.set_faults({"action": "latency", "ms": 30})
    assert business.post(TEXT).status_code == 200
    assert log(business)[-1] == (200, "latency", True)


def test_rules_match_by_type_by_person_by_path_and_by_count(business: Business) -> None:
    business.set_faults(
        {"action": "error", "code": 131000, "match": {"type": "location"}},
        {"action": "error", "code": 131016, "match": {"to": "58 412 555 0102"}},
        {"action": "error", "code": 2, "match": {"path": "/v*/media"}},
        {"action": "error", "code": 4, "match": {"type": "sticker"}, "skip": 1, "times": 1},
    )
    place = {"type": "location", "location": {"latitude": 1, "longitude": 1}}
    sticker = {"type": "sticker", "sticker": {"link": "https://e.com/a.webp"}}
    codes = [
        answer.json().get("error", {}).get("code")
        for answer in (
            business.post(TEXT),
            business.post(place),
            business.post({**TEXT, "to": "+584125550102"}),
            business.client.post(f"/{business.number}/media"),
            business.post(sticker),
            business.post(sticker),
            business.post(sticker),
        )
    ]
    assert codes == [None, 131000, 131016, 2, None, 4, None]
    report = business.control.get("/faults").json()
    assert [(rule["matched"], rule["fired"]) for rule in report] == [(1, 1), (1, 1), (1, 1), (3, 1)]


def test_random_faults_can_be_repeated(business: Business) -> None:
    business.change_behaviour(per_second=None, pair_burst=None, statuses="none")

    def run(seed: int) -> list[int]:
        business.set_faults(
            {"action": "error", "code": 131000, "probability": 0.3},
            {"action": "error", "code": 2, "probability": 0.2},
            seed=seed,
        )
        return [business.post(TEXT).status_code for _ in range(60)]

    first = run(7)
    assert {200, 500, 503} == set(first)
    assert run(7) == first
    assert run(8) != first
    assert len(business.accepted()) == sum(entry[2] for entry in log(business))


@pytest.mark.parametrize(
    "rule",
    [
        {"action": "explode"},
        {"action": "error", "code": 7},
        {"action": "error", "veces": 1},
        {"action": "error", "match": {"quien": ANA}},
        "error",
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(business: Business, rule: object) -> None:
    answer = business.control.put("/faults", json=[rule])
    assert answer.status_code == 400 and answer.json()["error"]
    assert business.post(TEXT).status_code == 200
