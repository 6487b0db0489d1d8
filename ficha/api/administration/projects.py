"""Projects: staff read them and give out signed links, administrators keep them."""

from typing import Annotated, Any

from fastapi import Path
from pydantic import Field

from ficha.administration.projects import PROJECTS, access_link, project_with
from ficha.api.administration.resources import ResourceOperations
from ficha.api.examples import answer_example, listing_example
from ficha.api.operations import Operations
from ficha.core.deferred_model import DeferredModel
from ficha.http.cursors import Cursor, PageSize, row_before
from ficha.http.dependencies import Now, Parts, Reading, Reply, Staff
from ficha.http.envelope import Answer, Listing, Moment

operations = Operations("administration", prefix="/projects")
NAME, NAMED_BY = "campana-escolar", "The project's short name."
resource = ResourceOperations(PROJECTS, "project", NAME, named_by=NAMED_BY, shown=("updated_at",))

Slug = Annotated[str, Path(alias="project", description=NAMED_BY, examples=[NAME])]


class AccessUrl(DeferredModel):
    url: str = Field(description="Whoever has it reaches the project until it ends.")
    expires_at: Moment


ACCESS_URL = {
    "url": "https://ficha.example/p/campana-escolar?expires=1794225600&signature=Zr8vQ2…",
    "expires_at": "2026-11-15T13:00:00+00:00",
}

resource.declare_put(operations)


@operations.get(
    "",
    "Projects",
    door="staff",
    seed="Projects",
    errors=(422,),
    example=listing_example([resource.example]),
    response_model=resource.listing,
)
def list_projects(
    reading: Reading, _caller: Staff, reply: Reply, cursor: Cursor = None, size: PageSize = 50
) -> Listing[Any]:
    """All of them, active or not."""
    found = PROJECTS.rows(reading, after=row_before(cursor, 0), limit=size + 1)
    return resource.listing_out(reply, found, size)


@operations.get(
    "/{project}",
    "Project",
    door="staff",
    seed="Project",
    errors=(404,),
    example=answer_example(resource.example),
    response_model=resource.answer,
)
def one_project(reading: Reading, _caller: Staff, reply: Reply, project: Slug) -> Answer[Any]:
    """One, active or not."""
    return reply(resource.resource_out(project_with(reading, project)))


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
