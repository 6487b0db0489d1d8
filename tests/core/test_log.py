"""Logs carry ids and never content."""

import io
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

import pytest

from ficha.core.log import configure_logs, hide_private, in_request, log
from tests.world import settings_for

Configure = Callable[[str], io.StringIO]


@pytest.fixture
def configure(tmp_path: Path) -> Iterator[Configure]:
    """Configures the logs in this format; they are written to what it returns."""

    def configure(log_format: str) -> io.StringIO:
        with redirect_stderr(io.StringIO()) as stream:
            configure_logs(settings_for("", tmp_path, log_format=log_format))
        return stream

    yield configure
    configure_logs(settings_for("", tmp_path))


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_private_names_are_masked() -> None:
    event = {"event": "x", "clave": "secreta", "Token": "1|a", "correo": "a@b", "account_id": 7}
    shown = hide_private(event)
    assert "secreta" not in str(shown) and "1|a" not in str(shown) and "a@b" not in str(shown)
    assert shown["account_id"] == 7


@pytest.mark.parametrize("log_format", ["json", "console"])
def test_a_private_name_is_masked_in_the_line_too(configure: Configure, log_format: str) -> None:
    stream = configure(log_format)
    log().warning("it.happened", correo="a@b", account_id=7)
    assert "it.happened" in stream.getvalue() and "7" in stream.getvalue()
    assert "a@b" not in stream.getvalue()


def test_production_writes_json_without_the_values_of_variables(configure: Configure) -> None:
    stream = configure("json")
    private_word = "penicilina"
    try:
        raise ValueError(len(private_word))
    except ValueError:
        log().exception("it.broke", record_id=5)
    line = json.loads(stream.getvalue().splitlines()[0])
    assert line["event"] == "it.broke" and line["record_id"] == 5 and line["level"] == "error"
    assert "ValueError: 10" in line["exception"] and "test_log.py" in line["exception"]
    assert "penicilina" not in stream.getvalue().replace('private_word = "penicilina"', "")


def test_lines_written_during_a_request_carry_its_id(configure: Configure) -> None:
    stream = configure("json")
    with in_request("abc"):
        log().info("within")
        logging.getLogger("a.library").warning("from a %s", "library")
    log().info("after")
    assert [(line["event"], line.get("request_id"), line["level"]) for line in lines(stream)] == [
        ("within", "abc", "info"),
        ("from a library", "abc", "warning"),
        ("after", None, "info"),
    ]


def test_less_than_the_level_is_not_written_nor_chatter_of_libraries(configure: Configure) -> None:
    stream = configure("json")
    log().debug("too.small")
    logging.getLogger("a.library").info("chatter")
    log().info("right")
    assert [line["event"] for line in lines(stream)] == ["right"]


def test_a_console_line_is_one_line_whatever_a_value_holds(configure: Configure) -> None:
    stream = configure("console")
    log().info("request", route="/v2/x", agent="one\ntwo", status=200)
    (line,) = stream.getvalue().splitlines()
    assert "[info    ] request" in line
    assert line.endswith(r"route=/v2/x agent='one\ntwo' status=200")
