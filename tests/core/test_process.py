"""Memory: however many threads allocate, they share one heap, and what was freed goes back to the system."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="They are functions of Linux's C library.")

ALLOCATING = """
import ctypes, sys, threading
from ficha.core.process import use_one_heap
if sys.argv[1] == "one":
    use_one_heap()
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

# A clave is hashed in 19 MiB; after the first time the C library keeps them, here below something that stays.
HASHING = """
import ctypes
from pathlib import Path
from argon2 import PasswordHasher
from ficha.core.process import give_memory_back
def resident_megabytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6
hasher = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]
hasher.hash("caballo-bateria-grapa")
block = libc.malloc(19_000_000)
ctypes.memset(ctypes.c_void_p(block), 1, 19_000_000)
libc.malloc(200_000)
libc.free(block)
before = resident_megabytes()
give_memory_back()
print(before - resident_megabytes())
"""

# As one picture leaves them: freed blocks, each below something that stays.
PICTURES = """
import ctypes, sys
from pathlib import Path
from ficha.core.process import keep_no_large_blocks
if sys.argv[1] == "none":
    keep_no_large_blocks()
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.free.argtypes = [ctypes.c_void_p]
def filled(size):
    block = libc.malloc(size)
    ctypes.memset(ctypes.c_void_p(block), 1, size)
    return block
libc.free(filled(30_000_000))
blocks = []
for _ in range(8):
    blocks.append(filled(8_000_000))
    filled(200_000)
for block in blocks:
    libc.free(block)
print(int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6)
"""


def told_by(script: str, *arguments: str) -> str:
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


def test_threads_share_one_heap() -> None:
    assert told_by(ALLOCATING, "one").count("<heap nr=") == 1 < told_by(ALLOCATING, "as it is").count("<heap nr=")


def test_the_memory_of_hashed_claves_goes_back_to_the_system() -> None:
    assert float(told_by(HASHING)) > 15


def test_who_reads_pictures_keeps_none_of_their_memory() -> None:
    assert float(told_by(PICTURES, "none")) < float(told_by(PICTURES, "as it is")) - 30
