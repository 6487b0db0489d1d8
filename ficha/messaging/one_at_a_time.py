"""Lets one thread of a process do a piece of work for all that ask for it."""

from threading import Lock


class OneAtATime:
    """Whoever asks while another thread works may go away: that thread is told to look once more."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_taken = self._is_asked_again = False

    def begin(self) -> bool:
        """False if another thread works, which will look once more."""
        with self._lock:
            if self._is_taken:
                self._is_asked_again = True
                return False
            self._is_taken = True
            return True

    def is_asked_again(self) -> bool:
        """For who has found nothing more to do; if False, the work is over."""
        with self._lock:
            self._is_taken, self._is_asked_again = self._is_asked_again, False
            return self._is_taken

    def abandon(self) -> None:
        with self._lock:
            self._is_taken = self._is_asked_again = False
