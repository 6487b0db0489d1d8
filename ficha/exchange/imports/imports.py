"""What was brought from elsewhere for a record, and waits for her decision: kept for some days, then gone."""

import hmac
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import ForeignKey, Index, LargeBinary, delete, func, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.crypto import seal, unseal
from ficha.core.db import Base, BigId, Utc
from ficha.core.errors import FichaError, NotFound
from ficha.core.transaction import Transaction
from ficha.exchange.imports.content import ImportContent, KeptDocument, LeftOut, Proposal, Signature
from ficha.exchange.imports.documents import ReadDocument
from ficha.fmd.access import OpenFmd
from ficha.fmd.model_parts import Fuente
from ficha.fmd.records import Record

KEPT = timedelta(days=7)
MOST_AT_ONCE = 20


class Import(Base):
    __tablename__ = "imports"
    __table_args__ = (
        Index("ix_imports_record_digest", "record_id", "digest", unique=True),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    record_id: Mapped[int] = mapped_column(ForeignKey(Record.id))
    # Of what was sent, with the record's key: the same again is the same import.
    digest: Mapped[bytes] = mapped_column(LargeBinary(32))
    sealed: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(Utc, index=True)

    @property
    def ends_at(self) -> datetime:
        return self.created_at + KEPT


class TooManyImports(FichaError):
    status = 409
    code = "demasiadas_importaciones"
    message = f"Hay {MOST_AT_ONCE} documentos traídos en estos días. Espere a que caduque alguno."


def add_import(
    tx: Transaction, fmd: OpenFmd, sent: bytes, documents: Sequence[tuple[ReadDocument, Signature]]
) -> Import:
    """What was read, as proposals; the same file again is the import that it was, and so is a link that leads to the
    same again. The caller has locked the record. Raises MayNotManage or TooManyImports."""
    fmd.must_manage()
    content = content_of(documents)
    same = content.model_dump_json().encode() if any(one.host for one in content.documents) else sent
    tx.orm.execute(delete(Import).where(Import.record_id == fmd.id, Import.created_at <= tx.now() - KEPT))
    digest = hmac.digest(fmd.key, b"import:" + same, "sha256")
    is_of_record = Import.record_id == fmd.id
    found = tx.orm.scalars(select(Import).where(is_of_record, Import.digest == digest)).one_or_none()
    if found is not None:
        return found
    if (tx.orm.scalar(select(func.count()).where(is_of_record)) or 0) >= MOST_AT_ONCE:
        raise TooManyImports
    made = Import(record_id=fmd.id, digest=digest, sealed=b"", created_at=tx.now())
    tx.orm.add(made)
    tx.orm.flush()
    seal_content(made, fmd.key, content)
    fmd.note(tx, "import.proposed", models_in(made, fmd.key), tx.now())
    return made


def content_of(documents: Sequence[tuple[ReadDocument, Signature]]) -> ImportContent:
    content = ImportContent()
    for number, (document, signature) in enumerate(documents):
        content.documents.append(
            KeptDocument(
                title=document.title,
                authors=list(document.authors),
                date=document.date,
                name=document.person.get("nombre") or "",
                birth_date=document.person.get("fecha_nacimiento"),
                host=document.host,
                signature=signature,
                left_out=[LeftOut(what=one.what, why=one.why) for one in document.not_taken],
            )
        )
        for fact in document.facts:
            value = {name: part for name, part in fact.value.items() if name not in ("confirmado_en", "fuente")}
            stated = fact.value.get("fuente") if fact.field else None
            fuente = next((one for one in Fuente if one == stated), None)
            content.proposals.append(
                Proposal(
                    document=number,
                    model=fact.model,
                    field=fact.field,
                    value=value,
                    date=fact.value.get("confirmado_en") or document.date,
                    fuente=fuente,
                )
            )
    return content


def seal_content(found: Import, key: bytes, content: ImportContent) -> None:
    found.sealed = seal(key, content.model_dump_json(exclude_defaults=True).encode(), _sealing_context(found))


def opened_content(found: Import, key: bytes) -> ImportContent:
    return ImportContent.model_validate_json(unseal(key, found.sealed, _sealing_context(found)))


def models_in(found: Import, key: bytes) -> list[str]:
    return sorted({one.model for one in opened_content(found, key).proposals})


def import_with(tx: Transaction, fmd: OpenFmd, import_id: int) -> Import:
    """Raises MayNotManage, or NotFound also for another record's."""
    fmd.must_manage()
    found = tx.orm.scalars(select(Import).where(Import.id == import_id, Import.record_id == fmd.id)).one_or_none()
    if found is None or found.ends_at <= tx.now():
        raise NotFound
    return found


def imports_of(tx: Transaction, fmd: OpenFmd, *, before: int, limit: int) -> Sequence[Import]:
    """Newest first. Raises MayNotManage."""
    fmd.must_manage()
    is_live = (Import.record_id == fmd.id, Import.created_at > tx.now() - KEPT, Import.id < before)
    return tx.orm.scalars(select(Import).where(*is_live).order_by(Import.id.desc()).limit(limit)).all()


def forget_old_imports(tx: Transaction, now: datetime) -> None:
    tx.orm.execute(delete(Import).where(Import.created_at <= now - KEPT))


def erase_imports(tx: Transaction, record_id: int) -> None:
    tx.orm.execute(delete(Import).where(Import.record_id == record_id))


def _sealing_context(found: Import) -> str:
    return f"import:{found.record_id}:{found.id}"
