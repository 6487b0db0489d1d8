"""A run says how far it is where nobody watches a terminal too."""

import re

import pytest

from bench.progress import show_progress


def test_each_finished_part_is_a_line_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with show_progress(2) as report:
        report("sqlite: starting")
        assert capsys.readouterr().err == ""
        report("sqlite: me")
        assert re.fullmatch(r"1/2 sqlite: starting: \d+\.\d s\n", capsys.readouterr().err)
    shown = capsys.readouterr()
    assert re.fullmatch(r"2/2 sqlite: me: \d+\.\d s\n", shown.err)
    assert shown.out == ""
