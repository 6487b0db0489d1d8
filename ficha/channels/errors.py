"""The errors of everything that calls the outside world: whether to try again, or not."""


class RetryLater(Exception):
    """It did not answer, or asked us to come back later. `retry_after` is in seconds, if it said so."""

    def __init__(self, message: str = "", retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class NotSent(RetryLater):
    """The request certainly did not arrive: it can be repeated without doing anything twice."""


class OutcomeUnknown(RetryLater):
    """The request may have been accepted, but no answer said so. Repeating it may do it twice."""


class Refused(Exception):
    """It was understood and refused: the same request will be refused again."""


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
