"""Rosters that an administrator uploads: the file is kept sealed, a job tries it without changing anything, and once
somebody has seen what it would do and agrees, a job imports it. Then the file is gone."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import ForeignKey, LargeBinary, String, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.administration.admin_changes import note_change
from ficha.audit.log import Actor
from ficha.core.crypto import Keyring
from ficha.core.db import Base, BigId, Json, Utc
from ficha.core.errors import FichaError, NotFound
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction
from ficha.institutions.institution import Institution, InstitutionFacts
from ficha.jobs.queue import put
from ficha.messaging.files import PIECE_BYTES, KeptFile, append_piece, delete_pieces, new_file

RUN = "institucion.nomina"
KIND = "roster"
SEALED = "roster"
# A file that nobody agrees to is not kept for longer, and what was told of one for as long as doubts are.
UNDECIDED = timedelta(days=7)
KEPT = timedelta(days=90)


class RosterState(StrEnum):
    CHECKING = "checking"
    CHECKED = "checked"
    REFUSED = "refused"  # Tried, and there is no row that could be imported.
    IMPORTING = "importing"
    DONE = "done"
    UNREADABLE = "unreadable"


RUNS = (RosterState.CHECKING, RosterState.IMPORTING)


class RosterUpload(Base):
    __tablename__ = "roster_uploads"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    institution_id: Mapped[int] = mapped_column(ForeignKey(Institution.id), index=True)
    # Until it is imported.
    file_id: Mapped[int | None] = mapped_column(ForeignKey(KeptFile.id))
    state: Mapped[str] = mapped_column(String(12))
    rows: Mapped[int]
    done: Mapped[int]
    counts: Mapped[dict[str, Any]] = mapped_column(Json)
    # The rows that need somebody, with their reasons.
    sealed: Mapped[bytes | None] = mapped_column(LargeBinary)
    fault: Mapped[str | None] = mapped_column(String(300))
    created_at: Mapped[datetime] = mapped_column(Utc)
    ended_at: Mapped[datetime | None] = mapped_column(Utc)

    @property
    def is_running(self) -> bool:
        return self.state in RUNS


class RosterEmpty(FichaError):
    status = 422
    code = "nomina_vacia"
    message = "Elija un archivo CSV o XLSX con la nómina."


class RosterNotChecked(FichaError):
    status = 409
    code = "nomina_sin_probar"
    message = "Esa nómina todavía se está probando, o ya se importó."


def add_upload(
    tx: Transaction, institution: InstitutionFacts, content: bytes, actor: Actor, keyring: Keyring, now: datetime
) -> RosterUpload:
    """Keeps the file and puts the job that tries it. Raises RosterEmpty."""
    if not content:
        raise RosterEmpty
    file = new_file(tx, keyring, "application/octet-stream", now)
    for start in range(0, len(content), PIECE_BYTES):
        append_piece(tx, keyring, file, content[start : start + PIECE_BYTES])
    upload = RosterUpload(
        institution_id=institution.id,
        file_id=file.id,
        state=RosterState.CHECKING,
        rows=0,
        done=0,
        counts={},
        created_at=now,
    )
    tx.orm.add(upload)
    tx.orm.flush()
    note_change(tx, actor, KIND, f"{institution.slug}/{upload.id}", "uploaded", now)
    _put(tx, upload)
    return upload


def agree(tx: Transaction, institution: InstitutionFacts, upload_id: int, actor: Actor, now: datetime) -> RosterUpload:
    """Puts the job that imports it. Raises NotFound or RosterNotChecked."""
    upload = upload_with(tx, institution.id, upload_id, locks=True)
    if upload.state != RosterState.CHECKED:
        raise RosterNotChecked
    upload.state, upload.done = RosterState.IMPORTING, 0
    note_change(tx, actor, KIND, f"{institution.slug}/{upload.id}", "imported", now, after=upload.counts)
    _put(tx, upload)
    return upload


def upload_with(tx: Transaction, institution_id: int, upload_id: int, *, locks: bool = False) -> RosterUpload:
    """Of this institution. Raises NotFound."""
    query = select(RosterUpload).where(RosterUpload.id == upload_id, RosterUpload.institution_id == institution_id)
    found = tx.orm.scalars(query.with_for_update() if locks else query).one_or_none()
    if found is None:
        raise NotFound
    return found


def uploads_of(tx: Transaction, institution_id: int, *, before: int, limit: int) -> Sequence[RosterUpload]:
    """Newest first."""
    query = select(RosterUpload).where(RosterUpload.institution_id == institution_id, RosterUpload.id < before)
    return tx.orm.scalars(query.order_by(RosterUpload.id.desc()).limit(limit)).all()


def keep_report(
    tx: Transaction, upload: RosterUpload, report: Mapping[str, Any], secrets: Secrets, now: datetime
) -> None:
    """After a dry run somebody is asked, if any row can be imported. Otherwise, and after the import, the file goes."""
    counts = dict(report)
    rows = {name: counts.pop(name) for name in ("told", "ignored_columns")}
    upload.rows = upload.done = counts.pop("rows")
    is_dry_run, upload.counts = counts.pop("dry_run"), counts
    upload.sealed = secrets.seal(SEALED, json.dumps(rows, ensure_ascii=False).encode(), _sealing_context(upload))
    if is_dry_run and counts["refused"] < upload.rows:
        upload.state = RosterState.CHECKED
    else:
        upload.state, upload.ended_at = RosterState.REFUSED if is_dry_run else RosterState.DONE, now
        _drop_file(tx, upload)


def keep_fault(tx: Transaction, upload: RosterUpload, sentence: str, now: datetime) -> None:
    upload.state, upload.fault, upload.ended_at = RosterState.UNREADABLE, sentence[:300], now
    _drop_file(tx, upload)


def told_of(upload: RosterUpload, secrets: Secrets) -> dict[str, Any]:
    """The rows that need somebody (`told`), and the titles of columns that nobody reads."""
    if upload.sealed is None:
        return {"told": [], "ignored_columns": []}
    found: dict[str, Any] = json.loads(secrets.unseal(SEALED, upload.sealed, _sealing_context(upload)))
    return found


def forget_old_uploads(tx: Transaction, now: datetime) -> None:
    undecided = (RosterUpload.file_id.is_not(None), RosterUpload.created_at < now - UNDECIDED)
    for upload in tx.orm.scalars(select(RosterUpload).where(*undecided)):
        _drop_file(tx, upload)
        tx.orm.delete(upload)
    for upload in tx.orm.scalars(select(RosterUpload).where(RosterUpload.created_at < now - KEPT)):
        tx.orm.delete(upload)


def _put(tx: Transaction, upload: RosterUpload) -> None:
    put(tx, RUN, {"upload_id": upload.id}, key=f"{RUN}:{upload.id}:{upload.state}")


def _drop_file(tx: Transaction, upload: RosterUpload) -> None:
    file = tx.orm.get(KeptFile, upload.file_id) if upload.file_id is not None else None
    upload.file_id = None
    if file is not None:
        tx.orm.flush()
        delete_pieces(tx, file)
        tx.orm.delete(file)


def _sealing_context(upload: RosterUpload) -> str:
    return f"roster_upload:{upload.id}"
