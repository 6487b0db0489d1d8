"""When memory is called flat."""

from bench.memory import Course


def test_what_a_process_fills_once_is_no_growth() -> None:
    settled = Course("sqlite", 107, [110, 120, 130, 140, 141, 142, *[142.0, 142.1] * 7])
    assert settled.is_flat and settled.mb_a_minute < 0.05


def test_what_grows_is_told() -> None:
    growing = Course("sqlite", 107, [110 + 0.3 * number for number in range(20)])
    assert round(growing.mb_a_minute, 2) == 0.6
    assert not growing.is_flat


def test_too_much_or_an_error_is_no_good_end() -> None:
    assert not Course("sqlite", 107, [171.0] * 20).is_flat
    assert not Course("sqlite", 107, [120.0] * 20, errors={"503": 1}).is_flat
