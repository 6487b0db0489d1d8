"""Claims of an `Idempotency-Key` that could not be given back, because the database was gone when their request ended.

Only the process that holds a claim knows that its request is over. So it tries until the database is there again; after
a kill, the claim ends by itself.
"""

from collections.abc import Callable
from threading import Lock, Thread
from time import monotonic, sleep
from typing import Generic, TypeVar

from ficha.core.db import use_reserved_connections
from ficha.core.log import log

FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 0.5

T = TypeVar("T")


class ClaimReleaser(Generic[T]):
    """`release` gives one back, or raises. After `seconds` anybody may take it, and it is no longer tried."""

    def __init__(self, release: Callable[[T], None], seconds: float) -> None:
        self._release, self._seconds = release, seconds
        self._lock = Lock()
        self._waiting: dict[T, float] = {}
        self._is_running = False

    def add(self, claim: T) -> None:
        with self._lock:
            self._waiting[claim] = monotonic() + self._seconds
            if not self._is_running:
                self._is_running = True
                Thread(target=self._run, name="claim-releaser", daemon=True).start()

    def _run(self) -> None:
        use_reserved_connections()
        pause = FIRST_PAUSE_SECONDS
        while waiting := self._next():
            try:
                for claim in waiting:
                    self._release(claim)
                    with self._lock:
                        self._waiting.pop(claim, None)
            except Exception as error:  # Whatever it is, the claims end by themselves.
                log().warning("idempotency.claim_not_released", error=type(error).__name__)
                sleep(pause)
                pause = min(pause * 1.5, LONGEST_PAUSE_SECONDS)

    def _next(self) -> list[T]:
        with self._lock:
            now = monotonic()
            self._waiting = {claim: until for claim, until in self._waiting.items() if until > now}
            self._is_running = bool(self._waiting)
            return list(self._waiting)
