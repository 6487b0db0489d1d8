"""However many threads allocate, they share one heap."""

import subprocess
import sys

import pytest

ALLOCATING = """
import ctypes, sys, threading
from ficha.core.process import keep_little_memory
if sys.argv[1] == "little":
    keep_little_memory()
libc = ctypes.CDLL(None)
libc.malloc.restype = libc.fopen.restype = ctypes.c_void_p
together = threading.Barrier(6)
def allocate():
    libc.malloc(1000)
    together.wait()
threads = [threading.Thread(target=allocate) for _ in range(6)]
for one in threads: one.start()
for one in threads: one.join()
file = ctypes.c_void_p(libc.fopen(b"/dev/stdout", b"w"))
libc.malloc_info(0, file)
libc.fclose(file)
"""


def heaps(which: str) -> int:
    done = subprocess.run([sys.executable, "-c", ALLOCATING, which], capture_output=True, check=True, text=True)
    return done.stdout.count("<heap nr=")


@pytest.mark.skipif(sys.platform != "linux", reason="It is a setting of Linux's C library.")
def test_threads_share_one_heap() -> None:
    assert heaps("little") == 1 < heaps("as it is")
