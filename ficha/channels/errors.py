"""The ways an outside platform, or its messenger, says no."""


class Unreachable(Exception):
    """It did not answer, or asked us to come back: try again later. `retry_after` in seconds, when it said so."""

    def __init__(self, message: str = "", retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class NotSent(Unreachable):
    """The request surely did not arrive: repeating it cannot double anything."""


class Unsure(Unreachable):
    """The request may have been accepted: nobody told us. Repeating it may double it."""


class Rejected(Exception):
    """It understood and refused: trying again cannot help."""


class BadContent(Rejected):
    """The platform would refuse it, so it was never asked. The sentence is for people; it quotes nothing."""

    def __init__(self, pointer: str, sentence: str) -> None:
        super().__init__(f"{pointer}: {sentence}")
        self.pointer = pointer
        self.sentence = sentence


class MissingSignature(Exception):
    """A notification that nobody signed."""


class BadSignature(Exception):
    """A notification signed by somebody else, or changed on its way."""
