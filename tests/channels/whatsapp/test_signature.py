"""Signatures of notifications, and the challenge of the webhook."""

import json
from pathlib import Path

import pytest

from ficha.channels.errors import BadSignature, MissingSignature
from ficha.channels.whatsapp.client import WhatsApp
from tests.channels.whatsapp.notification_bodies import SIGNED, ZOE
from tests.world import settings_for


@pytest.fixture
def whatsapp() -> WhatsApp:
    secret = {"whatsapp_app_secret": "app-secret-for-tests", "whatsapp_verify_token": "nuestra-señal"}
    return WhatsApp(settings_for("", Path("unused"), **secret))


@pytest.mark.parametrize(
    ("body", "signature"),
    [(b'{"a":1}', "sha256=3d6306699b4e205d0a64c07f0ff3996a9099bb67b3ae846621a04c39cf495bd1"), (ZOE, SIGNED)],
)
def test_the_platforms_signature_is_recognised(whatsapp: WhatsApp, body: bytes, signature: str) -> None:
    whatsapp.verify({"X-Hub-Signature-256": signature}, body)
    whatsapp.verify({"content-type": "application/json", "x-hub-signature-256": signature}, body)


def test_the_same_json_in_other_bytes_has_another_signature(whatsapp: WhatsApp) -> None:
    assert len(ZOE) == 415
    written_again = json.dumps(json.loads(ZOE), ensure_ascii=False, separators=(",", ":")).encode()
    assert "Zoë".encode() in written_again
    with pytest.raises(BadSignature):
        whatsapp.verify({"X-Hub-Signature-256": SIGNED}, written_again)


@pytest.mark.parametrize("headers", [{}, {"X-Hub-Signature-256": ""}, {"X-Hub-Signature": "sha1=abc"}])
def test_nobody_signed(whatsapp: WhatsApp, headers: dict[str, str]) -> None:
    with pytest.raises(MissingSignature):
        whatsapp.verify(headers, ZOE)


@pytest.mark.parametrize(
    "header", [SIGNED[:-1] + "4", SIGNED[7:], SIGNED.upper(), SIGNED + " ", "sha256=", "sha1=abc", "señal", "\ud800"]
)
def test_somebody_else_signed(whatsapp: WhatsApp, header: str) -> None:
    with pytest.raises(BadSignature):
        whatsapp.verify({"X-Hub-Signature-256": header}, ZOE)


def test_with_an_empty_secret_every_signature_is_refused() -> None:
    empty = "sha256=b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"
    open_door = WhatsApp(settings_for("", Path("unused"), whatsapp_app_secret=""))
    with pytest.raises(BadSignature):
        open_door.verify({"X-Hub-Signature-256": empty}, b"")


def test_the_handshake_answers_the_challenge_and_only_to_ours(whatsapp: WhatsApp) -> None:
    assert whatsapp.answer_challenge("subscribe", "nuestra-señal", "1158201444") == "1158201444"
    for mode, token, challenge in (
        ("subscribe", "otra", "1"),
        ("unsubscribe", "nuestra-señal", "1"),
        (None, "nuestra-señal", "1"),
        ("subscribe", None, "1"),
        ("subscribe", "nuestra-señal", None),
    ):
        with pytest.raises(BadSignature):
            whatsapp.answer_challenge(mode, token, challenge)
