"""How the C library keeps memory: what is free goes back to the system, or to whoever asks next."""

import ctypes
import sys

# Of mallopt(3).
M_MMAP_THRESHOLD = -3
M_ARENA_MAX = -8
LARGE_BYTES = 500_000
MOST_ARENAS = 1


def keep_little_memory() -> None:
    """The C library's own threshold rises with the largest block that it meets, and what is below it stays with the
    process: fifty refused bodies of a megabyte would leave eighty behind. And it gives most threads a heap of their
    own, each as large as the most that its thread ever needed: with Python's lock one thread allocates at a time, and
    one heap is enough. Elsewhere than on Linux it does nothing."""
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
        if mallopt is not None:
            mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)
            mallopt(M_ARENA_MAX, MOST_ARENAS)
