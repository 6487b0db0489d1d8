"""A request that waits for the platform holds no database connection meanwhile."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from ficha.accounts.accounts import Role
from tests.api.conftest import MessagingScenario

NUMBER = "106540352242922"
SILENCE = {"action": "timeout_before_acceptance"}


def ask(messaging: MessagingScenario, path: str) -> Callable[[], int]:
    """A request that asks the platform, by somebody who may."""
    admin = messaging.world.somebody_with(Role.ADMIN)
    body: dict[str, Any] = {"code_method": "SMS", "language": "es"}
    if path.startswith("/v23.0"):
        headers = {"Authorization": "Bearer sandbox-token"}
        return lambda: messaging.world.client.post(path, json={"status": "read"}, headers=headers).status_code
    if path.endswith("request-code"):
        return lambda: admin.post(path, body, headers={"Idempotency-Key": "uno"}).status_code
    return lambda: admin.get(path).status_code


@pytest.mark.parametrize(
    "path",
    [
        f"/v23.0/{NUMBER}/messages",
        "/v2/whatsapp/oauth",
        "/v2/whatsapp/test-connection",
        "/v2/whatsapp/media-test",
        "/v2/whatsapp/media/123",
        "/v2/whatsapp/phone/request-code",
    ],
)
def test_the_database_is_free_while_the_platform_is_silent(messaging: MessagingScenario, path: str) -> None:
    messaging.set_faults(SILENCE)
    request, answers = ask(messaging, path), []
    slow = threading.Thread(target=lambda: answers.append(request()))
    slow.start()
    [rule] = messaging.sandbox.whatsapp.faults.rules
    while not rule.fired and slow.is_alive():
        time.sleep(0.01)
    held = messaging.world.parts.database.engine.pool.checkedout()  # type: ignore[attr-defined]
    assert not answers and held == 0
    slow.join()
    assert answers == [504]
