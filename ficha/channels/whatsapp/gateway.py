"""A call of somebody else's, passed on with their token and answered with the platform's own bytes."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from ficha.channels.errors import BadContent
from ficha.channels.whatsapp.graph import Graph

# What a caller can use. The rest speaks of a connection that is not theirs.
PASSED_ON = (
    "content-type",
    "www-authenticate",
    "retry-after",
    "facebook-api-version",
    "x-fb-trace-id",
    "x-fb-request-id",
    "x-app-usage",
    "x-business-use-case-usage",
)


class Passed(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes


def forward(
    graph: Graph, version: str, phone_number_id: str, token: str, body: bytes, content_type: str = "application/json"
) -> Passed:
    """Raises only NotSent, OutcomeUnknown and Refused for what never became an answer; any answer is passed on."""
    # Both come from a caller's path and become ours.
    if not re.fullmatch(r"v[0-9]{1,3}\.[0-9]{1,3}", version):
        raise BadContent("/version", "La versión se escribe como v23.0.")
    if not re.fullmatch(r"[0-9]{1,32}", phone_number_id):
        raise BadContent("/phone_number_id", "El identificador del número lleva solo cifras.")
    headers = {"Authorization": f"Bearer {token}", "Content-Type": content_type}
    answer = graph.raw("POST", f"{version}/{phone_number_id}/messages", headers, body)
    return Passed(
        answer.status, {name: answer.headers[name] for name in PASSED_ON if name in answer.headers}, answer.body
    )
