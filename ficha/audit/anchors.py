"""Anchors: at intervals, the ends of all chains that have grown are signed in one statement.

Each anchor names the one before, so that the newest vouches for all. Copies are kept in a folder apart from the
database, so that who replaces it by an older one is found out, and published, without the ends, which are nobody
else's business."""

import base64
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from struct import Struct
from typing import Any, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import Integer, LargeBinary, func, insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, mapped_column

from ficha.audit.chain import AuditEntry
from ficha.core.db import Base, BigId, Database, Utc
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction

# Longer than any transaction lasts. Ids are given before the commit, so an entry may appear below one that was
# anchored already: what is younger than this is looked at again.
OVERLAP = timedelta(minutes=10)
AT_LEAST_EVERY = timedelta(days=1)
SIGNING = "log anchors"
_END = Struct(">qq32s")
_THROUGH = Struct(">q")


class Anchor(Base):
    __tablename__ = "audit_anchors"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    at: Mapped[datetime] = mapped_column(Utc)
    previous: Mapped[bytes] = mapped_column(LargeBinary(32))
    root: Mapped[bytes] = mapped_column(LargeBinary(32))
    signature: Mapped[bytes] = mapped_column(LargeBinary(64))
    # The highest id that was looked at, and the ends: record, place, hash. `root` is their hash.
    through_id: Mapped[int] = mapped_column(BigId)
    ends: Mapped[bytes] = mapped_column(LargeBinary)


class AnchoredEnd(NamedTuple):
    record_id: int
    seq: int
    hash: bytes


@dataclass(frozen=True)
class SignedAnchor:
    """What is signed, and what is published of it."""

    number: int
    at: datetime
    previous: bytes
    root: bytes
    signature: bytes

    @property
    def statement(self) -> bytes:
        """Compact JSON: it must give the same bytes for ever."""
        said = [self.number, self.at.astimezone(UTC).isoformat(), self.previous.hex(), self.root.hex()]
        return b"ficha-log-anchor " + json.dumps(said, separators=(",", ":")).encode()

    @property
    def digest(self) -> bytes:
        """What the next anchor names."""
        return hashlib.sha256(self.statement).digest()

    def as_json(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "at": self.at.astimezone(UTC).isoformat(),
            "previous": self.previous.hex(),
            "root": self.root.hex(),
            "signature": self.signature.hex(),
        }

    @classmethod
    def from_json(cls, said: dict[str, Any]) -> "SignedAnchor":
        """Raises KeyError, TypeError or ValueError if it is none."""
        previous, root, signature = (bytes.fromhex(said[name]) for name in ("previous", "root", "signature"))
        return cls(int(said["number"]), datetime.fromisoformat(said["at"]), previous, root, signature)


SIGNED = select(Anchor.number, Anchor.at, Anchor.previous, Anchor.root, Anchor.signature)


class AnchorKey:
    """Derived from the root secret, so that rotating the master key leaves it as it is."""

    def __init__(self, secrets: Secrets) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(secrets.derive(SIGNING))

    def sign(self, statement: bytes) -> bytes:
        return self._key.sign(statement)

    def has_signed(self, anchor: SignedAnchor) -> bool:
        try:
            self._key.public_key().verify(anchor.signature, anchor.statement)
        except InvalidSignature:
            return False
        return True

    def jwk(self) -> dict[str, str]:
        raw = self._key.public_key().public_bytes_raw()
        return {"kty": "OKP", "crv": "Ed25519", "x": base64.urlsafe_b64encode(raw).decode().rstrip("="), "use": "sig"}


def make_anchor(database: Database, key: AnchorKey, now: datetime) -> SignedAnchor | None:
    """Signs the ends of the chains that have grown, and once a day even if none has. None if there is nothing to sign,
    or another process has just done it."""
    with database.reading() as tx:
        last = newest_anchors(tx, 1)
        through_id, ends = _ends_since(tx, _anchored_through(tx, now - OVERLAP))
        has_grown = through_id != tx.orm.scalar(select(Anchor.through_id).order_by(Anchor.number.desc()).limit(1))
    if last and not has_grown and last[0].at > now - AT_LEAST_EVERY:
        return None
    number, previous = (last[0].number + 1, last[0].digest) if last else (1, bytes(32))
    packed = b"".join(_END.pack(*end) for end in ends)
    root = ends_root(through_id, packed)
    signature = key.sign(SignedAnchor(number, now, previous, root, b"").statement)
    made = SignedAnchor(number, now, previous, root, signature)
    try:
        with database.writing() as tx:
            tx.orm.execute(insert(Anchor).values(**vars(made), through_id=through_id, ends=packed))
    except IntegrityError:
        return None
    return made


def newest_anchors(tx: Transaction, count: int) -> list[SignedAnchor]:
    """Newest first."""
    return [SignedAnchor(*row) for row in tx.orm.execute(SIGNED.order_by(Anchor.number.desc()).limit(count))]


def ends_root(through_id: int, packed: bytes) -> bytes:
    return hashlib.sha256(_THROUGH.pack(through_id) + packed).digest()


def unpack_ends(packed: bytes) -> Iterator[AnchoredEnd]:
    """Raises struct.error if they were cut."""
    return (AnchoredEnd(*end) for end in _END.iter_unpack(packed))


def _anchored_through(tx: Transaction, before: datetime) -> int:
    newest = select(Anchor.through_id).where(Anchor.at <= before).order_by(Anchor.number.desc()).limit(1)
    return tx.orm.scalar(newest) or 0


def _ends_since(tx: Transaction, entry_id: int) -> tuple[int, list[AnchoredEnd]]:
    """The highest id, and the ends of all chains with an entry above `entry_id`, by record."""
    highest = tx.orm.scalar(select(func.max(AuditEntry.id))) or 0
    # One statement, hence one snapshot.
    grown = (
        select(AuditEntry.record_id, func.max(AuditEntry.seq).label("seq"))
        .where(AuditEntry.id > entry_id)
        .group_by(AuditEntry.record_id)
        .subquery()
    )
    ends = (
        select(AuditEntry.record_id, AuditEntry.seq, AuditEntry.hash)
        .join(grown, (AuditEntry.record_id == grown.c.record_id) & (AuditEntry.seq == grown.c.seq))
        .order_by(AuditEntry.record_id)
    )
    return highest, [AnchoredEnd(*row) for row in tx.orm.execute(ends)]


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


def copies_in(path: Path) -> Iterator[SignedAnchor]:
    """From a folder of ours, or from a file with what was published. Raises UnreadableCopy."""
    for file in sorted(path.glob(f"*{SUFFIX}")) if path.is_dir() else [path]:
        try:
            said = json.loads(file.read_text())
            copies = [SignedAnchor.from_json(one) for one in said.get("anchors", [said])]
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise UnreadableCopy(file.name) from error
        yield from copies


def holds_copies(path: Path) -> bool:
    """Whether anybody keeps copies there. A mistyped folder vouches for nothing."""
    return any(path.glob(f"*{SUFFIX}")) if path.is_dir() else path.exists()


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
