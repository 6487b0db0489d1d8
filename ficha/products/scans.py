"""Scans of stickers: which one was scanned, as the log tells it, and when each was last scanned."""

from collections.abc import Sequence
from datetime import datetime

from ficha.audit.chain import LoggedFact
from ficha.core.transaction import Transaction
from ficha.products.statements import set_last_scans

# What an entry of the log says besides the models: by which sticker the record was opened, and by which version of the
# rules the page was made that the reader saw.
SCANNED = "code:"
RULES = "rules:"


def scanned(code: str, models: Sequence[str], rules: str = "") -> list[str]:
    """What is noted of an opening by this sticker; `rules` where a page was shown that follows them."""
    return [f"{SCANNED}{code.upper()}", *([f"{RULES}{rules}"] if rules else []), *models]


def scanned_code(what: Sequence[str]) -> str:
    """Empty in entries from before stickers were noted, and where there was none."""
    return next((name.removeprefix(SCANNED) for name in what if name.startswith(SCANNED)), "")


def note_scans(tx: Transaction, facts: Sequence[LoggedFact]) -> None:
    """In the transaction that writes these entries to the log: the page of a sticker waits for nothing."""
    newest: dict[str, datetime] = {}
    for fact in facts:
        code = scanned_code(fact.what)
        if code and (code not in newest or newest[code] < fact.at):
            newest[code] = fact.at
    set_last_scans(tx, newest)
