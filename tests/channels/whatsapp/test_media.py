"""Files are uploaded and downloaded whole, and the token only goes to the platform."""

import base64
import hashlib
from collections.abc import Iterator
from email import message_from_bytes
from io import BytesIO
from typing import Any

import pytest

from ficha.channels.errors import BadContent, OutcomeUnknown, Refused, RetryLater
from ficha.channels.messages import FileRef
from ficha.channels.whatsapp.client import WhatsApp
from ficha.channels.whatsapp.error_codes import Remedy, WhatsAppError
from ficha.channels.whatsapp.json_checks import hex_hash
from ficha.channels.whatsapp.media import ForeignHost, MediaInfo, TooLarge, WrongHash
from tests.channels.whatsapp.scripted_platform import NUMBER, TOKEN, Reply, ScriptedPlatform, scripted_platform

PHOTO = bytes(range(256)) * 1000
HASH = hashlib.sha256(PHOTO).hexdigest()
FILE = Reply(200, PHOTO, headers={"Content-Type": "image/jpeg"})


@pytest.fixture
def foreign_host() -> Iterator[ScriptedPlatform]:
    """Another server on another port, which must never get a request."""
    with scripted_platform(keeps_contract=False) as server:
        server.answers(FILE)
        yield server


def about(url: str, **changes: Any) -> dict[str, Any]:
    return {
        "messaging_product": "whatsapp",
        "url": url,
        "mime_type": "image/jpeg",
        "sha256": HASH,
        "file_size": len(PHOTO),
        "id": "1037543291543636",
        **changes,
    }


def moved(place: str, status: int = 302) -> Reply:
    return Reply(status, b"", headers={"Location": place})


def fetch(whatsapp: WhatsApp, media: str | FileRef = "1037543291543636") -> bytes:
    with whatsapp.media.download(media) as file:
        return b"".join(file)


# --- Up.


def test_a_file_is_uploaded_with_its_name_and_type(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    platform.answers({"id": "1037543291543636"})
    assert whatsapp.media.upload(BytesIO(PHOTO), "carné de Ana.jpg", "image/jpeg", len(PHOTO)) == "1037543291543636"
    seen = platform.last
    assert (seen.method, seen.target) == ("POST", f"/v23.0/{NUMBER}/media")
    form = message_from_bytes(f"Content-Type: {seen.headers['content-type']}\r\n\r\n".encode() + seen.body)
    parts = {
        part.get_param("name", header="content-disposition"): part for part in form.walk() if not part.is_multipart()
    }
    assert set(parts) == {"messaging_product", "type", "file"}
    assert parts["messaging_product"].get_payload(decode=True) == b"whatsapp"
    assert parts["type"].get_payload(decode=True) == b"image/jpeg"
    assert parts["file"].get_content_type() == "image/jpeg"
    assert parts["file"].get_payload(decode=True) == PHOTO


class CountingFile:
    """A file that remembers how it was read."""

    def __init__(self, size: int) -> None:
        self.left = size
        self.largest = 0

    def read(self, size: int = -1) -> bytes:
        assert size > 0, "read whole"
        self.largest = max(self.largest, size)
        chunk = bytes(min(size, self.left))
        self.left -= len(chunk)
        return chunk


def test_a_large_file_is_never_in_memory_as_a_whole(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    platform.answers({"id": "1"})
    file: Any = CountingFile(3_000_000)
    whatsapp.media.upload(file, "a.pdf", "application/pdf", 3_000_000)
    assert file.left == 0 and file.largest < 200_000 and len(platform.last.body) > 3_000_000


@pytest.mark.parametrize(
    ("mime", "size"),
    [
        ("image/gif", 10),
        ("application/zip", 10),
        ("", 10),
        ("image/jpeg", 0),
        ("image/png", 5 * 1024 * 1024 + 1),
        ("image/webp", 500 * 1024 + 1),
        ("audio/ogg; codecs=opus", 16 * 1024 * 1024 + 1),
        ("application/pdf", 100 * 1024 * 1024 + 1),
    ],
)
def test_files_the_platform_would_refuse_are_not_sent(
    whatsapp: WhatsApp, platform: ScriptedPlatform, mime: str, size: int
) -> None:
    with pytest.raises(BadContent):
        whatsapp.media.upload(BytesIO(b"x"), "x", mime, size)
    assert platform.requests == []


def test_an_upload_without_an_id_raises_outcome_unknown(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    platform.answers({"ok": True})
    with pytest.raises(OutcomeUnknown):
        whatsapp.media.upload(BytesIO(PHOTO), "a.jpg", "image/jpeg", len(PHOTO))


# --- Down.


def test_what_the_platform_knows_of_a_file(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    encoded = base64.b64encode(bytes.fromhex(HASH)).decode()
    for shown, size in ((HASH, len(PHOTO)), (HASH.upper(), str(len(PHOTO))), (encoded, len(PHOTO))):
        platform.answers(about("https://lookaside.fbsbx.com/x", sha256=shown, file_size=size))
        info = whatsapp.media.info("1037543291543636")
        assert info == MediaInfo("1037543291543636", "https://lookaside.fbsbx.com/x", "image/jpeg", HASH, len(PHOTO))
    assert platform.last.target == f"/v23.0/1037543291543636?phone_number_id={NUMBER}"


def test_a_file_is_downloaded_whole(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    platform.answers(about(f"{platform.url}/files/1?mid=5&hash=ARx"), FILE)
    with whatsapp.media.download(FileRef("1037543291543636", "image/jpeg", HASH)) as file:
        assert file.info.mime_type == "image/jpeg" and file.info.size == len(PHOTO)
        assert b"".join(file) == PHOTO
    assert platform.last.target == "/files/1?mid=5&hash=ARx"
    assert platform.last.headers["authorization"] == f"Bearer {TOKEN}"
    # Without one, the platform's file servers refuse.
    assert platform.last.headers["user-agent"].startswith("Ficha/")


@pytest.mark.parametrize(
    ("known", "reply"),
    [
        ({}, Reply(200, PHOTO[:-1] + b"!")),
        ({}, Reply(200, PHOTO[:-1])),
        ({}, Reply(200, PHOTO + b"!")),
        ({"sha256": "", "file_size": 7}, Reply(200, PHOTO)),
        ({"sha256": "", "file_size": len(PHOTO) + 7}, Reply(200, PHOTO)),
        ({"file_size": None}, Reply(200, PHOTO * 2)),
    ],
)
def test_other_bytes_than_announced_are_noticed(
    whatsapp: WhatsApp, platform: ScriptedPlatform, known: dict[str, Any], reply: Reply
) -> None:
    platform.answers(about(f"{platform.url}/files/1", **known), reply)
    with pytest.raises(WrongHash) as fault:
        fetch(whatsapp)
    assert isinstance(fault.value, RetryLater)


def test_the_signed_hash_counts_too(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    platform.answers(about(f"{platform.url}/files/1"), FILE)
    with pytest.raises(WrongHash):
        fetch(whatsapp, FileRef("1", "image/jpeg", "0" * 64))
    assert len(platform.requests) == 1
    platform.answers(about(f"{platform.url}/files/1", sha256=None), FILE)
    with pytest.raises(WrongHash):
        fetch(whatsapp, FileRef("1", "image/jpeg", "0" * 64))


def test_a_file_that_is_too_large_is_not_fetched(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    platform.answers(about(f"{platform.url}/files/1", file_size=101 * 1024 * 1024), FILE)
    with pytest.raises(TooLarge):
        fetch(whatsapp)
    assert len(platform.requests) == 1


def test_a_broken_download_may_be_tried_again(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    platform.answers(about(f"{platform.url}/files/1"), Reply(200, PHOTO[:1000], missing_bytes=5000))
    with pytest.raises(RetryLater):
        fetch(whatsapp)
    platform.answers(about(f"{platform.url}/files/1"), FILE)
    assert fetch(whatsapp) == PHOTO


@pytest.mark.parametrize(
    ("reply", "remedy"),
    [
        (Reply(404, b"expired"), Remedy.FIX_REQUEST),
        (Reply(401, {"error": {"code": 190, "message": "x", "type": "x"}}), Remedy.FIX_CREDENTIALS),
        (Reply(302, b""), Remedy.FIX_ACCOUNT),
    ],
)
def test_a_file_that_is_not_there(whatsapp: WhatsApp, platform: ScriptedPlatform, reply: Reply, remedy: Remedy) -> None:
    platform.answers(about(f"{platform.url}/files/1"), reply)
    with pytest.raises(WhatsAppError) as refusal:
        fetch(whatsapp)
    assert refusal.value.remedy is remedy


def test_an_answer_that_is_neither_file_nor_error(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    for reply, verdict in ((Reply(502, b"<html>"), OutcomeUnknown), (Reply(203, b"{}"), Refused)):
        platform.answers(about(f"{platform.url}/files/1"), reply)
        with pytest.raises(verdict):
            fetch(whatsapp)


@pytest.mark.parametrize("media_id", ["", "../me", "1/../2", "1?fields=x", "1#", "%2e%2e", "ñ", "1\n"])
def test_an_id_cannot_make_another_path(whatsapp: WhatsApp, platform: ScriptedPlatform, media_id: str) -> None:
    for call in (whatsapp.media.info, whatsapp.media.delete, lambda each: fetch(whatsapp, each)):
        with pytest.raises(BadContent):
            call(media_id)
    assert platform.requests == []


def test_a_file_is_deleted(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    platform.answers({"success": True})
    whatsapp.media.delete("1037543291543636")
    assert (platform.last.method, platform.last.target) == (
        "DELETE",
        f"/v23.0/1037543291543636?phone_number_id={NUMBER}",
    )


# --- Where the token goes.


def test_the_token_never_reaches_a_foreign_host(
    whatsapp: WhatsApp, platform: ScriptedPlatform, foreign_host: ScriptedPlatform
) -> None:
    platform.answers(about(f"{foreign_host.url}/files/1"), FILE)
    with pytest.raises(ForeignHost):
        fetch(whatsapp)
    for status in (301, 302, 303, 307, 308):
        platform.answers(about(f"{platform.url}/files/1"), moved(f"{foreign_host.url}/files/1", status))
        with pytest.raises(ForeignHost):
            fetch(whatsapp)
    platform.answers(about(f"{platform.url}/files/1"), moved("/files/2"), moved(f"{foreign_host.url}/files/3"))
    with pytest.raises(ForeignHost):
        fetch(whatsapp)
    assert foreign_host.requests == [] and foreign_host.connections == 0


def test_no_other_call_follows_a_redirect(
    whatsapp: WhatsApp, platform: ScriptedPlatform, foreign_host: ScriptedPlatform
) -> None:
    platform.answers(moved(f"{foreign_host.url}/files/1", 307))
    for call in (whatsapp.account.number, whatsapp.account.debug_token, lambda: whatsapp.mark_read("wamid.A")):
        with pytest.raises(Refused):
            call()
    assert foreign_host.requests == []


def test_redirects_on_the_same_host_are_followed_three_times(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    home = [moved("/files/2", 301), moved(f"{platform.url}/files/3", 307), moved("4?x=1", 308)]
    platform.answers(about(f"{platform.url}/files/1"), *home, FILE)
    assert fetch(whatsapp) == PHOTO
    assert [seen.target for seen in platform.requests[1:]] == ["/files/1", "/files/2", "/files/3", "/files/4?x=1"]
    platform.requests.clear()
    platform.answers(about(f"{platform.url}/files/1"), *home, moved("/files/5"), FILE)
    with pytest.raises(Refused):
        fetch(whatsapp)
    assert len(platform.requests) == 5


def test_hashes_are_read_in_both_spellings() -> None:
    assert hex_hash(HASH) == hex_hash(base64.b64encode(bytes.fromhex(HASH)).decode()) == HASH
    for wrong in (None, 7, "", "abc", HASH[:-1], HASH + "0", "é" * 44, base64.b64encode(b"short").decode()):
        assert hex_hash(wrong) is None
