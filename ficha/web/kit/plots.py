"""Plots as SVG drawn here, without scripts: bars and lines over days, each with its figures as a table. What is drawn
has no text, so that it fits any width; the words stand around it (`kit/plots.html`)."""

from collections.abc import Sequence
from typing import NamedTuple

HEIGHT = 100.0
# Of the room that a day has, what its bar takes.
BAR_WIDTH = 0.8


class Bar(NamedTuple):
    """In the units of the plot: a day is one wide, the highest value HEIGHT high; y is counted from the top."""

    x: float
    y: float
    height: float


class Line(NamedTuple):
    """`path` is what SVG calls so. Drawn whole or dashed, which its `label` goes with."""

    label: str
    path: str


class Plot(NamedTuple):
    """`name` is for its ids. `top` is the highest value in words, `ends` are the first and the last day. The table has
    a row for each day, its name first."""

    name: str
    title: str
    summary: str
    description: str
    days: int
    top: str
    ends: tuple[str, str]
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    bars: Sequence[Bar] = ()
    lines: Sequence[Line] = ()


def bars_of(values: Sequence[int | None]) -> list[Bar]:
    """Of what is not known there is none."""
    highest = _highest(values)
    drawn = []
    for index, value in enumerate(values):
        if value is not None:
            height = round(value * HEIGHT / highest, 2)
            drawn.append(Bar(round(index + (1 - BAR_WIDTH) / 2, 2), HEIGHT - height, height))
    return drawn


def line_of(label: str, values: Sequence[int | None], highest: int) -> Line:
    """Broken where a value is not known; one that stands alone is a dot."""
    path, is_drawing = [], False
    for index, value in enumerate(values):
        if value is not None:
            at = f"{index + 0.5:g} {round(HEIGHT - value * HEIGHT / max(highest, 1), 2):g}"
            path.append(f"L{at}" if is_drawing else f"M{at}h.01")
        is_drawing = value is not None
    return Line(label, "".join(path))


def _highest(values: Sequence[int | None]) -> int:
    return max([value for value in values if value is not None] + [1])
