"""Our account on the platform: uploads, number, token, profile, and forwarded calls."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from ficha.channels.errors import BadContent, NotSent, OutcomeUnknown, Refused
from ficha.channels.whatsapp.client import WhatsApp
from ficha.channels.whatsapp.error_codes import WhatsAppError, WhatsAppRefused
from tests.channels.whatsapp.scripted_platform import (
    ACCEPTED,
    NUMBER,
    TOKEN,
    Reply,
    ScriptedPlatform,
    client,
)
from tests.ports import ReservedPort

APP = "634974688087057"
BUSINESS = "102290129340398"
SESSION = "upload:MTphdHRhY2htZW50OmFiYzE=?sig=ARZ-x_y&v=2%2B"


# --- Resumable uploads.


def test_an_interrupted_upload_goes_on_where_it_stopped(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    picture = bytes(range(250)) * 10
    platform.answers({"id": SESSION})
    session = whatsapp.uploads.begin("foto & más.png", len(picture), "image/png")
    assert session == SESSION
    assert (
        platform.last.target
        == f"/v23.0/{APP}/uploads?file_name=foto+%26+m%C3%A1s.png&file_length=2500&file_type=image%2Fpng"
    )

    platform.answers(Reply(closes=True))
    with pytest.raises(OutcomeUnknown):
        whatsapp.uploads.send(session, 0, picture)
    platform.answers({"id": SESSION, "file_offset": 1000})
    offset = whatsapp.uploads.offset(session)
    assert (platform.last.method, platform.last.target) == ("GET", f"/v23.0/{SESSION}")

    platform.answers({"id": SESSION}, {"h": "4:aW1hZ2U="})
    assert whatsapp.uploads.send(session, offset, picture[offset:2000]) is None
    assert whatsapp.uploads.send(session, 2000, picture[2000:]) == "4:aW1hZ2U="
    assert (platform.last.method, platform.last.target) == ("POST", f"/v23.0/{SESSION}")
    assert platform.last.headers["authorization"] == f"OAuth {TOKEN}"
    assert platform.last.headers["file_offset"] == "2000" and platform.last.body == picture[2000:]

    platform.answers({"success": True})
    whatsapp.account.set_profile_picture("4:aW1hZ2U=")
    assert platform.last.json["profile_picture_handle"] == "4:aW1hZ2U="


def test_a_stored_piece_is_distinguished_from_a_refused_one(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    complaint = {"message": "Partial request (did not match length of file)", "type": "OAuthException", "code": 100}
    platform.answers(Reply(400, {"error": complaint}), {"id": SESSION, "file_offset": 30})
    assert whatsapp.uploads.send(SESSION, 20, b"0123456789") is None
    platform.answers(Reply(400, {"debug_info": {"type": "PartialRequestError"}}), {"id": SESSION, "file_offset": 30})
    assert whatsapp.uploads.send(SESSION, 20, b"0123456789") is None
    platform.answers(Reply(400, {"error": complaint}), {"id": SESSION, "file_offset": 20})
    with pytest.raises(WhatsAppRefused):
        whatsapp.uploads.send(SESSION, 20, b"0123456789")
    platform.requests.clear()
    platform.answers(Reply(401, {"error": {**complaint, "code": 190}}))
    with pytest.raises(WhatsAppRefused):
        whatsapp.uploads.send(SESSION, 20, b"0123456789")
    assert len(platform.requests) == 1


@pytest.mark.parametrize("session", ["", "123", "upload:", "upload:a/../../me", "upload:a b", "upload:a#b", "upload:ñ"])
def test_a_session_id_cannot_make_another_path(whatsapp: WhatsApp, platform: ScriptedPlatform, session: str) -> None:
    with pytest.raises(BadContent):
        whatsapp.uploads.offset(session)
    with pytest.raises(BadContent):
        whatsapp.uploads.send(session, 0, b"x")
    assert platform.requests == []


@pytest.mark.parametrize(("length", "mime"), [(10, "image/gif"), (0, "image/png")])
def test_files_that_cannot_be_uploaded_this_way(
    whatsapp: WhatsApp, platform: ScriptedPlatform, length: int, mime: str
) -> None:
    with pytest.raises(BadContent):
        whatsapp.uploads.begin("a", length, mime)
    assert platform.requests == []


@pytest.mark.parametrize("answer", [{}, {"file_offset": "x"}, {"file_offset": -1}, {"file_offset": True}])
def test_an_answer_without_a_usable_offset(
    whatsapp: WhatsApp, platform: ScriptedPlatform, answer: dict[str, Any]
) -> None:
    platform.answers(answer)
    with pytest.raises(OutcomeUnknown):
        whatsapp.uploads.offset(SESSION)


# --- Number, token, profile, codes.


def test_the_connection_is_tested_by_asking_for_the_number(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    platform.answers(
        {"id": NUMBER, "display_phone_number": "+1 555-078-3881", "status": "CONNECTED", "quality_rating": 5}
    )
    number = whatsapp.account.number()
    assert (number.number_id, number.display_phone_number, number.status) == (NUMBER, "+1 555-078-3881", "CONNECTED")
    assert number.quality_rating is None and number.verified_name is None
    assert platform.last.target.startswith(f"/v23.0/{NUMBER}?fields=id%2Cdisplay_phone_number")


def test_the_token_is_checked_with_the_apps_own_token(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    state = {
        "app_id": APP,
        "type": "SYSTEM_USER",
        "application": "Ficha",
        "expires_at": 0,
        "data_access_expires_at": 1712099387,
        "is_valid": True,
        "issued_at": 1712099387,
        "scopes": ["whatsapp_business_messaging", 5],
    }
    platform.answers({"data": state})
    token = whatsapp.account.debug_token()
    assert token.is_valid and token.type == "SYSTEM_USER" and token.scopes == ["whatsapp_business_messaging"]
    assert token.expires_at is None and token.issued_at == datetime(2024, 4, 2, 23, 9, 47, tzinfo=UTC)
    assert platform.last.headers["authorization"] == f"Bearer {APP}|app-secret-for-tests"
    assert platform.last.target == f"/v23.0/debug_token?input_token={TOKEN}"
    assert TOKEN not in repr(token)
    platform.answers({"data": {}})
    with pytest.raises(OutcomeUnknown):
        whatsapp.account.debug_token()


@pytest.mark.parametrize("nested", [False, True])
def test_the_profile_is_read_as_sent_and_as_documented(
    whatsapp: WhatsApp, platform: ScriptedPlatform, nested: bool
) -> None:
    shown = {"about": "Ficha médica", "websites": ["https://ficha.example"], "messaging_product": "whatsapp"}
    platform.answers({"data": [{"business_profile": shown} if nested else shown]})
    profile = whatsapp.account.profile()
    assert (profile.about, profile.websites, profile.email) == ("Ficha médica", ["https://ficha.example"], None)
    platform.answers({"data": []})
    assert whatsapp.account.profile().about is None


def test_our_number_is_verified_with_a_code(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    platform.answers({"success": True})
    whatsapp.account.request_code("SMS", "es")
    assert (platform.last.target, platform.last.json) == (
        f"/v23.0/{NUMBER}/request_code",
        {"code_method": "SMS", "language": "es"},
    )
    whatsapp.account.verify_code("123456")
    assert platform.last.json == {"code": "123456"}
    for wrong in ("12345", "abcdef", "123456\n", "١٢٣٤٥٦"):
        with pytest.raises(BadContent):
            whatsapp.account.verify_code(wrong)
    platform.answers(Reply(422, {"error": {"code": 100, "message": "x", "type": "x"}}))
    with pytest.raises(WhatsAppRefused):
        whatsapp.account.verify_code("654321")


# --- Calls of others.

BODY = b'{ "messaging_product":"whatsapp", "status":"read", "message_id":"wamid.ABC" }'


def test_a_call_is_forwarded_with_its_own_token_and_its_own_bytes(
    whatsapp: WhatsApp, platform: ScriptedPlatform
) -> None:
    answer = b'{ "success" :true}'
    platform.answers(Reply(200, answer, headers={"X-FB-Trace-Id": "abc", "Set-Cookie": "a=b", "X-App-Usage": "{}"}))
    passed = whatsapp.forward("v25.0", NUMBER, "THEIRTOKEN", BODY)
    assert (passed.status, passed.body) == (200, answer)
    assert passed.headers == {"content-type": "application/json", "x-fb-trace-id": "abc", "x-app-usage": "{}"}
    assert platform.last.target == f"/v25.0/{NUMBER}/messages" and platform.last.body == BODY
    assert platform.last.headers["authorization"] == "Bearer THEIRTOKEN"
    assert TOKEN not in json.dumps(platform.last.headers)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(401, {"error": {"code": 190, "message": "x", "type": "x"}}),
        Reply(400, ACCEPTED),
        Reply(502, b"<html>bad gateway</html>", headers={"Content-Type": "text/html"}),
        Reply(302, b"", headers={"Location": "https://elsewhere.example"}),
    ],
)
def test_any_answer_is_returned(whatsapp: WhatsApp, platform: ScriptedPlatform, reply: Reply) -> None:
    platform.answers(reply)
    passed = whatsapp.forward("v23.0", NUMBER, "THEIRTOKEN", BODY)
    assert (passed.status, passed.body) == (reply.status, reply.content)
    assert "location" not in passed.headers and len(platform.requests) == 1


def test_no_answer_raises_the_same_errors_as_our_own_calls(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    platform.answers(Reply(closes=True))
    with pytest.raises(OutcomeUnknown):
        whatsapp.forward("v23.0", NUMBER, "T", BODY)
    with ReservedPort() as port, client(f"http://127.0.0.1:{port}") as nobody, pytest.raises(NotSent):
        nobody.forward("v23.0", NUMBER, "T", BODY)


@pytest.mark.parametrize(
    ("version", "number", "token", "verdict"),
    [
        ("v23", NUMBER, "T", BadContent),
        ("v23.0/..", NUMBER, "T", BadContent),
        ("v23.0", "1/../2", "T", BadContent),
        ("v23.0", "1?x=", "T", BadContent),
        ("v23.0", "", "T", BadContent),
        ("v23.0", NUMBER, "T\r\nX-Evil: 1", Refused),
        ("v23.0", NUMBER, "T\0", Refused),
    ],
)
def test_a_caller_cannot_make_us_call_another_path(
    whatsapp: WhatsApp, platform: ScriptedPlatform, version: str, number: str, token: str, verdict: type[Exception]
) -> None:
    with pytest.raises(verdict):
        whatsapp.forward(version, number, token, BODY)
    assert platform.requests == []


def test_a_strange_token_is_the_platforms_to_refuse(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    whatsapp.forward("v23.0", NUMBER, "señal\ud800", BODY)
    assert len(platform.requests) == 1


def test_every_other_call_raises_the_same_errors(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    calls: list[Callable[[], object]] = [
        whatsapp.account.number,
        whatsapp.account.debug_token,
        whatsapp.account.profile,
        whatsapp.account.templates,
        lambda: whatsapp.account.set_profile_picture("4:x"),
        lambda: whatsapp.account.request_code("VOICE", "es"),
        lambda: whatsapp.uploads.begin("a.png", 5, "image/png"),
        lambda: whatsapp.media.info("1"),
        lambda: whatsapp.media.delete("1"),
    ]
    platform.answers(Reply(401, {"error": {"code": 190, "error_subcode": 463, "message": "x", "type": "x"}}))
    for call in calls:
        with pytest.raises(WhatsAppError) as refusal:
            call()
        assert refusal.value.code == 190
    assert len(platform.requests) == len(calls)
