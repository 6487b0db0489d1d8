"""A caller's own request to the platform, forwarded with the caller's token and answered with the platform's bytes."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from ficha.channels.errors import BadContent
from ficha.channels.whatsapp.graph import Graph

# The headers that a caller can use. The others are about our connection to the platform.
FORWARDED_HEADERS = (
    "content-type",
    "www-authenticate",
    "retry-after",
    "facebook-api-version",
    "x-fb-trace-id",
    "x-fb-request-id",
    "x-app-usage",
    "x-business-use-case-usage",
)


class ForwardedAnswer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes


def forward(
    graph: Graph, version: str, phone_number_id: str, token: str, body: bytes, content_type: str = "application/json"
) -> ForwardedAnswer:
    """Returns any answer of the platform, errors too. Raises NotSent, OutcomeUnknown or Refused if there was none."""
    # Both come from the caller's path and become part of ours.
    if not re.fullmatch(r"v[0-9]{1,3}\.[0-9]{1,3}", version):
        raise BadContent("/version", "La versión se escribe como v23.0.")
    if not re.fullmatch(r"[0-9]{1,32}", phone_number_id):
        raise BadContent("/phone_number_id", "El identificador del número lleva solo cifras.")
    headers = {"Authorization": f"Bearer {token}", "Content-Type": content_type}
    answer = graph.call_raw("POST", f"{version}/{phone_number_id}/messages", headers, body)
    return ForwardedAnswer(
        answer.status, {name: answer.headers[name] for name in FORWARDED_HEADERS if name in answer.headers}, answer.body
    )
