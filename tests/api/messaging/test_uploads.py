"""Resumable uploads: in pieces, interrupted, and on to the platform."""

import os
from typing import Any

import pytest

from tests.api.conftest import MessagingScenario

FILE = {"file_name": "guia.pdf", "file_length": 10, "file_type": "application/pdf"}
OCTETS = {"Content-Type": "application/octet-stream"}


def begin(messaging: MessagingScenario, **changes: Any) -> Any:
    return messaging.staff.post("/v2/whatsapp/uploads", FILE | changes)


def add(messaging: MessagingScenario, upload_id: int, offset: int | str | None, piece: bytes, **headers: str) -> Any:
    place = {} if offset is None else {"file_offset": str(offset)}
    path = f"/v2/whatsapp/uploads/{upload_id}"
    return messaging.world.client.post(path, content=piece, headers=messaging.staff.headers | OCTETS | place | headers)


def state(messaging: MessagingScenario, upload_id: int) -> dict[str, Any]:
    answer = messaging.staff.get(f"/v2/whatsapp/uploads/{upload_id}")
    assert answer.status_code == 200
    attributes: dict[str, Any] = answer.json()["data"]["attributes"]
    return attributes


def test_a_file_in_pieces_becomes_a_handle(messaging: MessagingScenario) -> None:
    answer = begin(messaging)
    assert answer.status_code == 201
    data = answer.json()["data"]
    assert data["type"] == "upload" and data["attributes"]["use"] == "handle"
    upload_id = data["id"]
    first = add(messaging, upload_id, 0, b"%PDF")
    assert first.status_code == 200 and first.json()["data"]["attributes"]["file_offset"] == 4
    assert state(messaging, upload_id)["state"] == "receiving"
    assert add(messaging, upload_id, 4, b"-1.7..").json()["data"]["attributes"]["state"] == "sending"
    messaging.world.run_jobs()
    seen = state(messaging, upload_id)
    assert seen["state"] == "done" and seen["handle"].startswith("4:") and seen["media_id"] is None
    [finished] = messaging.sandbox.whatsapp.uploads.finished.values()
    assert bytes(finished.content) == b"%PDF-1.7.." and finished.file_name == "guia.pdf"


def test_a_file_to_be_sent(messaging: MessagingScenario) -> None:
    content = os.urandom(600_000)
    messaging.receive()
    upload_id = begin(messaging, use="media", file_length=len(content)).json()["data"]["id"]
    body = {"media": {"kind": "document", "upload_id": upload_id, "filename": "guia.pdf"}}
    early = messaging.send("media", **body)
    assert early.status_code == 409 and early.json()["errors"][0]["code"] == "subida_sin_terminar"
    for start in range(0, len(content), 250_000):
        assert add(messaging, upload_id, start, content[start : start + 250_000]).status_code == 200
    messaging.world.run_jobs()
    seen = state(messaging, upload_id)
    assert seen["state"] == "done" and seen["handle"] is None
    assert messaging.sandbox.whatsapp.media.files[seen["media_id"]].content == content
    wrong = messaging.send("media", media={"kind": "video", "upload_id": upload_id})
    assert wrong.status_code == 422 and wrong.json()["errors"][0]["source"]["pointer"] == "/media/kind"
    assert messaging.send("media", **body).status_code == 202


def test_an_upload_for_something_else_is_not_sent(messaging: MessagingScenario) -> None:
    upload_id = begin(messaging).json()["data"]["id"]
    add(messaging, upload_id, 0, b"0123456789")
    messaging.world.run_jobs()
    assert messaging.send("media", media={"kind": "document", "upload_id": upload_id}).status_code == 409


def test_the_business_picture(messaging: MessagingScenario) -> None:
    upload_id = begin(messaging, use="profile_picture", file_type="image/png").json()["data"]["id"]
    add(messaging, upload_id, 0, b"0123456789")
    assert not messaging.staff.get("/v2/whatsapp/test-connection").json()["data"]["has_profile_picture"]
    messaging.world.run_jobs()
    assert state(messaging, upload_id)["state"] == "done"
    assert messaging.staff.get("/v2/whatsapp/test-connection").json()["data"]["has_profile_picture"]


@pytest.mark.parametrize("offset", [0, 3, 5, 10, 99999])
def test_a_piece_that_does_not_follow_is_told_where_to_go_on(messaging: MessagingScenario, offset: int) -> None:
    upload_id = begin(messaging).json()["data"]["id"]
    add(messaging, upload_id, 0, b"0123")
    answer = add(messaging, upload_id, offset, b"x")
    assert answer.status_code == 409
    error = answer.json()["errors"][0]
    assert error["code"] == "posicion_incorrecta" and error["source"] == {"header": "file_offset"}
    assert answer.headers["file_offset"] == "4" and "4" in error["detail"]
    assert state(messaging, upload_id)["file_offset"] == 4


def test_more_than_announced_and_nothing_at_all(messaging: MessagingScenario) -> None:
    upload_id = begin(messaging).json()["data"]["id"]
    assert add(messaging, upload_id, 0, b"x" * 11).json()["errors"][0]["code"] == "archivo_mas_largo"
    assert add(messaging, upload_id, 0, b"").json()["errors"][0]["code"] == "parte_vacia"
    assert add(messaging, upload_id, 0, b"x" * 10).status_code == 200
    assert add(messaging, upload_id, 10, b"x").status_code == 409


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("offset", [None, "", "-1", "uno", "1.0", "9" * 13])
def test_a_place_that_is_no_number(messaging: MessagingScenario, offset: str | None) -> None:
    upload_id = begin(messaging).json()["data"]["id"]
    answer = add(messaging, upload_id, offset, b"x")
    assert answer.status_code == 422 and answer.json()["errors"][0]["source"] == {"header": "file_offset"}


def test_bytes_come_as_bytes_and_not_too_many_at_once(messaging: MessagingScenario) -> None:
    upload_id = begin(messaging).json()["data"]["id"]
    assert add(messaging, upload_id, 0, b"{}", **{"Content-Type": "application/json"}).status_code == 415
    assert add(messaging, upload_id, 0, b"x" * 10_000_001).status_code == 413
    assert state(messaging, upload_id)["file_offset"] == 0


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    "changes, where",
    [
        ({"file_length": 0}, "/file_length"),
        ({"file_length": 100 * 1024 * 1024 + 1}, "/file_length"),
        ({"file_length": "10"}, "/file_length"),
        ({"file_length": 1.5}, "/file_length"),
        # As a whole, not only each piece.
        ({"file_length": 10_000_001}, "/file_length"),
        ({"file_type": "image/png", "use": "profile_picture", "file_length": 6_000_000}, "/file_length"),
        ({"file_type": "video/mp4", "use": "media", "file_length": 17_000_000}, "/file_length"),
        ({"file_type": "text/html"}, "/file_type"),
        ({"file_type": "audio/ogg"}, "/file_type"),
        ({"file_type": "application/pdf", "use": "profile_picture"}, "/file_type"),
        ({"file_type": "application/zip", "use": "media"}, "/file_type"),
        ({"file_type": "image/png", "use": "media", "file_length": 6_000_000}, "/file_length"),
        ({"use": "otro"}, "/use"),
        ({"file_name": ""}, "/file_name"),
        ({"file_name": "a\nb"}, "/file_name"),
        ({"file_name": "x" * 241}, "/file_name"),
        ({"nombre": "x"}, "/nombre"),
    ],
)
def test_what_the_platform_would_not_take_is_not_begun(
    messaging: MessagingScenario, changes: dict[str, Any], where: str
) -> None:
    answer = begin(messaging, **changes)
    assert answer.status_code == 422 and answer.json()["errors"][0]["source"]["pointer"] == where
    assert messaging.world.rows()["uploads"] == messaging.world.rows()["kept_files"] == 0


def test_files_to_be_sent_may_be_as_large_as_the_platform_allows(messaging: MessagingScenario) -> None:
    assert begin(messaging, use="media", file_length=100 * 1024 * 1024).status_code == 201
    assert begin(messaging, file_length=10_000_000).status_code == 201


@pytest.mark.parametrize("upload_id, status", [("999", 404), ("0", 422), ("x", 422), (str(2**63), 422)])
def test_an_upload_nobody_began(messaging: MessagingScenario, upload_id: str, status: int) -> None:
    assert messaging.staff.get(f"/v2/whatsapp/uploads/{upload_id}").status_code == status


def test_a_repeated_piece_under_its_key_counts_once(messaging: MessagingScenario) -> None:
    upload_id = begin(messaging).json()["data"]["id"]
    first = add(messaging, upload_id, 0, b"0123", **{"Idempotency-Key": "parte-1"})
    again = add(messaging, upload_id, 0, b"0123", **{"Idempotency-Key": "parte-1"})
    assert first.status_code == again.status_code == 200 and first.json() == again.json()
    assert state(messaging, upload_id)["file_offset"] == 4
