"""Removing backgrounds: pictures a minute through the service and by the bare library call, the memory of each, and how
much of its speed is left to the existence check meanwhile.

`python -m bench.pictures` is the bare call alone, in a process of its own.
"""

import io
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event, Thread

import httpx
import skimage
from PIL import Image
from rich.console import Console
from rich.table import Table

from bench.contenders import SERVICE, environment
from bench.databases import open_database
from bench.dataset import Dataset
from bench.entries import ENTRIES
from bench.load import LoadPlan
from bench.processes import MeasuredServer, process_tree, running
from bench.progress import show_progress
from bench.rounds import run_load

PICTURES = 10
ROUNDS = 3
SECONDS = 4.0
CONNECTIONS = 16
LEAST = 0.45
MOST_MEGABYTES = 450
ENTRY = ENTRIES["exists_model"]
PORTRAIT = Path(skimage.__file__).parent / "data" / "astronaut.png"


def measure_pictures(console: Console, databases: list[str]) -> bool:
    speeds = Table("", "pictures/min", "memory, MB", title="Removing a background, 1 megapixel")
    checks = Table("database", "alone/s", "meanwhile/s", "share", title="Does a model have data")
    bare = subprocess.run([sys.executable, "-m", "bench.pictures"], capture_output=True, text=True, check=True)
    speeds.add_row("bare call", *bare.stdout.split())
    good = True
    with show_progress(len(databases) * (ROUNDS + 1)) as report:
        for name in databases:
            with open_database(name) as opened, ExitStack() as stack:
                values = environment(opened.folder / "data", opened.url)
                server = stack.enter_context(running(SERVICE.command, values, opened.folder))
                people = Dataset(opened.folder / "data", opened.url)
                stack.callback(people.close)
                [seed] = people.tokens(1)
                report(f"{name}: pictures")
                rate = _pictures_per_minute(server.port, seed["token"])
                memory = _highest_megabytes(server)
                speeds.add_row(f"service, {name}", f"{rate:.0f}", f"{memory:.0f}")
                found: tuple[list[float], list[float]] = ([], [])
                for number in range(ROUNDS):
                    report(f"{name}: round {number + 1} of {ROUNDS}")
                    found[0].append(_checks_per_second(server.port, people))
                    with _removing(server.port, seed["token"]):
                        found[1].append(_checks_per_second(server.port, people))
            free, busy = (statistics.median(each) for each in found)
            good = good and busy / free >= LEAST and memory < MOST_MEGABYTES
            checks.add_row(name, f"{free:.0f}", f"{busy:.0f}", f"{busy / free:.2f}")
    console.print(speeds, checks)
    return good


def portrait() -> bytes:
    out = io.BytesIO()
    Image.open(PORTRAIT).convert("RGB").resize((1024, 1024)).save(out, "JPEG", quality=90)
    return out.getvalue()


def _remove(port: int, token: str, content: bytes) -> None:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "image/jpeg", "Accept": "image/png"}
    url = f"http://127.0.0.1:{port}/api/remove-background"
    httpx.post(url, content=content, headers=headers, timeout=60, trust_env=False).raise_for_status()


def _pictures_per_minute(port: int, token: str) -> float:
    content = portrait()
    _remove(port, token, content)  # Starts the process and loads the model.
    started = time.perf_counter()
    for _ in range(PICTURES):
        _remove(port, token, content)
    return 60 * PICTURES / (time.perf_counter() - started)


@contextmanager
def _removing(port: int, token: str) -> Iterator[None]:
    """One after the other without a pause, until the end."""
    is_over, content = Event(), portrait()

    def work() -> None:
        while not is_over.is_set():
            _remove(port, token, content)

    thread = Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def _checks_per_second(port: int, people: Dataset) -> float:
    result = run_load(LoadPlan(ENTRY.name, port, SECONDS, ENTRY.seeds(people, CONNECTIONS)))
    assert not result.errors, result.errors
    return result.requests / result.seconds


def _highest_megabytes(server: MeasuredServer) -> float:
    """Of the picture process, since it started."""
    workers = [each for each in process_tree(server.process) if "ficha.photos.picture_worker" in each.cmdline()]
    return max(_highest_of(each.pid) for each in workers)


def _highest_of(pid: int | str) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1000 for line in lines if line.startswith("VmHWM"))


def _bare() -> None:
    """The large one of the two models, called as its documentation shows, with both cores if it likes."""
    import numpy as np
    import onnxruntime

    from ficha.photos.background_removal import DEVIATION, FOLDER, MEAN, SALIENT, SALIENT_SIDE

    session = onnxruntime.InferenceSession((FOLDER / SALIENT[0]).read_bytes(), providers=["CPUExecutionProvider"])
    content, started = portrait(), 0.0
    for number in range(PICTURES + 1):
        if number == 1:
            started = time.perf_counter()
        picture = Image.open(io.BytesIO(content)).convert("RGB")
        small = np.asarray(picture.resize((SALIENT_SIDE, SALIENT_SIDE), Image.Resampling.LANCZOS), np.float32) / 255
        given = ((small - MEAN) / DEVIATION).transpose(2, 0, 1)[None]
        found = session.run(None, {session.get_inputs()[0].name: given})[0][0, 0]
        mask = (found - found.min()) / (found.max() - found.min())
        picture.putalpha(Image.fromarray((mask * 255).astype(np.uint8)).resize(picture.size))
        picture.save(io.BytesIO(), "PNG")
    print(f"{60 * PICTURES / (time.perf_counter() - started):.0f} {_highest_of('self'):.0f}")


if __name__ == "__main__":
    _bare()
