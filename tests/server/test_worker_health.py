"""A server without a worker says so, until one is there; a worker shows its own metrics."""

from pathlib import Path

import pytest

from tests import local_http
from tests.ports import ReservedPort
from tests.processes import Server, errors_of, start_ficha, stop, until_end
from tests.waiting import eventually

pytestmark = pytest.mark.slow

FROM_THE_START = (
    'ficha_sends_total{channel="whatsapp",outcome="accepted"} 0.0',
    'ficha_sends_total{channel="mail",outcome="refused"} 0.0',
    'ficha_ladder_steps_total{channel="staff",outcome="queued"} 0.0',
    'ficha_jobs_total{kind="emergencia.paso",outcome="dead"} 0.0',
    "ficha_server_errors_total 0.0",
    "ficha_alerts_total 0.0",
    "ficha_alerts_unsent 0.0",
    "ficha_workers 1.0",
)


def test_from_no_worker_to_one_and_back(database_url: str, tmp_path: Path) -> None:
    port = ReservedPort()
    with Server(database_url, tmp_path / "data", FICHA_JOBS_IN_SERVER="false") as server:

        def is_alarmed() -> bool:
            """Other alarms may come: no platform is there."""
            data = server.get("/health/ready").json()["data"]
            assert data["status"] == ("degraded" if data["alarms"] else "up")
            return "no_worker" in data["alarms"]

        assert "No worker is alive" in server.log and "FICHA_JOBS_IN_SERVER=true" in server.log
        eventually(is_alarmed)
        eventually(lambda: '"alarm": "no_worker"' in server.log)

        env = server.env | {"FICHA_WORKER_METRICS": f"127.0.0.1:{port.number}"}
        worker = start_ficha("worker", env=env, output=tmp_path / "worker.output")
        try:
            eventually(lambda: not is_alarmed())
            assert server.get("/health").json()["data"]["workers"] == 1
            with local_http.client(base_url=f"http://127.0.0.1:{port.number}") as client:
                text = client.get("/metrics").text
            for line in FROM_THE_START:
                assert line in text.splitlines(), text
            assert "process_resident_memory_bytes" in text and 'ficha_pool_connections{pool="ordinary"' in text

            second = start_ficha("worker", env=env, output=tmp_path / "second.output")
            refused = until_end(second, tmp_path / "second.output")
            assert refused.returncode == 2 and f"FICHA_WORKER_METRICS=127.0.0.1:{port.number}" in refused.stderr
            assert "Traceback" not in refused.stderr
        finally:
            assert stop(worker) == 0, errors_of(tmp_path / "worker.output").read_text()
        eventually(is_alarmed)
    port.release()


def test_a_server_that_runs_the_jobs_itself_counts_as_a_worker(database_url: str, tmp_path: Path) -> None:
    with Server(database_url, tmp_path / "data", FICHA_JOBS_IN_SERVER="true") as server:
        eventually(lambda: server.get("/health").json()["data"]["workers"] == 1)
        health = server.get("/health").json()["data"]
        assert "no_worker" not in health["alarms"] and health["parts"]["jobs"]["status"] == "up"
        assert "No worker is alive" not in server.log and "no_worker" not in server.log
