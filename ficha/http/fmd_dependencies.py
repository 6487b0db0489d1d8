"""What an operation on a record can ask for by type: the record, opened for this caller, and the model it names."""

from typing import Annotated

from fastapi import Depends, Path

from ficha.core.errors import FichaError
from ficha.fmd.access import OpenFmd, open_fmd
from ficha.fmd.base import FmdModel
from ficha.fmd.catalog import CATALOG
from ficha.http.dependencies import Address, CurrentCaller, Db, Now, Parts

Code = Annotated[str, Path(description="Any live code of the record.", examples=["K7M2QX"])]


class ModelUnknown(FichaError):
    status = 404
    code = "modelo_desconocido"
    message = "La ficha no tiene un modelo con ese nombre."


def opened_fmd(db: Db, parts: Parts, caller: CurrentCaller, now: Now, address: Address, code: Code) -> OpenFmd:
    """The record of the code in the path. Its row is locked until the transaction ends, so that changes and log entries
    follow each other. Raises FmdNotFound."""
    return open_fmd(db, parts.keyring, caller, code, now, origin=address)


def named_model(model: Annotated[str, Path(description="One of the 17 names.", examples=["salud"])]) -> type[FmdModel]:
    found = CATALOG.find(model)
    if found is None:
        raise ModelUnknown
    return found


def write_pending_reads(parts: Parts) -> None:
    """Reads of a moment ago get into the log before it is shown. Runs before the record is opened and locked."""
    parts.read_log.drain()


PendingReadsWritten = Depends(write_pending_reads)
CurrentFmd = Annotated[OpenFmd, Depends(opened_fmd)]
NamedModel = Annotated[type[FmdModel], Depends(named_model)]
