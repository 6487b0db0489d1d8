"""Projects: staff read them and give out signed links, administrators keep them."""

from dataclasses import replace
from typing import Annotated

from fastapi import Path, Response
from pydantic import Field

from ficha.administration.projects import (
    Project,
    ProjectFields,
    access_link,
    project_with,
    projects,
    put_project,
)
from ficha.api.examples import answer_example, listing_example
from ficha.api.operations import Operations
from ficha.audit.log import Actor
from ficha.core.deferred_model import DeferredModel
from ficha.core.errors import GOOD_TITLES
from ficha.http.cursors import Cursor, PageSize, next_cursor, row_before
from ficha.http.dependencies import Admin, Db, Now, Parts, Reading, Reply, Staff
from ficha.http.envelope import Answer, Listing, Moment, Resource

operations = Operations("administration", prefix="/projects")

Slug = Annotated[str, Path(alias="project", description="The project's short name.", examples=["campana-escolar"])]


class ProjectAttributes(DeferredModel):
    name: str
    description: str | None
    url: str
    is_active: bool
    updated_at: Moment


class AccessUrl(DeferredModel):
    url: str = Field(description="Whoever has it reaches the project until it ends.")
    expires_at: Moment


ProjectOut = Resource[ProjectAttributes]
EXAMPLE = {
    "type": "project",
    "id": "campana-escolar",
    "attributes": {
        "name": "Campaña escolar 2026",
        "description": "Fichas para los alumnos de tercer año.",
        "url": "https://ejemplo.com/campana",
        "is_active": True,
        "updated_at": "2026-11-15T12:00:00+00:00",
    },
}
ACCESS_URL = {
    "url": "https://ficha.example/p/campana-escolar?expires=1794225600&signature=Zr8vQ2…",
    "expires_at": "2026-11-15T13:00:00+00:00",
}


@operations.put(
    "/{project}",
    "Put project",
    door="admin",
    errors=(409, 415, 422),
    example=answer_example(EXAMPLE),
    responses={
        201: {
            "description": GOOD_TITLES[201],
            "content": {"application/json": {"example": answer_example(EXAMPLE, 201)}},
        }
    },
)
def put(
    db: Db, caller: Admin, now: Now, reply: Reply, response: Response, project: Slug, body: ProjectFields
) -> "Answer[ProjectOut]":
    """Makes the project (201) or replaces all of it (200). The same again changes nothing. What is changed is noted,
    with what it was before."""
    row, is_new = put_project(db, project, body, Actor("account", caller.account_id), now)
    if is_new:
        response.status_code = 201
        reply = replace(reply, status=201)
    return reply(_project_out(row))


@operations.get("", "Projects", door="staff", seed="Projects", errors=(422,), example=listing_example([EXAMPLE]))
def list_projects(
    reading: Reading, _caller: Staff, reply: Reply, cursor: Cursor = None, size: PageSize = 50
) -> "Listing[ProjectOut]":
    """All of them, active or not."""
    found = projects(reading, after=row_before(cursor, 0), limit=size + 1)
    following = next_cursor(found, size, lambda row: row.id)
    return reply.listing([_project_out(row) for row in found[:size]], size, following)


@operations.get("/{project}", "Project", door="staff", seed="Project", errors=(404,), example=answer_example(EXAMPLE))
def one_project(reading: Reading, _caller: Staff, reply: Reply, project: Slug) -> "Answer[ProjectOut]":
    """One, active or not."""
    return reply(_project_out(project_with(reading, project)))


@operations.get(
    "/{project}/access-url",
    "Project access URL",
    door="staff",
    seed="Project access URL",
    errors=(404,),
    example=answer_example(ACCESS_URL),
)
def access_url(
    reading: Reading, parts: Parts, _caller: Staff, now: Now, reply: Reply, project: Slug
) -> "Answer[AccessUrl]":
    """A signed link that leads to an active project's address until it ends (`FICHA_PROJECT_LINK_MINUTES`)."""
    settings = parts.settings
    found = project_with(reading, project)
    url, ends = access_link(parts.secrets, found, settings.public_url, now, settings.project_link_minutes)
    return reply(AccessUrl(url=url, expires_at=ends))


def _project_out(row: Project) -> ProjectOut:
    return Resource(
        type="project",
        id=row.slug,
        attributes=ProjectAttributes(
            name=row.name, description=row.description, url=row.url, is_active=row.is_active, updated_at=row.updated_at
        ),
    )
