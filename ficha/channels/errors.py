"""The errors of everything that calls the outside world: whether to try again, and how."""

from enum import StrEnum


class RetryRule(StrEnum):
    """How a request that failed for now may be repeated."""

    BACKOFF = "backoff"  # After a wait that grows with each attempt.
    FEW_TIMES = "few_times"  # The same, but it is given up after a few attempts.
    RECIPIENT_LIMIT = "recipient_limit"  # Too many messages to one person: the wait grows faster.


class RetryLater(Exception):
    """It did not answer, or asked us to try again later. `retry_after` is in seconds, if the answer contains it."""

    code: int | None = None  # The platform's own number for the error, if it gave one.

    def __init__(self, message: str = "", retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after

    @property
    def rule(self) -> RetryRule:
        return RetryRule.BACKOFF


class NotSent(RetryLater):
    """The request certainly did not arrive: it can be repeated without doing anything twice."""


class OutcomeUnknown(RetryLater):
    """The request may have been accepted, but there was no clear answer. Repeating it may do it twice."""


class TooSlow(OutcomeUnknown):
    """It has not answered in time."""


class Refused(Exception):
    """It was understood and refused: the same request will be refused again."""

    code: int | None = None  # The platform's own number for the error, if it gave one.
    retry_after: float | None = None

    @property
    def is_about_our_credentials(self) -> bool:
        """Whether the same request will be accepted once our credentials are renewed."""
        return False


class BadContent(Refused):
    """The platform would refuse it, so it was not asked. `sentence` is for people and quotes nothing of the content."""

    def __init__(self, pointer: str, sentence: str) -> None:
        super().__init__(f"{pointer}: {sentence}")
        self.pointer = pointer
        self.sentence = sentence


class MissingSignature(Exception):
    """A notification without a signature."""


class BadSignature(Exception):
    """A notification signed with another secret, or changed after it was signed."""


class CannotBeBuilt(Refused):
    """Nothing was sent: what we were given does not fit the form that it has to take. That is our mistake."""
