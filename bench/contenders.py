"""The contenders: the service as a user starts it, the floor, and for some entries the ordinary way."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from bench.processes import free_port

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class Contender:
    name: str
    command: tuple[str, ...]


SERVICE = Contender("service", (str(Path(sys.executable).with_name("ficha")), "serve", "--no-sandbox"))
FLOOR = Contender("floor", (sys.executable, "-m", "bench.floor"))
# The same operation the way most of ours are written; only some entries have it.
ORDINARY = Contender("ordinary", (sys.executable, "-m", "bench.ordinary"))

# The service again, asked for people with no data: what a page costs before anything is in it.
EMPTY = "empty"


def contenders(*, with_ordinary: bool) -> tuple[Contender, ...]:
    """The service first: it migrates."""
    return (SERVICE, FLOOR, ORDINARY) if with_ordinary else (SERVICE, FLOOR)


def environment(data_dir: Path, database_url: str, code: Path = ROOT) -> dict[str, str]:
    """Without the FICHA_* of the caller's shell and, since servers run in a folder of their own, without `.env`.
    `code` is the folder whose `ficha` runs."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("FICHA_")}
    # Where nothing compiled is kept, each start would compile the service again, which takes a fifth of it.
    inherited.pop("PYTHONDONTWRITEBYTECODE", None)
    # BENCH_JOBS=off measures SQLite without the jobs in the server, as PostgreSQL is measured.
    jobs = {"FICHA_JOBS_IN_SERVER": "false"} if os.environ.get("BENCH_JOBS") == "off" else {}
    return (
        inherited
        | jobs
        | {
            "PYTHONPATH": str(code),
            "FICHA_HOST": "127.0.0.1",
            "FICHA_PORT": str(free_port()),
            "FICHA_DATA_DIR": str(data_dir),
            "FICHA_DATABASE_URL": database_url,
            "FICHA_WORKERS": "1",
            "FICHA_RATE_LIMITS": "off",
            "FICHA_LOG_LEVEL": "error",
        }
    )
