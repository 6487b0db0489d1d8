"""Logs carry ids and never content."""

import io
import json
from contextlib import redirect_stderr
from pathlib import Path

import structlog

from ficha.core.log import configure_logs, hide_private, log, reset_request_id, set_request_id
from tests.world import settings_for


def test_private_names_are_masked() -> None:
    event = {"event": "x", "clave": "secreta", "Token": "1|a", "correo": "a@b", "account_id": 7}
    shown = hide_private(None, "info", event)
    assert "secreta" not in str(shown) and "1|a" not in str(shown) and "a@b" not in str(shown)
    assert shown["account_id"] == 7


def test_production_writes_json_without_the_values_of_variables(tmp_path: Path) -> None:
    before = structlog.get_config()
    try:
        with redirect_stderr(io.StringIO()) as stream:
            configure_logs(settings_for("", tmp_path, log_format="json"))
            private_word = "penicilina"
            try:
                raise ValueError(len(private_word))
            except ValueError:
                log().exception("it.broke", record_id=5)
    finally:
        structlog.configure(**before)
    line = json.loads(stream.getvalue().splitlines()[0])
    assert line["event"] == "it.broke" and line["record_id"] == 5 and line["level"] == "error"
    assert "penicilina" not in stream.getvalue().replace('private_word = "penicilina"', "")


def test_every_line_of_a_request_carries_its_id(tmp_path: Path) -> None:
    before = structlog.get_config()
    try:
        with redirect_stderr(io.StringIO()) as stream:
            configure_logs(settings_for("", tmp_path, log_format="json"))
            before_it = set_request_id("abc-12345")
            log().warning("inside")
            reset_request_id(before_it)
            log().warning("outside")
    finally:
        structlog.configure(**before)
    inside, outside = (json.loads(line) for line in stream.getvalue().splitlines())
    assert inside["request_id"] == "abc-12345" and "request_id" not in outside
