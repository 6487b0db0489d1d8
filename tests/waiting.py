"""A test waits for a state, never for a time."""

import time
from collections.abc import Callable


def eventually(claim: Callable[[], object], seconds: float = 60) -> None:
    """Returns once the claim holds. The time is generous: it is only ever spent by a test that fails."""
    deadline = time.monotonic() + seconds
    while not claim():
        assert time.monotonic() < deadline, f"it never came true within {seconds} s"
        time.sleep(0.02)
