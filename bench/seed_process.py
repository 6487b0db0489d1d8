"""Makes the people of another commit's database with that commit's own code: started by `bench/worktree.py`.

    python -P seed_process.py data_dir database_url

A line of JSON in, `["tokens", 16]`, gives a line of JSON out. `bench` and `ficha` are those of PYTHONPATH, so this file
uses only what the other commit has too.
"""

import json
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sqlalchemy import text

# What older commits call them.
OLDER_NAMES = {"record_owners": "readers"}


def open_dataset(data_dir: Path, database_url: str) -> Any:
    if find_spec("bench.dataset") is None:
        return import_module("bench.world").World(data_dir, database_url)
    return import_module("bench.dataset").Dataset(data_dir, database_url)


def answer(dataset: Any, method: str, argument: Any) -> Any:
    if method != "execute":
        return getattr(dataset, method if hasattr(dataset, method) else OLDER_NAMES[method])(argument)
    with dataset.parts.database.writing() as tx:
        tx.orm.execute(text(argument))
    return None


def main() -> None:
    dataset = open_dataset(Path(sys.argv[1]), sys.argv[2])
    for line in sys.stdin:
        json.dump(answer(dataset, *json.loads(line)), sys.stdout)
        sys.stdout.write("\n")
        sys.stdout.flush()
    dataset.close()


if __name__ == "__main__":
    main()
