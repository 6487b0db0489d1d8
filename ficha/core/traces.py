"""Traces for OpenTelemetry, where FICHA_TRACES_URL names who takes them: a span for each request, for each job that it
put aside, and for each call to a platform.

They carry the names of routes, kinds and channels, statuses and the classes of errors: never a path, a code, an id, an
address or an error's text. What a caller says about traces is not read, and platforms are told nothing of ours.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ficha import __version__
from ficha.core.settings import Settings

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Span, Tracer

# Under which a job's payload carries the trace of whoever put it.
TRACE = "traceparent"


class _Traces:
    """Of this process. Nothing is imported, and nothing made, while they are off."""

    tracer: "Tracer | None" = None
    provider: "TracerProvider | None" = None


def start_traces(settings: Settings, role: str, exporter: "SpanExporter | None" = None) -> None:
    """Does nothing where no address is set. `exporter` takes the spans instead of that address. Whether OpenTelemetry
    is installed was looked at before the start."""
    if not settings.traces_url:
        return
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415  Nearly nobody needs them.
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased  # noqa: PLC0415

    about = Resource({"service.name": "ficha", "service.version": __version__, "ficha.role": role})
    provider = TracerProvider(sampler=ParentBased(TraceIdRatioBased(settings.traces_sample)), resource=about)
    provider.add_span_processor(BatchSpanProcessor(exporter or OTLPSpanExporter(endpoint=settings.traces_url)))
    _Traces.provider, _Traces.tracer = provider, provider.get_tracer("ficha", __version__)


def stop_traces() -> None:
    """Sends what was not sent yet."""
    provider, _Traces.provider, _Traces.tracer = _Traces.provider, None, None
    if provider is not None:
        provider.shutdown()


class RequestSpan:
    """Of a request under way: what it puts aside belongs to it."""

    def __init__(self, tracer: "Tracer") -> None:
        from opentelemetry import context  # noqa: PLC0415
        from opentelemetry.trace import SpanKind, set_span_in_context  # noqa: PLC0415

        # Without a parent, whatever the context of the server says.
        self._span = tracer.start_span("request", context.Context(), SpanKind.SERVER)
        self._token = context.attach(set_span_in_context(self._span))

    def end(self, method: str, route: str, status: int) -> None:
        from opentelemetry import context  # noqa: PLC0415

        self._span.update_name(f"{method} {route}")
        said: dict[str, str | int] = {
            "http.request.method": method,
            "http.route": route,
            "http.response.status_code": status,
        }
        _finish(self._span, said, str(status) if status >= 500 or not status else None)
        context.detach(self._token)


def begin_request() -> RequestSpan | None:
    return None if _Traces.tracer is None else RequestSpan(_Traces.tracer)


def current_trace() -> dict[str, str]:
    """What a job's payload carries: empty where there is no span, or traces are off."""
    if _Traces.tracer is None:
        return {}
    from opentelemetry.trace import get_current_span  # noqa: PLC0415

    found = get_current_span().get_span_context()
    return {TRACE: f"00-{found.trace_id:032x}-{found.span_id:016x}-{found.trace_flags:02x}"} if found.is_valid else {}


@contextmanager
def job_span(kind: str, payloads: Sequence[Mapping[str, Any]]) -> Iterator[None]:
    """Around jobs of one kind that run together. It belongs to the trace of the first, and names those of the others.
    What fails inside is not told by this: a job's end is."""
    if _Traces.tracer is None:
        yield
        return
    from opentelemetry.trace import Link, SpanKind, get_current_span, use_span  # noqa: PLC0415
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator  # noqa: PLC0415

    read = TraceContextTextMapPropagator().extract
    parents = [read({TRACE: str(payload[TRACE])}) for payload in payloads if TRACE in payload]
    links = [Link(get_current_span(parent).get_span_context()) for parent in parents[1:]]
    first = parents[0] if parents else read({})
    span = _Traces.tracer.start_span(f"job {kind}", first, SpanKind.CONSUMER, links=links)
    try:
        with use_span(span, record_exception=False, set_status_on_exception=False):
            yield
    finally:
        _finish(span, {"ficha.kind": kind, "ficha.jobs": len(payloads)}, None)


def note_span(name: str, seconds: float, said: Mapping[str, str | int], error: str | None) -> None:
    """A call that has just ended, and took so long."""
    if _Traces.tracer is None:
        return
    from opentelemetry.trace import SpanKind  # noqa: PLC0415

    began = time.time_ns() - int(seconds * 1e9)
    _finish(_Traces.tracer.start_span(name, kind=SpanKind.CLIENT, start_time=began), said, error)


def note_job_error(error: str) -> None:
    """The class of what a job of the current span ended with."""
    if _Traces.tracer is None:
        return
    from opentelemetry.trace import Status, StatusCode, get_current_span  # noqa: PLC0415

    span = get_current_span()
    span.set_attribute("error.type", error)
    span.set_status(Status(StatusCode.ERROR))


def _finish(span: "Span", said: Mapping[str, str | int], error: str | None) -> None:
    from opentelemetry.trace import Status, StatusCode  # noqa: PLC0415

    span.set_attributes(said)
    if error is not None:
        span.set_attribute("error.type", error)
        span.set_status(Status(StatusCode.ERROR))
    span.end()
