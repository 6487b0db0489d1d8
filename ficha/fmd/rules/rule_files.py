"""Reads the rules. A sign is a file in `data/signs/`, a line of advice one in `data/advice/`; the file beside each
folder has the version, the order, and what all of them share."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

Table = Mapping[str, Any]


@cache
def sign_table() -> Table:
    """The stop signs as `rules`, the most dangerous first, and the phrases they use."""
    return _with_files("signs", "rules")


@cache
def advice_table() -> Table:
    """The lines of advice as `advice`."""
    return _with_files("advice", "advice")


@cache
def acts_table() -> Table:
    """The acts and conditions that lines of advice speak of: which acts imply or exclude another, and which conditions
    cannot hold together. With each act, beginnings of words that name it, by which the tests hold words to acts."""
    return _read("acts.json")


@cache
def conflict_table() -> Table:
    """Which line of advice gives way to another, or is reworded beside it, in the order in which they are applied."""
    return _read("conflicts.json")


@cache
def no_sign_table() -> Table:
    """By code system: codes that were read beside their names and judged to need neither sign nor advice."""
    return _read("no_sign.json")


def _with_files(name: str, field: str) -> Table:
    table = _read(f"{name}.json")
    return {**table, field: [{"id": one, **_read(f"{name}/{one}.json")} for one in table["order"]]}


def _read(name: str) -> Table:
    table: Table = json.loads(files("ficha.fmd.rules").joinpath("data", name).read_text("utf-8"))
    return table
