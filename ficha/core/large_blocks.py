"""Memory of large blocks, bodies for instance, goes back to the system as soon as it is free."""

import ctypes
import sys

# Of mallopt(3).
M_MMAP_THRESHOLD = -3
LARGE_BYTES = 500_000


def return_large_blocks() -> None:
    """The C library's own threshold rises with the largest block that it meets, and what is below it stays with the
    process: fifty refused bodies of a megabyte would leave eighty behind. Elsewhere than on Linux it does nothing."""
    if sys.platform == "linux":
        mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
        if mallopt is not None:
            mallopt(M_MMAP_THRESHOLD, LARGE_BYTES)
