"""The operations of what administrators keep, made from its declaration: services, navigation buttons and projects."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Annotated, Any

from fastapi import Path, Query, Request, Response
from pydantic import Field, create_model

from ficha.administration.navigation_buttons import BUTTONS, active_navigation_button, navigation_buttons
from ficha.administration.projects import PROJECTS, access_link, project_with
from ficha.administration.resources import LARGEST, DeclaredResource
from ficha.administration.services import SERVICES, active_service
from ficha.api.examples import NOW_EXAMPLE, answer_example, created_example, listing_example
from ficha.api.operations import Operations
from ficha.core.db import Utc
from ficha.core.deferred_model import DeferredModel
from ficha.core.transaction import Transaction
from ficha.http.dependencies import (
    Admin,
    AskedPage,
    Db,
    Now,
    Page,
    Parts,
    Reading,
    Reply,
    Staff,
)
from ficha.http.envelope import Answer, Listing, Moment, Resource
from ficha.http.etags import NOT_MODIFIED, AlreadyThere, Caching, OnlyNew

NAMED_BY = "Its id or its external_id."


class ResourceOperations:
    """What the operations of one resource share. `name` is an example of what a path names one by."""

    def __init__(self, declared: DeclaredResource, noun: str, name: str | int, *, named_by: str = NAMED_BY) -> None:
        self.declared, self.noun, self.kind = declared, noun, declared.table.kind
        self.name_in_path: Any = Annotated[str, Path(alias=self.kind, description=named_by, examples=[name])]
        kinds = {column: _kind(declared, column) for column in declared.answered or declared.fields.model_fields}
        self.attributes = create_model(f"{declared.table.__name__}Attributes", __base__=DeferredModel, **kinds)
        # Types for FastAPI, which a type checker cannot follow.
        out: Any = Resource.__class_getitem__(self.attributes)
        self.answer, self.listing = Answer.__class_getitem__(out), Listing.__class_getitem__(out)
        values = {column: name if column == declared.key else _example(declared, column) for column in kinds}
        self.example = {"type": self.kind, "id": values.get("id", name), "attributes": values}

    def resource_out(self, row: Any, **known: Any) -> Resource[Any]:
        """What is `known` is told in the place of the column."""
        values = {name: known.get(name, getattr(row, name)) for name in self.attributes.model_fields}
        return Resource(type=self.kind, id=row.resource_id, attributes=self.attributes(**values))

    def listing_out(self, page: AskedPage, found: Sequence[Any]) -> Listing[Any]:
        return page.answer(found, self.resource_out, self.declared.cursor_of)

    def declare_put(self, operations: Operations, *, seed: str | None = None, tells_new: bool = False) -> None:
        """`tells_new`: whether what was made is answered with 201. What the first version had is answered with 200."""
        # Types that are known when the operation is declared, and that a type checker cannot follow.
        name_in_path, fields = self.name_in_path, self.declared.fields

        def put(
            db: Db,
            caller: Admin,
            now: Now,
            reply: Reply,
            request: Request,
            response: Response,
            only_new: OnlyNew,
            name: name_in_path,  # type: ignore[valid-type]
            body: fields,  # type: ignore[valid-type]
        ) -> Answer[Any]:
            if only_new and self.declared.find(db, name) is not None:
                raise AlreadyThere
            row, is_new = self.declared.put(db, name, body, caller.actor, now)
            if is_new and tells_new:
                response.headers["Location"] = request.url.path
                response.status_code = 201
                reply = replace(reply, status=201)
            return reply(self.resource_out(row))

        made = (
            "Makes the {noun} (201) or replaces all of it (200)."
            if tells_new
            else "Makes the {noun} or replaces all of it."
        )
        put.__doc__ = (
            f"{made.format(noun=self.noun)} The same again changes nothing. What is changed is noted,\n"
            "with what it was before."
        )
        operations.put(
            f"/{{{self.kind}}}",
            f"Put {self.kind.replace('_', ' ')}",
            callers="admin",
            seed=seed,
            errors=(409, 412, 415, 422),
            example=answer_example(self.example),
            responses=created_example(self.example) if tells_new else {},
            response_model=self.answer,
        )(put)

    def declare_public_read(self, operations: Operations, active: Callable[[Transaction, str], Any]) -> None:
        name_in_path = self.name_in_path

        @operations.get(
            f"/{{{self.kind}}}",
            self.kind.replace("_", " ").capitalize(),
            callers="public",
            errors=(404, 422),
            example=answer_example(self.example),
            responses=NOT_MODIFIED,
            response_model=self.answer,
        )
        def read(
            reading: Reading,
            reply: Reply,
            caching: Caching,
            name: name_in_path,  # type: ignore[valid-type]
        ) -> Response:
            """One that is active."""
            return caching.answer(reply(self.resource_out(active(reading, name))))


def _kind(declared: DeclaredResource, name: str) -> Any:
    """The type of a column and what is said of it, as an answer tells it."""
    column = declared.table.__table__.columns[name]
    kind: Any = column.info.get("kind") or (Moment if isinstance(column.type, Utc) else column.type.python_type)
    return (kind | None if column.nullable else kind, Field(description=column.doc))


def _example(declared: DeclaredResource, name: str) -> Any:
    field = declared.fields.model_fields.get(name)
    if field is None:
        return NOW_EXAMPLE
    return field.examples[0] if field.examples else field.default


services = Operations("administration", prefix="/services")
SERVICE = ResourceOperations(SERVICES, "service", "ambulancias")
SERVICE.declare_put(services, seed="Put service")


@services.get(
    "",
    "Services",
    callers="public",
    seed="Services",
    errors=(422,),
    example=listing_example([SERVICE.example]),
    responses=NOT_MODIFIED,
    response_model=SERVICE.listing,
)
def list_services(reading: Reading, page: Page, caching: Caching) -> Response:
    """The active ones, by their number."""
    found = SERVICES.rows(reading, after=page.start(0), limit=page.limit, only_active=True)
    return caching.answer(SERVICE.listing_out(page, found))


SERVICE.declare_public_read(services, active_service)

buttons = Operations("administration", prefix="/navigation-buttons")
BUTTON = ResourceOperations(BUTTONS, "button", "pedir-ambulancia")
BUTTON.declare_put(buttons, seed="Put navigation button")


@buttons.get(
    "",
    "Navigation Buttons",
    callers="public",
    seed="Navigation Buttons",
    errors=(422,),
    example=listing_example([BUTTON.example]),
    responses=NOT_MODIFIED,
    response_model=BUTTON.listing,
)
def list_buttons(
    reading: Reading,
    page: Page,
    caching: Caching,
    service_id: Annotated[int | None, Query(ge=1, le=LARGEST, description="Only those of this service.")] = None,
) -> Response:
    """The active ones of active services, and those of none, by position."""
    after = page.start(0)
    found = navigation_buttons(reading, after=after, limit=page.limit, only_active=True, service_id=service_id)
    return caching.answer(BUTTON.listing_out(page, found))


BUTTON.declare_public_read(buttons, active_navigation_button)

projects = Operations("administration", prefix="/projects")
NAME, PROJECT_NAMED_BY = "campana-escolar", "The project's short name."
PROJECT = ResourceOperations(PROJECTS, "project", NAME, named_by=PROJECT_NAMED_BY)
PROJECT.declare_put(projects, tells_new=True)
ProjectSlug = Annotated[str, Path(alias="project", description=PROJECT_NAMED_BY, examples=[NAME])]


class AccessUrl(DeferredModel):
    url: str = Field(description="Whoever has it reaches the project until it ends.")
    expires_at: Moment


ACCESS_URL = {
    "url": "https://ficha.example/p/campana-escolar?expires=1794225600&signature=Zr8vQ2…",
    "expires_at": "2026-11-15T13:00:00+00:00",
}


@projects.get(
    "",
    "Projects",
    callers="staff",
    seed="Projects",
    errors=(422,),
    example=listing_example([PROJECT.example]),
    response_model=PROJECT.listing,
)
def list_projects(reading: Reading, _caller: Staff, page: Page) -> Listing[Any]:
    """All of them, active or not, the oldest first."""
    return PROJECT.listing_out(page, PROJECTS.rows(reading, after=page.start(0), limit=page.limit))


@projects.get(
    "/{project}",
    "Project",
    callers="staff",
    seed="Project",
    errors=(404,),
    example=answer_example(PROJECT.example),
    response_model=PROJECT.answer,
)
def one_project(reading: Reading, _caller: Staff, reply: Reply, project: ProjectSlug) -> Answer[Any]:
    """One, active or not."""
    return reply(PROJECT.resource_out(project_with(reading, project)))


@projects.get(
    "/{project}/access-url",
    "Project access URL",
    callers="staff",
    seed="Project access URL",
    errors=(404,),
    example=answer_example(ACCESS_URL),
)
def access_url(
    reading: Reading, parts: Parts, _caller: Staff, now: Now, reply: Reply, project: ProjectSlug
) -> "Answer[AccessUrl]":
    """A signed link that leads to an active project's address until it ends (`FICHA_PROJECT_LINK_MINUTES`)."""
    settings = parts.settings
    found = project_with(reading, project)
    url, ends = access_link(parts.secrets, found, settings.public_url, now, settings.project_link_minutes)
    return reply(AccessUrl(url=url, expires_at=ends))
