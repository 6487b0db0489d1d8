"""The operations of what administrators keep, made from its declaration."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any

from fastapi import Path, Response
from pydantic import create_model

from ficha.administration.resources import DeclaredResource, ResourceRow
from ficha.api.examples import NOW_EXAMPLE, answer_example, created_example
from ficha.api.operations import Operations
from ficha.audit.log import Actor
from ficha.core.db import Utc
from ficha.core.deferred_model import DeferredModel
from ficha.core.transaction import Transaction
from ficha.http.cursors import next_cursor
from ficha.http.dependencies import Admin, Db, Now, Reading, Reply
from ficha.http.envelope import Answer, Listing, Moment, Resource
from ficha.http.etags import NOT_MODIFIED, IfNoneMatch, cacheable

NAMED_BY = "Its id or its external_id."


class ResourceOperations:
    """What the operations of one resource share. `name` is an example of what a path names one by; `shown` are columns
    that an answer has besides the fields that a caller sends."""

    def __init__(
        self, declared: DeclaredResource, noun: str, name: str, *, named_by: str = NAMED_BY, shown: Sequence[str] = ()
    ) -> None:
        self.declared, self.noun, self.kind = declared, noun, declared.table.kind
        self.name_in_path = Annotated[str, Path(alias=self.kind, description=named_by, examples=[name])]
        kinds = {column: _kind(declared, column) for column in (*declared.fields.model_fields, *shown)}
        self.attributes = create_model(f"{declared.table.__name__}Attributes", __base__=DeferredModel, **kinds)
        # Types for FastAPI, which a type checker cannot follow.
        out: Any = Resource.__class_getitem__(self.attributes)
        self.answer, self.listing = Answer.__class_getitem__(out), Listing.__class_getitem__(out)
        values = {column: name if column == declared.key else _example(declared, column) for column in kinds}
        self.example = {"type": self.kind, "id": values.get("id", name), "attributes": values}

    def resource_out(self, row: ResourceRow) -> Resource[Any]:
        values = {name: getattr(row, name) for name in self.attributes.model_fields}
        return Resource(type=self.kind, id=row.resource_id, attributes=self.attributes(**values))

    def listing_out(self, reply: Reply, found: Sequence[ResourceRow], size: int) -> Listing[Any]:
        """A page of `size`; `found` has one more if another follows."""
        following = next_cursor(found, size, self.declared.place)
        return reply.listing([self.resource_out(row) for row in found[:size]], size, following)

    def declare_put(self, operations: Operations, *, seed: str | None = None) -> None:
        def put(db: Db, caller: Admin, now: Now, reply: Reply, response: Response, name: str, body: Any) -> Answer[Any]:
            row, is_new = self.declared.put(db, name, body, Actor("account", caller.account_id), now)
            if is_new:
                response.status_code = 201
                reply = replace(reply, status=201)
            return reply(self.resource_out(row))

        put.__annotations__ |= {"name": self.name_in_path, "body": self.declared.fields}
        put.__doc__ = (
            f"Makes the {self.noun} (201) or replaces all of it (200). The same again changes nothing. "
            "What is changed is noted,\nwith what it was before."
        )
        operations.put(
            f"/{{{self.kind}}}",
            f"Put {self.kind.replace('_', ' ')}",
            door="admin",
            seed=seed,
            errors=(409, 415, 422),
            example=answer_example(self.example),
            responses=created_example(self.example),
            response_model=self.answer,
        )(put)

    def declare_public_read(self, operations: Operations, active: Callable[[Transaction, str], ResourceRow]) -> None:
        def read(reading: Reading, reply: Reply, name: str, if_none_match: IfNoneMatch = None) -> Response:
            """One that is active."""
            return cacheable(reply(self.resource_out(active(reading, name))), if_none_match)

        read.__annotations__["name"] = self.name_in_path
        operations.get(
            f"/{{{self.kind}}}",
            self.kind.replace("_", " ").capitalize(),
            door="public",
            errors=(404, 422),
            example=answer_example(self.example),
            responses=NOT_MODIFIED,
            response_model=self.answer,
        )(read)


def _kind(declared: DeclaredResource, name: str) -> Any:
    """The type of a column, as an answer tells it."""
    column = declared.table.__table__.columns[name]
    kind: Any = Moment if isinstance(column.type, Utc) else column.type.python_type
    return (kind | None if column.nullable else kind, ...)


def _example(declared: DeclaredResource, name: str) -> Any:
    field = declared.fields.model_fields.get(name)
    if field is None:
        return NOW_EXAMPLE
    return field.examples[0] if field.examples else field.default
