"""Groups: made, changed and left by requests whose outcome a notification tells."""

import io
from typing import Any

import pytest
from PIL import Image

from tests.sandbox.whatsapp.conftest import ANA, ANA_ID, Business

LUIS, LUIS_ID = "+584125550102", "584125550102"
OURS = {"messaging_product": "whatsapp"}


def ask(business: Business, method: str, path: str, **body: Any) -> Any:
    return business.client.request(method, path, json=OURS | body).json()


def last_update(business: Business) -> dict[str, Any]:
    business.wait_until_idle()
    [change] = business.receiver.notifications[-1].json["entry"][0]["changes"]
    [update] = change["value"]["groups"]
    return {"field": change["field"], **update}


def make_group(business: Business, **more: Any) -> str:
    said = ask(business, "POST", f"/{business.number}/groups", subject=" Familia ", **more)
    update = last_update(business)
    assert said == OURS | {"request_id": update["request_id"]}
    assert (update["field"], update["type"]) == ("group_lifecycle_update", "group_create")
    assert update["subject"] == "Familia"
    return str(update["group_id"])


def jpeg(width: int, height: int) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (width, height)).save(file, "JPEG")
    return file.getvalue()


def test_the_story_of_a_group(business: Business) -> None:
    group = make_group(business, description="Avisos")
    about = ask(business, "GET", f"/{group}")
    assert about == OURS | {
        "id": group,
        "subject": "Familia",
        "description": "Avisos",
        "join_approval_mode": "auto_approve",
        "suspended": False,
        "creation_timestamp": int(business.clock.now().timestamp()),
        "participants": [],
        "total_participant_count": 0,
    }
    ask(business, "POST", f"/{group}/participants", participants=[{"user": ANA}, {"user": LUIS}])
    update = last_update(business)
    assert update["field"] == "group_participants_update" and update["type"] == "group_add_participants"
    assert update["added_participants"] == [{"input": ANA, "wa_id": ANA_ID}, {"input": LUIS, "wa_id": LUIS_ID}]
    ask(business, "DELETE", f"/{group}/participants", participants=[{"user": LUIS}, {"user": "+584125550199"}])
    assert last_update(business)["removed_participants"] == [{"input": LUIS, "wa_id": LUIS_ID}]
    ask(business, "POST", f"/{group}", subject="Los Pérez")
    update = last_update(business)
    assert (update["field"], update["subject"]) == ("group_settings_update", "Los Pérez")
    found = business.client.get(f"/{group}", params={"fields": "subject,participants"}).json()
    assert found == OURS | {"id": group, "subject": "Los Pérez", "participants": [{"wa_id": ANA_ID}]}
    listed = ask(business, "GET", f"/{business.number}/groups")
    assert [each["subject"] for each in listed["data"]["groups"]] == ["Los Pérez"]
    assert ask(business, "DELETE", f"/{group}") == {"success": True}
    assert last_update(business)["type"] == "group_delete"
    gone = ask(business, "GET", f"/{group}")["error"]
    assert (gone["code"], gone["error_subcode"]) == (100, 33)
    assert ask(business, "GET", f"/{business.number}/groups") == {"data": {"groups": []}}


def test_who_opens_the_link_joins_or_asks_to(business: Business) -> None:
    group = make_group(business, join_approval_mode="approval_required")
    link = ask(business, "POST", f"/{group}/invite_link")["invite_link"]
    for who in (ANA, LUIS, LUIS):
        joined = business.control.post("/groups/join", json={"invite_link": link, "user": who})
        assert joined.json() == {"group": group, "is_in": False}
    first, second = ask(business, "GET", f"/{group}/join_requests")["data"]
    assert (first["wa_id"], second["wa_id"]) == (ANA_ID, LUIS_ID)
    asked = [first["join_request_id"], "nada"]
    said = ask(business, "POST", f"/{group}/join_requests", join_requests=asked)
    assert said["approved_join_requests"] == asked[:1]
    assert [each["join_request_id"] for each in said["failed_join_requests"]] == ["nada"]
    assert last_update(business)["added_participants"] == [{"input": ANA_ID, "wa_id": ANA_ID}]
    rejected = [second["join_request_id"]]
    said = ask(business, "DELETE", f"/{group}/join_requests", join_requests=rejected)
    assert said == OURS | {"rejected_join_requests": rejected}
    assert ask(business, "GET", f"/{group}/join_requests")["data"] == []
    assert ask(business, "GET", f"/{group}")["participants"] == [{"wa_id": ANA_ID}]
    assert ask(business, "DELETE", f"/{group}/invite_link") == OURS | {"success": "true"}
    assert business.control.post("/groups/join", json={"invite_link": link, "user": LUIS}).status_code == 404


def test_a_group_of_everybody_is_full_at_eight(business: Business) -> None:
    group = make_group(business)
    link = ask(business, "POST", f"/{group}/invite_link")["invite_link"]
    for number in range(8):
        joined = business.control.post("/groups/join", json={"invite_link": link, "user": f"+58412555020{number}"})
        assert joined.json()["is_in"]
    full = business.control.post("/groups/join", json={"invite_link": link, "user": ANA})
    assert full.status_code == 409
    assert ask(business, "POST", f"/{group}/participants", participants=[{"user": ANA}])["error"]["code"] == 100
    assert ask(business, "GET", f"/{group}")["total_participant_count"] == 8


def test_groups_are_listed_in_pages(business: Business) -> None:
    made = [make_group(business) for _ in range(3)]
    first = business.client.get(f"/{business.number}/groups", params={"limit": 2}).json()
    assert [each["id"] for each in first["data"]["groups"]] == made[:2]
    after = {"limit": 2, "after": first["paging"]["cursors"]["after"]}
    second = business.client.get(f"/{business.number}/groups", params=after).json()
    assert [each["id"] for each in second["data"]["groups"]] == made[2:] and "next" not in second["paging"]
    for wrong in ("0", "1025", "x"):
        answer = business.client.get(f"/{business.number}/groups", params={"limit": wrong})
        assert answer.json()["error"]["code"] == 100


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"subject": "x" * 129},
        {"subject": "  "},
        {"subject": "x", "description": "x" * 2049},
        {"subject": "x", "join_approval_mode": "nadie"},
        {"subject": "x", "messaging_product": "otro"},
    ],
)
def test_a_group_beyond_its_limits_is_refused(business: Business, wrong: dict[str, Any]) -> None:
    error = ask(business, "POST", f"/{business.number}/groups", **wrong)["error"]
    assert error["code"] == 100


def test_changes_beyond_their_limits_are_refused(business: Business) -> None:
    group = make_group(business)
    nine = [{"user": f"+58412555030{number}"} for number in range(9)]
    wrong: list[Any] = [[], nine, [{"user": "nadie"}], [{}], [7], "x"]
    for people in wrong:
        assert ask(business, "POST", f"/{group}/participants", participants=people)["error"]["code"] == 100
    for change in ({}, {"subject": ""}, {"subject": "x" * 129}, {"description": 7}):
        assert ask(business, "POST", f"/{group}", **change)["error"]["code"] == 100
    for asked in ([], [7], "x"):
        assert ask(business, "POST", f"/{group}/join_requests", join_requests=asked)["error"]["code"] == 100
    assert business.client.post(f"/{group}/invite_link", json={}).status_code == 400


def test_a_group_s_picture_is_a_square_jpeg(business: Business) -> None:
    group = make_group(business)
    for wrong in (jpeg(192, 200), jpeg(191, 191), b"GIF89a", b"\xff\xd8" + bytes(5_000_000)):
        answer = business.client.post(f"/{group}", data=OURS, files={"file": ("a.jpg", wrong, "image/jpeg")})
        assert answer.status_code == 400 and answer.json()["error"]["code"] == 100
    fine = business.client.post(f"/{group}", data=OURS, files={"file": ("a.jpg", jpeg(192, 192), "image/jpeg")})
    assert fine.status_code == 200
    assert last_update(business)["profile_picture"]["mime_type"] == "image/jpeg"
