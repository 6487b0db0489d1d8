"""A request that waits for the platform holds no database connection meanwhile."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from ficha.accounts.accounts import Role
from tests.api.conftest import MessagingScenario
from tests.waiting import eventually

NUMBER = "106540352242922"
SILENCE = {"action": "timeout_before_acceptance"}
PATHS = (
    f"/v23.0/{NUMBER}/messages",
    "/v2/whatsapp/oauth",
    "/v2/whatsapp/test-connection",
    "/v2/whatsapp/media-test",
    "/v2/whatsapp/media/123",
    "/v2/whatsapp/phone/request-code",
)


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


@pytest.mark.slow
def test_the_database_is_free_while_the_platform_is_silent(messaging: MessagingScenario) -> None:
    messaging.set_faults(SILENCE)
    requests, answers = [ask(messaging, path) for path in PATHS], []
    slow = [threading.Thread(target=lambda request=request: answers.append(request())) for request in requests]
    for thread in slow:
        thread.start()
    [rule] = messaging.sandbox.whatsapp.faults.rules
    eventually(lambda: answers or rule.fired == len(PATHS))
    held = messaging.world.parts.database.engine.pool.checkedout()  # type: ignore[attr-defined]
    assert answers == [] and held == 0
    for thread in slow:
        thread.join()
    assert answers == [504] * len(PATHS)
