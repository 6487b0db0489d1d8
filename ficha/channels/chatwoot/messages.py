"""A request to the platform, and its answer."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ficha.channels.errors import OutcomeUnknown

APPLICATION = ("api", "v1")
PUBLIC = ("public", "api", "v1")


@dataclass(frozen=True)
class PlatformRequest:
    """`segments` are the parts of the path, not encoded. `body` as an iterator is passed on piece by piece, and then
    `length` is its size, if that is known."""

    method: str
    segments: Sequence[str]
    token: str | None
    query: str = ""
    body: bytes | AsyncIterator[bytes] | None = None
    content_type: str | None = None
    length: int | None = None

    @property
    def is_stream(self) -> bool:
        return self.body is not None and not isinstance(self.body, bytes)


class AnswerTooLong(OutcomeUnknown):
    """There was more of it than we read: of what one caller asked for."""


class PlatformAnswer(NamedTuple):
    status: int
    content_type: str
    body: bytes
    retry_after: str | None = None
    location: str | None = None

    @property
    def is_of_the_platform(self) -> bool:
        """Its answers are JSON, except "Retry later". All else is somebody's in between."""
        if self.status == 429:
            return True
        return self.content_type.startswith("application/json") and self.status <= 500

    @property
    def is_refused_in_between(self) -> bool:
        """A server before the platform refused this request, such as a file too large for it. That says nothing about
        the platform, and the next request may well be answered."""
        return not self.is_of_the_platform and 400 <= self.status < 500
