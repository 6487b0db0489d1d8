"""What an operation on a record can ask for by type: the record, opened for this caller, its Health Card, and the model
that is named."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import Depends, Path

from ficha.audit.read_log import ReadLog
from ficha.core.errors import FichaError
from ficha.exchange.health_cards.issued import current_card
from ficha.fmd.access import OpenFmd, Quota, open_fmd
from ficha.fmd.base import FmdModel
from ficha.fmd.catalog import CATALOG
from ficha.fmd.responder.record_reader import opened_entries
from ficha.fmd.statements import sealed_entries
from ficha.http.dependencies import AboutRecordOf, Address, CurrentCaller, Db, Now, Parts, Reading
from ficha.http.record_schemas import ModelName

Code = Annotated[str, Path(description="Any live code of the record.", examples=["K7M2QX"])]


class ModelUnknown(FichaError):
    status = 404
    code = "modelo_desconocido"
    message = "La ficha no tiene un modelo con ese nombre."


def opened_fmd(db: Db, parts: Parts, caller: CurrentCaller, now: Now, address: Address, code: Code) -> OpenFmd:
    """The record of the code in the path. Its row is locked until the transaction ends, so that changes and log entries
    follow each other. Raises FmdNotFound."""
    quota = Quota(parts.settings.record_changes, parts.settings.record_bytes)
    return open_fmd(db, parts.keyring, caller, code, now, origin=address, quota=quota)


def answered_fmd(fmd: Annotated[OpenFmd, Depends(opened_fmd)], about_record_of: AboutRecordOf) -> OpenFmd:
    """The same, which the answer is about."""
    about_record_of(fmd.record.account_id)
    return fmd


@dataclass(frozen=True)
class ReadingFmd:
    """A record opened by somebody who only reads it: nothing is locked, and nobody who writes waits for it."""

    fmd: OpenFmd
    read_log: ReadLog

    def note(self, action: str, what: Sequence[str], now: datetime) -> None:
        """Writes the read down before it is answered. Raises ReadNotLogged."""
        fmd = self.fmd
        self.read_log.note(fmd.id, str(fmd.actor), action, what, now, via=fmd.via, origin=fmd.origin)


def read_fmd(
    reading: Reading, parts: Parts, caller: CurrentCaller, now: Now, address: Address, code: Code
) -> ReadingFmd:
    """The record of the code in the path, for reading. Raises FmdNotFound."""
    fmd = open_fmd(reading, parts.keyring, caller, code, now, origin=address, locks=False)
    return ReadingFmd(fmd, parts.read_log)


def signed_card(db: Db, fmd: Annotated[OpenFmd, Depends(opened_fmd)], parts: Parts, now: Now) -> str:
    """The newest Health Card if it says what the record says now, else a new one, which is issued. Raises
    MayNotManage."""
    settings = parts.settings
    documents = opened_entries(fmd.id, fmd.key, sealed_entries(db, fmd.id, None))
    return current_card(
        db,
        parts.keyring,
        parts.secrets,
        fmd,
        documents,
        now,
        issuer=settings.card_issuer,
        base_url=settings.public_url,
        days=settings.health_card_days,
    ).signed


def named_model(
    model: Annotated[ModelName, Path(description="One of the 17 names.", examples=["salud"])],
) -> type[FmdModel]:
    found = CATALOG.find(model)
    if found is None:
        raise ModelUnknown
    return found


ReadFmd = Annotated[ReadingFmd, Depends(read_fmd)]
CurrentFmd = Annotated[OpenFmd, Depends(answered_fmd)]
SignedCard = Annotated[str, Depends(signed_card)]
NamedModel = Annotated[type[FmdModel], Depends(named_model)]
