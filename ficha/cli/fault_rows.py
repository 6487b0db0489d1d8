"""What is wrong with a log, as rows or as JSON."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ficha.cli.json_output import print_json
from ficha.cli.rich_console import rich_console

if TYPE_CHECKING:
    from ficha.audit.verify_log import LogFault


def print_faults(faults: "Sequence[LogFault]", *, as_json: bool) -> None:
    from rich.table import Table

    if as_json:
        print_json({"is_whole": not faults, "faults": [fault._asdict() for fault in faults]})
    elif faults:
        table = Table("Record", "Entry", "What is wrong")
        for fault in faults:
            table.add_row(*fault)
        rich_console().print(table)
