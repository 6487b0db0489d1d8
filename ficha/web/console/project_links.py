"""/admin/proyectos/{slug}/enlace: a signed link to a project, to be given to somebody."""

from typing import Annotated

from fastapi import Path
from starlette.requests import Request
from starlette.responses import Response

from ficha.administration.projects import access_link, project_with
from ficha.http.dependencies import Now, Reading
from ficha.http.dependencies import Parts as AskedParts
from ficha.web.console.door import StaffVisit
from ficha.web.console.frame import show_console, translate_for
from ficha.web.console.project_phrases import PROJECTS as PHRASES
from ficha.web.console.projects import PATH
from ficha.web.kit.signed_in import signed_in_routes
from ficha.web.kit.times import shown_time

routes = signed_in_routes()

SlugPath = Annotated[str, Path(alias="slug", max_length=60, pattern=r"^[a-z][a-z0-9_-]*$")]


@routes.page(PATH + "/{slug}/enlace")
def project_link(
    request: Request, reading: Reading, parts: AskedParts, visit: StaffVisit, now: Now, slug: SlugPath
) -> Response:
    project, settings = project_with(reading, slug), parts.settings
    url, ends = access_link(parts.secrets, project, settings.public_url, now, settings.project_link_minutes)
    t = translate_for(request, PHRASES)
    return show_console(
        request,
        visit,
        "console/project_link.html",
        "projects",
        PHRASES,
        title=t("link_to", name=project.name),
        url=url,
        how=t("link_how", until=shown_time(request, ends)),
        back=PATH,
    )
