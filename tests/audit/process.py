"""A process that reads records until it is killed.

It writes each number into a file once its entry is noted, as a server answers once a read is.
"""

import os
import time
from itertools import count
from pathlib import Path

from ficha.audit.read_log import ReadLog
from ficha.core.clock import SystemClock
from tests.databases import database_with_log_key

RECORDS = 5


def main(url: str, folder: Path, first: int, output: Path) -> None:
    printed = os.open(output, os.O_CREAT | os.O_APPEND | os.O_WRONLY)
    clock = SystemClock()
    reads = ReadLog(folder, database_with_log_key(url))
    reads.start()
    for number in count(first):
        reads.note(
            number % RECORDS + 1, "account:1", "record.read", [str(number)], clock.now(), via="owner", origin="::1"
        )
        os.write(printed, f"{number}\n".encode())
        time.sleep(0.0005)
