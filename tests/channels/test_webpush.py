"""What leaves for a push service: encrypted for one device, and to known services only."""

import pytest

from ficha.channels.webpush import BadDeviceKey, Device, TooLong, encrypt, is_push_service
from tests.channels.push_service import SubscribedPhone, packed


def device_of(phone: SubscribedPhone) -> Device:
    keys = phone.subscription()["keys"]
    return Device(phone.address, keys["p256dh"], keys["auth"])


def test_only_the_device_can_read_it_and_its_length_says_nothing() -> None:
    phone, other = SubscribedPhone("https://x"), SubscribedPhone("https://y")
    short, long = encrypt(device_of(phone), b"{}"), encrypt(device_of(phone), "señal".encode() * 300)
    assert phone.decrypted(short) == b"{}" and phone.decrypted(long) == "señal".encode() * 300
    assert len(short) == len(long) < 4096
    assert encrypt(device_of(phone), b"{}") != short
    with pytest.raises(Exception):  # noqa: B017
        other.decrypted(short)
    with pytest.raises(TooLong):
        encrypt(device_of(phone), bytes(2049))


@pytest.mark.parametrize("keys", [(packed(bytes(65)), packed(bytes(16))), ("x" * 87, "y" * 22), ("", ""), ("ñ", "ñ")])
def test_keys_that_are_none_are_refused(keys: tuple[str, str]) -> None:
    with pytest.raises(BadDeviceKey):
        Device("https://x", *keys).public_key()


KNOWN = (
    "https://fcm.googleapis.com/fcm/send/abc",
    "https://updates.push.services.mozilla.com/wpush/v2/abc",
    "https://web.push.apple.com/QAbc",
    "https://wns2-par02p.notify.windows.com/w/?token=abc",
    "http://127.0.0.1:9000/send/x",
)
STRANGE = (
    "http://fcm.googleapis.com/x",
    "https://fcm.googleapis.com:8443/x",
    "https://fcm.googleapis.com.evil.example/x",
    "https://evil.example/fcm.googleapis.com",
    "https://fcm.googleapis.com@169.254.169.254/x",
    "https://notify.windows.com/x",
    "https://evilnotify.windows.com/x",
    "http://127.0.0.1:9001/send/x",
    "http://127.0.0.1/send/x",
    "http://169.254.169.254/latest/meta-data/",
    "file:///etc/passwd",
    "https://[::1]/x",
    "https://[/x",
    "https://fcm.googleapis.com:99999/x",
    "https://fcm.googleapis.com/" + "x" * 1000,
    "https://fcm.googleapis.com",
    "",
)


def test_nothing_is_sent_elsewhere() -> None:
    assert [each for each in KNOWN if not is_push_service(each, ("127.0.0.1:9000",))] == []
    assert [each for each in STRANGE if is_push_service(each, ("127.0.0.1:9000",))] == []
