"""What Schemathesis thinks of for an operation, sent to a server, and what its checks say of the answers."""

import os
from collections.abc import Callable
from typing import Any, Protocol

import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.generation.hypothesis.builder import HypothesisTestConfig, HypothesisTestMode, create_test
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from schemathesis.transport.requests import ManagedCookiesSession

# Thought of by chance, beside the edges of each value, which are all sent always.
EXAMPLES = 50 if os.environ.get("FICHA_STORM") else 4
SECONDS = 60
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]

# Pictures are bytes: whatever else is inside, the service says what is wrong with them.
for kind in ("image/jpeg", "image/png", "image/webp", "image/heic"):
    schemathesis.serializer.alias(kind, "application/octet-stream")


class Sender(Protocol):
    """Where the cases go."""

    @property
    def url(self) -> str: ...

    def prepare(self, case: Any) -> None:
        """Puts what is alive on this server into a case that would name what is not."""

    def headers(self) -> dict[str, str]: ...

    def note(self, method: str, status: int) -> None: ...


class AnyInput:
    def __init__(self, document: dict[str, Any], sender: Sender) -> None:
        self._schema = schemathesis.openapi.from_dict(document)
        self._sender = sender
        # One connection for all requests, each without the cookies of another, and with the headers of its case alone.
        self._session = ManagedCookiesSession()
        self._session.headers.clear()
        self._session.trust_env = False  # Nor does it look for a proxy and a password on this machine.

    def send_to(self, method: str, path: str) -> None:
        """What is sent is thought of now, and not while the tests are collected."""
        config = HypothesisTestConfig(project=self._schema.config, modes=list(HypothesisTestMode))
        create_test(operation=self._schema[path][method], test_func=send, config=config)(send_case=self._send)

    def _send(self, case: Any) -> None:
        sender = self._sender
        sender.prepare(case)
        is_public = not case.operation.definition.raw.get("security")
        headers = {} if is_public else sender.headers()
        # Nothing here is late: on a busy machine a picture takes as long as it takes.
        response = case.call(base_url=sender.url, session=self._session, headers=headers, timeout=SECONDS)
        sender.note(case.method, response.status_code)
        # What the platform refuses is a documented 502, and no fault of ours.
        refused = response.status_code == 502 and "502" in case.operation.definition.raw["responses"]
        case.validate_response(response, checks=CHECKS[1:] if refused else CHECKS)


@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), derandomize=True)
def send(case: Any, send_case: Callable[[Any], None]) -> None:
    send_case(case)
