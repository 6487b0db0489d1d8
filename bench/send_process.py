"""Sends a thousand messages with another commit's own code: started by `bench/messages_against.py`.

    python -P send_process.py sqlite

Prints what it took as JSON. `bench` and `ficha` are those of PYTHONPATH, so this file uses only what the other commit
has too.
"""

import json
import sys
from dataclasses import asdict
from importlib import import_module
from typing import Any

# What older commits call them.
OLDER_NAMES = {"running_service": "_running_service", "send_all": "_send"}


def main() -> None:
    messages, databases = import_module("bench.messages"), import_module("bench.databases")

    def named(name: str) -> Any:
        return getattr(messages, name if hasattr(messages, name) else OLDER_NAMES[name])

    with databases.open_database(sys.argv[1]) as opened, named("running_service")(opened) as service:
        sent = named("send_all")(service)
    json.dump(asdict(sent), sys.stdout)


if __name__ == "__main__":
    main()
