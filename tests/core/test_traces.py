"""Traces lead from a request over its jobs to the platform, and carry nothing of anybody."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ficha.core.traces import start_traces, stop_traces
from tests.emergencies.scenario import MARIA, EmergencyScenario, contact
from tests.processes import environment, python
from tests.world import settings_for

pytest.importorskip("opentelemetry.sdk", reason="the extra `traces` is not installed")

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

WITHOUT_OPENTELEMETRY = (
    "import sys; sys.modules['opentelemetry.sdk'] = None; sys.argv = ['ficha', 'worker'];"
    " from ficha.cli import main; main()"
)


@pytest.fixture
def exporter(tmp_path: Path) -> Iterator[InMemorySpanExporter]:
    """Takes the spans of this process, which a collector would take otherwise."""
    taken = InMemorySpanExporter()
    start_traces(settings_for("", tmp_path, traces_url="http://127.0.0.1:9/v1/traces"), "server", taken)
    yield taken
    stop_traces()


def parent_of(span: ReadableSpan, spans: list[ReadableSpan]) -> str | None:
    assert span.context is not None
    for other in spans:
        if other.context is not None and span.parent is not None and other.context.span_id == span.parent.span_id:
            assert other.context.trace_id == span.context.trace_id
            return other.name
    return None


def test_from_the_request_to_the_platform(scenario: EmergencyScenario, exporter: InMemorySpanExporter) -> None:
    sticker = scenario.sticker(contact(canales=["whatsapp"]))
    scenario.press_alert(sticker)
    scenario.world.reader.get(
        f"/e/{sticker.code}/{sticker.tag}", headers={"traceparent": f"00-{'a' * 32}-{'b' * 16}-01"}
    )
    scenario.run_due()
    stop_traces()
    spans = list(exporter.get_finished_spans())
    parents = {span.name: parent_of(span, spans) for span in spans}
    assert parents["send whatsapp"] == "job whatsapp.envio"
    assert parents["job whatsapp.envio"] == "job emergencia.paso"
    assert parents["job emergencia.paso"] == "POST /v2/emergencies"
    assert parents["POST /v2/emergencies"] is None
    told = "\n".join(span.to_json() for span in spans)
    assert "GET /e/{code}/{tag}" in parents and "a" * 32 not in told, "what a caller says of traces is not read"
    for private in (sticker.code, sticker.tag, MARIA, MARIA[2:], sticker.owner.correo, "María"):
        assert private not in told


def test_a_job_that_fails_tells_the_class_of_its_error(
    scenario: EmergencyScenario, exporter: InMemorySpanExporter
) -> None:
    scenario.platform_down()
    scenario.press_alert(scenario.sticker(contact(canales=["whatsapp"])))
    scenario.run_due()
    stop_traces()
    [sent] = [span for span in exporter.get_finished_spans() if span.name == "send whatsapp"]
    assert sent.attributes is not None and sent.attributes["ficha.outcome"] == "unknown" and not sent.events
    assert not sent.status.is_ok and sent.status.description is None


def test_off_nothing_is_carried(scenario: EmergencyScenario) -> None:
    scenario.press_alert(scenario.sticker(contact()))
    with scenario.database.reading() as tx:
        payload = tx.connection().exec_driver_sql("SELECT payload FROM jobs").scalars().all()
    assert payload and "traceparent" not in str(payload)


def test_set_and_not_installed_it_is_said_in_one_sentence(tmp_path: Path, sqlite_file: Path) -> None:
    env = environment(f"sqlite:///{sqlite_file}", tmp_path, FICHA_TRACES_URL="http://127.0.0.1:4318/v1/traces")
    ended = python("-c", WITHOUT_OPENTELEMETRY, env=env)
    assert ended.returncode == 2 and "Traceback" not in ended.stderr
    assert "pip install 'ficha[traces]'" in ended.stderr, sys.executable
