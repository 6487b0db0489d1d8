"""Files on the platform: the media test, and downloads that are checked before the first byte is sent."""

import base64
import os
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from ficha.accounts.accounts import Role
from ficha.messaging.files import FilePiece, KeptFile
from ficha.sandbox.platforms import Platforms
from ficha.sandbox.whatsapp.media import MediaFile
from tests.api.conftest import MessagingScenario
from tests.world import build_world, settings_for

WORD = b"zanahoriasecreta"


def put_on_platform(messaging: MessagingScenario, content: bytes, mime: str = "image/jpeg") -> str:
    def keep(platforms: Platforms) -> str:
        platform = platforms.whatsapp
        until = platform.now().replace(year=platform.now().year + 1)
        return platform.media.keep(platform.config.phone_number_id, mime, content, until).id

    return messaging.sandbox.call(keep)


def get(messaging: MessagingScenario, media_id: str) -> Any:
    return messaging.staff.get(f"/v2/whatsapp/media/{media_id}")


def test_a_file_is_uploaded_read_back_and_deleted(messaging: MessagingScenario) -> None:
    answer = messaging.staff.get("/v2/whatsapp/media-test")
    assert answer.status_code == 200
    data = answer.json()["data"]
    assert data["ok"] and [step["step"] for step in data["steps"]] == [
        "upload",
        "info",
        "download",
        "compare",
        "delete",
    ]
    assert all(step["ok"] and step["ms"] >= 0 for step in data["steps"])
    assert not messaging.sandbox.whatsapp.media.files


@pytest.mark.parametrize(
    "rule, status, code",
    [
        ({"action": "error", "code": 190, "match": {"path": "/media"}}, 502, "plataforma_rechazo"),
        ({"action": "drop_before", "match": {"path": "/whatsapp_business/"}}, 502, "plataforma_fallo"),
        ({"action": "timeout_before_acceptance", "match": {"method": "GET"}}, 504, "plataforma_lenta"),
        ({"action": "http", "status": 503, "match": {"method": "GET"}}, 502, "plataforma_fallo"),
    ],
)
def test_a_test_that_fails_says_so_and_leaves_nothing_behind(
    messaging: MessagingScenario, rule: dict[str, Any], status: int, code: str
) -> None:
    messaging.set_faults(rule)
    answer = messaging.staff.get("/v2/whatsapp/media-test")
    assert answer.status_code == status and answer.json()["errors"][0]["code"] == code
    assert not messaging.sandbox.whatsapp.media.files


def test_a_refusal_is_told_with_its_number_and_not_with_the_platform_s_words(messaging: MessagingScenario) -> None:
    messaging.set_faults({"action": "error", "code": 131031, "details": "Cuenta de ana@ejemplo.com"})
    error = messaging.staff.get("/v2/whatsapp/media-test").json()["errors"][0]
    assert error["detail"].endswith("(código 131031).")
    assert "ana@" not in str(error) and "#" not in error["detail"]


def test_a_file_somebody_sent_comes_from_our_own_store(messaging: MessagingScenario) -> None:
    content = WORD + os.urandom(700_000)
    wamid = messaging.receive("", type="image", data=base64.b64encode(content).decode(), mime_type="image/jpeg")
    with messaging.world.parts.database.reading() as tx:
        media_id = tx.orm.query(KeptFile.media_id).scalar()
    messaging.sandbox.call(lambda platforms: platforms.whatsapp.media.files.clear())
    answer = get(messaging, media_id)
    assert answer.status_code == 200
    assert answer.content == content
    assert answer.headers["content-type"] == "image/jpeg"
    assert answer.headers["content-length"] == str(len(content))
    assert answer.headers["content-disposition"] == f'attachment; filename="{media_id}.jpg"'
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert wamid


def test_a_stored_file_that_was_altered_is_not_half_given(messaging: MessagingScenario) -> None:
    messaging.receive("", type="image", data=base64.b64encode(b"x" * 1000).decode())
    with messaging.world.parts.database.writing() as tx:
        media_id = tx.orm.query(KeptFile.media_id).scalar()
        tx.orm.execute(update(FilePiece).values(sealed=b"y" * 1028))
    assert get(messaging, media_id).status_code == 500


def test_another_file_is_fetched_from_the_platform(messaging: MessagingScenario, tmp_path: Path) -> None:
    content = WORD + os.urandom(900_000)
    media_id = put_on_platform(messaging, content, "application/pdf")
    answer = get(messaging, media_id)
    assert answer.status_code == 200 and answer.content == content
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.headers["content-disposition"].startswith("attachment")


def test_what_says_it_is_a_page_is_a_file_to_keep(messaging: MessagingScenario) -> None:
    answer = get(messaging, put_on_platform(messaging, b"<script>", "text/html"))
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.headers["x-content-type-options"] == "nosniff"
    strange = get(messaging, put_on_platform(messaging, b"x", 'text/html" onload=x'))
    assert strange.headers["content-type"] == "application/octet-stream"


class WrongHash(MediaFile):
    """The platform announces another hash than that of the bytes it sends."""

    @property
    def hex(self) -> str:
        return "0" * 64


def test_other_bytes_than_announced_are_never_given(messaging: MessagingScenario) -> None:
    media_id = put_on_platform(messaging, b"the right bytes")

    def alter(platforms: Platforms) -> None:
        files = platforms.whatsapp.media.files
        files[media_id] = WrongHash(**vars(files[media_id]))

    messaging.sandbox.call(alter)
    answer = get(messaging, media_id)
    assert answer.status_code == 502 and answer.json()["errors"][0]["code"] == "archivo_alterado"
    assert b"right bytes" not in answer.content


def test_a_file_nobody_has(messaging: MessagingScenario) -> None:
    assert get(messaging, "1037543291543636").status_code == 404


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("media_id", ["abc", "12a", "-1", "%2e%2e", "1" * 41])
def test_what_is_no_id_of_a_file(messaging: MessagingScenario, media_id: str) -> None:
    assert get(messaging, media_id).status_code == 422


def test_a_platform_that_cannot_be_reached(database_url: str, tmp_path: Path) -> None:
    world = build_world(settings_for(database_url, tmp_path / "data", whatsapp_base_url="http://127.0.0.1:9"))
    staff = world.somebody_with(Role.STAFF)
    for path in ("media-test", "media/123", "oauth", "test-connection"):
        answer = staff.get(f"/v2/whatsapp/{path}")
        assert answer.status_code == 502, answer.text
    world.close()


@pytest.mark.parametrize("is_kept", [True, False])
def test_a_part_of_a_file_and_its_headers_alone(messaging: MessagingScenario, is_kept: bool) -> None:
    content = os.urandom(600_000)
    if is_kept:
        messaging.receive("", type="image", data=base64.b64encode(content).decode(), mime_type="image/jpeg")
        with messaging.world.parts.database.reading() as tx:
            media_id = str(tx.orm.query(KeptFile.media_id).scalar())
    else:
        media_id = put_on_platform(messaging, content)
    path = f"/v2/whatsapp/media/{media_id}"

    def part(asked: str) -> Any:
        return messaging.staff.get(path, headers={"Range": asked})

    for asked, found in {
        "bytes=0-9": content[:10],
        "bytes=262140-262150": content[262140:262151],
        "bytes=599990-": content[-10:],
        "bytes=-5": content[-5:],
    }.items():
        answer = part(asked)
        assert answer.status_code == 206 and answer.content == found, asked
        assert answer.headers["content-range"].endswith("/600000")
    assert part("bytes=600000-").status_code == 416
    assert part("bytes=600000-").headers["content-range"] == "bytes */600000"
    for whole in ("lines=1-2", "bytes=1-2,5-6", "bytes=9-1", "bytes=-"):
        assert part(whole).status_code == 200 and len(part(whole).content) == 600_000
    head = messaging.world.client.head(path, headers=messaging.staff.headers)
    assert head.status_code == 200 and head.content == b""
    assert (head.headers["content-length"], head.headers["accept-ranges"]) == ("600000", "bytes")
