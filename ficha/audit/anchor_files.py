"""Copies of the anchors in a folder apart from the database: who replaces the database by an older one is found out."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import select

from ficha.audit.anchors import SIGNED, Anchor, SignedAnchor
from ficha.core.transaction import Transaction

SUFFIX = ".json"


class UnreadableCopy(Exception):
    """The file is not what we wrote, or not what is published."""


def copy_anchors(tx: Transaction, folder: Path) -> int:
    """Writes those that the folder does not have yet, and returns how many. A file is never replaced."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    newest = max(_numbers(folder), default=0)
    rows = tx.orm.execute(SIGNED.where(Anchor.number > newest).order_by(Anchor.number)).all()
    for row in rows:
        _write(folder / f"{row.number:08d}{SUFFIX}", SignedAnchor(*row).as_json())
    return len(rows)


def copies_in(place: Path) -> Iterator[SignedAnchor]:
    """From a folder of ours, or from a file with what was published. Raises UnreadableCopy."""
    for file in sorted(place.glob(f"*{SUFFIX}")) if place.is_dir() else [place]:
        try:
            said = json.loads(file.read_text())
            copies = [SignedAnchor.from_json(one) for one in said.get("anchors", [said])]
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise UnreadableCopy(file.name) from error
        yield from copies


def anchor_with(tx: Transaction, number: int) -> SignedAnchor | None:
    row = tx.orm.execute(SIGNED.where(Anchor.number == number)).one_or_none()
    return None if row is None else SignedAnchor(*row)


def newest_number(tx: Transaction) -> int:
    return tx.orm.scalar(select(Anchor.number).order_by(Anchor.number.desc()).limit(1)) or 0


def _numbers(folder: Path) -> list[int]:
    return [int(file.stem) for file in folder.glob(f"*{SUFFIX}") if file.stem.isdigit()]


def _write(file: Path, content: dict[str, Any]) -> None:
    """Whole or not at all; if another process was quicker, its file stays."""
    temporary = file.with_suffix(f".{os.getpid()}")
    temporary.write_text(json.dumps(content, indent=1))
    temporary.chmod(0o444)
    try:
        os.link(temporary, file)
    except FileExistsError:
        pass
    finally:
        temporary.unlink()
