"""The figures of one round, the medians of several rounds, and the ratio of the service to the floor."""

from collections import Counter
from dataclasses import dataclass, field, fields
from statistics import median
from typing import Any


@dataclass(frozen=True)
class Round:
    requests_per_second: float
    p50_ms: float
    p99_ms: float
    cpu_ms: float
    # Of the PostgreSQL server, where it is ours; on SQLite the server process does that work.
    database_cpu_ms: float | None
    rss_mb: float
    answer_bytes: float


@dataclass
class Measured:
    """One contender in one entry."""

    rounds: list[Round] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    sample: str = ""
    # Before its warm-up; `rss_mb` of the last round is the end.
    rss_mb_at_start: float = 0.0

    def median(self, name: str) -> float | None:
        values = [getattr(one, name) for one in self.rounds]
        return median(values) if values and None not in values else None

    def as_json(self) -> dict[str, Any]:
        names = [each.name for each in fields(Round)]
        return {
            "median": {name: self.median(name) for name in names},
            "rounds": [{name: getattr(one, name) for name in names} for one in self.rounds],
            "rss_mb_at_start": self.rss_mb_at_start,
            "errors": dict(self.errors),
        }


@dataclass(frozen=True)
class Ceiling:
    """The load generator against a handler that does nothing: beyond this it would measure itself."""

    requests_per_second: float
    generator_cpu_us: float


@dataclass
class Result:
    """One entry on one database."""

    entry: str
    title: str
    database: str
    connections: int
    measured: dict[str, Measured]
    separate_title: str = ""
    separate_ms: list[float] = field(default_factory=list)
    shows_memory: bool = False
    # What makes the comparison void: errors, or answers that are not alike.
    faults: list[str] = field(default_factory=list)
    # What a reader should know and makes nothing void.
    notes: list[str] = field(default_factory=list)

    def ratio(self, name: str, of: str = "service", to: str = "floor") -> float | None:
        above, below = self.measured[of].median(name), self.measured[to].median(name)
        return above / below if above is not None and below else None

    @property
    def separate(self) -> float | None:
        return median(self.separate_ms) if self.separate_ms else None

    def cpu_beyond_separate(self, who: str) -> float | None:
        """CPU milliseconds without the part that was measured separately."""
        cpu = self.measured[who].median("cpu_ms")
        return None if cpu is None or self.separate is None else cpu - self.separate

    def as_json(self) -> dict[str, Any]:
        names = ("requests_per_second", "p50_ms", "p99_ms", "cpu_ms", "rss_mb")
        return {
            "entry": self.entry,
            "database": self.database,
            "connections": self.connections,
            **{who: one.as_json() for who, one in self.measured.items()},
            **{
                f"service_to_{who}": {name: self.ratio(name, to=who) for name in names}
                for who in self.measured
                if who != "service"
            },
            "apart": None
            if self.separate is None
            else {
                "what": self.separate_title,
                "cpu_ms": self.separate,
                "cpu_ms_beyond": {who: self.cpu_beyond_separate(who) for who in self.measured},
            },
            "faults": self.faults,
            "notes": self.notes,
        }
