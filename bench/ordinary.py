"""The ordinary way: the same reads as most operations of the service are written, FastAPI with `def` and a session.

The rules are the service's own functions; only the fast lane is missing. The difference is what the lane saves.
"""

import os
from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Header, Request, Response
from pydantic import BaseModel
from sqlalchemy import select

from bench.floor import HEADERS, serve
from ficha.accounts.tokens import Caller, Unauthenticated, caller_with
from ficha.core.settings import Settings
from ficha.core.transaction import Transaction
from ficha.fmd.access import OpenFmd, RecordAccess, find_access, open_fmd
from ficha.fmd.catalog import CATALOG
from ficha.fmd.entries import Entry, open_document
from ficha.fmd.stored_documents import StoredDocument, stored_documents
from ficha.http.envelope import Answer, Listing, Moment, Reply, Resource
from ficha.parts import Parts, build_parts


class Exists(BaseModel):
    exists: bool


class RecordExists(Exists):
    models: list[str]


class Model(BaseModel):
    version: int
    updated_at: Moment
    data: dict[str, Any]


class Record(BaseModel):
    relacion: str
    template_type: str
    version: int
    models: dict[str, Model]


def parts_of(request: Request) -> Parts:
    found: Parts = request.app.state.parts
    return found


def reading(parts: Annotated[Parts, Depends(parts_of)]) -> Iterator[Transaction]:
    with parts.database.reading() as tx:
        yield tx


def writing(parts: Annotated[Parts, Depends(parts_of)]) -> Iterator[Transaction]:
    with parts.database.writing() as tx:
        yield tx


def caller_in(tx: Transaction, parts: Parts, authorization: str) -> Caller:
    now = parts.clock.now()
    caller = caller_with(tx, authorization.removeprefix("Bearer "), now, staff_second_factor=False)
    if caller is None:
        raise Unauthenticated
    parts.last_used.note(caller.token_id, now)
    return caller


def opened(tx: Transaction, parts: Parts, authorization: str, code: str, now: datetime) -> OpenFmd:
    caller = caller_in(tx, parts, authorization)
    return open_fmd(tx, parts.keyring, caller, code, now)


def access_of(tx: Transaction, parts: Parts, authorization: str, code: str) -> RecordAccess:
    caller = caller_in(tx, parts, authorization)
    return find_access(tx, caller.account_id, code, parts.clock.now())


def model_exists(
    parts: Annotated[Parts, Depends(parts_of)],
    tx: Annotated[Transaction, Depends(reading)],
    code: str,
    model: str,
    response: Response,
    authorization: Annotated[str, Header()],
) -> Answer[Exists]:
    access = access_of(tx, parts, authorization, code)
    entry = tx.orm.get(Entry, (access.record_id, model))
    _add_headers(response)
    return Reply(parts.settings, parts.clock.now())(Exists(exists=entry is not None and entry.has_data))


def one_model(
    parts: Annotated[Parts, Depends(parts_of)],
    tx: Annotated[Transaction, Depends(writing)],
    code: str,
    model: str,
    response: Response,
    authorization: Annotated[str, Header()],
) -> Answer[Resource[Model]]:
    """The read is logged in the same transaction, as `audit.note` does it everywhere else."""
    now = parts.clock.now()
    fmd = opened(tx, parts, authorization, code, now)
    entry = tx.orm.get_one(Entry, (fmd.id, model))
    document = open_document(fmd.key, fmd.id, model, entry.version, entry.sealed)
    fmd.note(tx, "record.read", [model], now)
    response.headers["ETag"] = f'"{model}-{entry.version}"'
    _add_headers(response)
    state = Model(version=entry.version, updated_at=entry.updated_at, data=document)
    return Reply(parts.settings, parts.clock.now())(Resource(type="fmd_model", id=model, attributes=state))


def record_exists(
    parts: Annotated[Parts, Depends(parts_of)],
    tx: Annotated[Transaction, Depends(reading)],
    code: str,
    response: Response,
    authorization: Annotated[str, Header()],
) -> Answer[RecordExists]:
    access = access_of(tx, parts, authorization, code)
    with_data = set(tx.orm.scalars(select(Entry.model).where(Entry.record_id == access.record_id, Entry.has_data)))
    _add_headers(response)
    models = [model.about.wire for model in CATALOG if model.about.wire in with_data]
    return Reply(parts.settings, parts.clock.now())(RecordExists(exists=bool(models), models=models))


def models(
    parts: Annotated[Parts, Depends(parts_of)],
    tx: Annotated[Transaction, Depends(writing)],
    code: str,
    names: str,
    response: Response,
    authorization: Annotated[str, Header()],
) -> Listing[Resource[Model]]:
    now = parts.clock.now()
    fmd = opened(tx, parts, authorization, code, now)
    wanted = names.split(",")
    found = stored_documents(tx, fmd.id, fmd.key, wanted)
    fmd.note(tx, "record.read", wanted, now)
    _add_headers(response)
    shown: list[Resource[Model]] = [
        Resource(type="fmd_model", id=name, attributes=_state(found[name])) for name in wanted
    ]
    return Reply(parts.settings, parts.clock.now()).listing(shown, len(shown), None)


def whole_record(
    parts: Annotated[Parts, Depends(parts_of)],
    tx: Annotated[Transaction, Depends(writing)],
    code: str,
    response: Response,
    authorization: Annotated[str, Header()],
) -> Answer[Resource[Record]]:
    now = parts.clock.now()
    fmd = opened(tx, parts, authorization, code, now)
    found = stored_documents(tx, fmd.id, fmd.key)
    fmd.note(tx, "record.read", sorted(found), now)
    response.headers["ETag"] = f'"r-{fmd.record.version}"'
    _add_headers(response)
    record = Record(
        relacion=fmd.record.relacion,
        template_type=fmd.record.template_type,
        version=fmd.record.version,
        models={model.about.wire: _state(found[model.about.wire]) for model in CATALOG if model.about.wire in found},
    )
    return Reply(parts.settings, parts.clock.now())(Resource(type="fmd", id=fmd.id, attributes=record))


def _state(entry: StoredDocument) -> Model:
    return Model(version=entry.version, updated_at=entry.updated_at, data=entry.document)


def _add_headers(response: Response) -> None:
    for name, value in HEADERS[1:]:
        response.headers[name.decode()] = value.decode()


def from_environment() -> FastAPI:
    app = FastAPI(openapi_url=None)
    app.state.parts = build_parts(Settings())
    app.add_api_route("/v2/fmd/{code}/exists", record_exists)
    app.add_api_route("/v2/fmd/{code}/models", models)
    app.add_api_route("/v2/fmd/{code}/{model}/exists", model_exists)
    app.add_api_route("/v2/fmd/{code}/{model}", one_model)
    app.add_api_route("/v2/fmd/{code}", whole_record)
    app.add_api_route("/health/ready", lambda: {})
    return app


if __name__ == "__main__":
    serve("bench.ordinary:from_environment", int(os.environ["FICHA_PORT"]))
