"""A process that reads records until it is killed: `python -m tests.audit.process <database> <folder> <first>`.

It prints each number once its entry is noted, as a server answers once a read is.
"""

import os
import sys
import time
from itertools import count
from pathlib import Path

from ficha.audit.read_log import ReadLog
from ficha.core.clock import SystemClock
from ficha.core.db import Database

RECORDS = 5


def main(url: str, folder: Path, first: int) -> None:
    clock = SystemClock()
    reads = ReadLog(folder, Database(url))
    reads.start()
    for number in count(first):
        reads.note(
            number % RECORDS + 1, "account:1", "record.read", [str(number)], clock.now(), via="owner", origin="::1"
        )
        os.write(1, f"{number}\n".encode())
        time.sleep(0.0005)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
