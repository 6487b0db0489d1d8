"""What a proof found, as a page of docs/ and a chart."""

import json
import os
import platform
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from statistics import quantiles

from proof.faults import AWAY_SECONDS, Fault, seconds_felt
from proof.load import PROFILE, Attempt, Ledger
from proof.recovery import ARCHIVE_SECONDS, BOUND_SECONDS, Recovery

PAGE, CHART = Path("docs/proof.md"), Path("docs/pictures/proof.png")
WHOLE_WITHIN_SECONDS = 60.0
MOST_RSS_GROWTH, MOST_CPU_GROWTH = 1.10, 1.15
WINDOW_SECONDS = 5.0


@dataclass
class Findings:
    command: str
    rate: float
    seconds: float
    every: float
    begun: float
    ledger: Ledger
    faults: list[Fault]
    # Of the server that nobody killed: seconds since the beginning, megabytes.
    rss: list[tuple[float, float]]
    compared: dict[str, int]
    cpu: dict[int, float]
    recovery: Recovery
    versions: dict[str, str] = field(default_factory=dict)

    def felt(self) -> list[tuple[Fault, float]]:
        ends = [fault.at for fault in self.faults[1:]] + [float("inf")]
        return [
            (fault, seconds_felt(fault, self.ledger.attempts, until))
            for fault, until in zip(self.faults, ends, strict=True)
        ]

    def rss_growth(self) -> float | None:
        """Between minute two and the end; None for a run that is too short to say."""
        settled = [mb for at, mb in self.rss if 120 <= at < 180]
        last = [mb for _, mb in self.rss[-3:]]
        return sum(last) / len(last) / (sum(settled) / len(settled)) if settled and self.seconds >= 240 else None

    def failures(self) -> list[str]:
        """A sentence for each thing that did not hold."""
        found = [f"{count} {what}" for what, count in self.compared.items() if count]
        found += [
            f"{fault.kind}: felt for {seconds:.0f} s"
            for fault, seconds in self.felt()
            if seconds > WHOLE_WITHIN_SECONDS
        ]
        found += [f"{fault.kind}: three nodes did not stand again" for fault in self.faults if fault.redundant is None]
        growth = self.rss_growth()
        if growth is not None and growth > MOST_RSS_GROWTH:
            found.append(f"RSS grew to {growth:.2f} times")
        if self.cpu[2] > MOST_CPU_GROWTH * self.cpu[1]:
            found.append(f"CPU per request with two processes is {self.cpu[2] / self.cpu[1]:.2f} times that with one")
        if self.recovery.lost_seconds > BOUND_SECONDS:
            found.append(f"recovery lost the last {self.recovery.lost_seconds:.0f} s")
        if self.recovery.missing_before or self.recovery.there_after:
            found.append("recovery to a moment was not exact")
        return found


def save_ledger(findings: Findings, file: Path) -> None:
    """For who has to find out when something was lost."""
    ledger = findings.ledger
    content = {
        "begun": findings.begun,
        "faults": [asdict(fault) for fault in findings.faults],
        "registered": sorted(ledger.registered),
        "alerted": ledger.alerted,
        "notified": sorted(ledger.notified),
        "attempts": [asdict(attempt) for attempt in ledger.attempts],
    }
    file.write_text(json.dumps(content))


def write(findings: Findings) -> None:
    PAGE.write_text(_page(findings))
    _draw(findings)


def _page(found: Findings) -> str:
    failures, attempts = found.failures(), found.ledger.attempts
    outcomes = {name: sum(attempt.outcome == name for attempt in attempts) for name in _outcomes(attempts)}
    growth = found.rss_growth()
    lines = [
        "# Proof",
        "",
        "Written by `make proof` (`proof/`): the service on three PostgreSQL nodes under Patroni and etcd with",
        "synchronous replication and HAProxy, two servers, two workers and the sandbox, all on one machine, under a",
        "steady mixed load while something is broken again and again. How to set up the same:",
        "[high-availability.md](high-availability.md).",
        "",
        f"- Command: `{found.command}`",
        f"- Date: {datetime.now(UTC):%Y-%m-%d}",
        f"- Machine: {_machine()}; the load generator, the cluster and the service share it",
        f"- Versions: {', '.join(f'{name} {version}' for name, version in found.versions.items())}",
        f"- Load: {found.rate:g} requests a second for {found.seconds / 60:g} minutes:"
        f" {', '.join(f'{share} % {kind}' for kind, share in PROFILE.items())}",
        "",
        f"**{'All of it held.' if not failures else 'Not all of it held: ' + '; '.join(failures) + '.'}**",
        "",
        "## The ledger against database and platform",
        "",
        f"{len(found.ledger.registered)} registrations, {len(found.ledger.alerted)} alerts,"
        f" {len(found.ledger.notified)} notifications and"
        f" {sum(a.kind == 'change' and a.outcome == 'ok' for a in attempts)} changes of records were acknowledged.",
        "",
        *_table(("what must not be", "count"), [(what, str(count)) for what, count in found.compared.items()]),
        "",
        "## Requests",
        "",
        "Each attempt is counted; who is told to come again does. `unavailable` is a 503 with Retry-After, `refused` a",
        "connection that a killed server refused or broke.",
        "",
        *_table(("outcome", "attempts"), [(name, f"{count:,}") for name, count in outcomes.items()]),
        "",
        *_table(("kind", "p50 ms", "p99 ms", "slowest ms"), [_times(kind, attempts) for kind in PROFILE]),
        "",
        "## Faults",
        "",
        f"One each {found.every:g} s. *Felt*: until the last request that failed had its answer. *Redundant*: until",
        f"three nodes stood again, a node being away for {AWAY_SECONDS:g} s.",
        "",
        *_table(
            ("minute", "fault", "felt s", "redundant s"),
            [
                (
                    f"{(fault.at - found.begun) / 60:.1f}",
                    fault.kind,
                    f"{seconds:.1f}",
                    "never" if fault.redundant is None else f"{fault.redundant:.0f}",
                )
                for fault, seconds in found.felt()
            ],
        ),
        "",
        "![p50, p99 and the faults](pictures/proof.png)",
        "",
        "## Memory and CPU",
        "",
        f"- RSS of the server that nobody killed: {found.rss[0][1]:.0f} MB at the start,"
        f" {found.rss[-1][1]:.0f} MB at the end;"
        + (f" {growth:.2f} times that of minute two." if growth is not None else " too short a run to compare."),
        f"- CPU per read: {found.cpu[1]:.2f} ms with one server process, {found.cpu[2]:.2f} ms with two:"
        f" {found.cpu[2] / found.cpu[1]:.2f} times.",
        "",
        "## Point-in-time recovery",
        "",
        f"{found.recovery.writes} acknowledged registrations after a base backup, with the log archived to a folder at"
        f" least each {ARCHIVE_SECONDS} s; then the primary and its disk were destroyed and a second one was made of"
        f" backup and archive in {found.recovery.restored_seconds:.0f} s.",
        "",
        f"- To the end of the archive: {found.recovery.lost} writes of the last {found.recovery.lost_seconds:.1f} s"
        f" were lost (bound: {BOUND_SECONDS} s); the read log was whole (`ficha audit verify`).",
        f"- To a given second: {found.recovery.missing_before} writes from before it missing,"
        f" {found.recovery.there_after} from after it there.",
        "",
    ]
    return "\n".join(lines)


def _machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GB"


def _outcomes(attempts: list[Attempt]) -> list[str]:
    return sorted({attempt.outcome for attempt in attempts}, key=lambda name: (name != "ok", name))


def _times(kind: str, attempts: list[Attempt]) -> tuple[str, ...]:
    found = [attempt.ms for attempt in attempts if attempt.kind == kind and attempt.outcome == "ok"]
    if len(found) < 2:
        return kind, "–", "–", "–"
    cuts = quantiles(found, n=100)
    return kind, f"{cuts[49]:.0f}", f"{cuts[98]:.0f}", f"{max(found):.0f}"


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (head, ("---",) * len(head), *rows)]


def _draw(found: Findings) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, (times, bars) = pyplot.subplots(2, 1, figsize=(11, 6), layout="constrained")
    edges = [found.begun + number * WINDOW_SECONDS for number in range(int(found.seconds / WINDOW_SECONDS) + 2)]
    points: list[tuple[float, float, float, int]] = []
    for begin, end in pairwise(edges):
        here = [attempt for attempt in found.ledger.attempts if begin <= attempt.at < end]
        good = [attempt.ms for attempt in here if attempt.outcome == "ok"]
        if len(good) > 1:
            cuts = quantiles(good, n=100)
            points.append(((begin - found.begun) / 60, cuts[49], cuts[98], len(here) - len(good)))
    minutes = [point[0] for point in points]
    times.plot(minutes, [point[1] for point in points], label="p50", color="#1f6f8b")
    times.plot(minutes, [point[2] for point in points], label="p99", color="#e08e45")
    times.set_yscale("log")
    times.set_ylabel("ms of what was answered")
    failed = times.twinx()
    failed.bar(minutes, [point[3] for point in points], WINDOW_SECONDS / 60, color="#c0392b", alpha=0.3)
    failed.set_ylabel(f"told to come again, in {WINDOW_SECONDS:g} s")
    for fault in found.faults:
        times.axvline((fault.at - found.begun) / 60, color="#888888", linestyle=":")
        times.text((fault.at - found.begun) / 60, 0.99, fault.kind, rotation=90, va="top", fontsize=7,
                   transform=times.get_xaxis_transform())  # fmt: skip
    times.legend(frameon=False, loc="upper left")
    felt = found.felt()
    bars.bar(range(len(felt)), [seconds for _, seconds in felt], color="#1f6f8b")
    bars.axhline(WHOLE_WITHIN_SECONDS, color="#c0392b", linestyle=":")
    bars.set_xticks(range(len(felt)), [fault.kind for fault, _ in felt], rotation=20, fontsize=7)
    bars.set_ylabel("felt for s")
    figure.savefig(CHART, dpi=80)
    pyplot.close(figure)
