"""Projects, and signed links to them that end: whoever has the link reaches the project's own address, no other."""

import base64
import hashlib
import hmac
from datetime import UTC, datetime, timedelta
from functools import partial
from urllib.parse import quote, urlencode

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import String, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.administration.resources import (
    NAME,
    DeclaredResource,
    NotAName,
    ResourceRow,
    replace_row,
    rows_by_number,
)
from ficha.audit.log import Actor
from ficha.core.db import BigId
from ficha.core.errors import FichaError, NotFound
from ficha.core.secrets import Secrets
from ficha.core.text_types import Nombre, Paragraph, WebUrl
from ficha.core.transaction import Transaction

KEY = "project.links"


class Project(ResourceRow):
    __tablename__ = "projects"
    __table_args__ = ({"sqlite_autoincrement": True},)
    kind = "project"

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    slug: Mapped[str] = mapped_column(String(60), unique=True)
    name: Mapped[str] = mapped_column(String(120))
    description: Mapped[str | None] = mapped_column(String(2000))
    # Where its links lead, and nothing that a caller sends.
    url: Mapped[str] = mapped_column(String(2048))

    @property
    def resource_id(self) -> str:
        return self.slug


class ProjectFields(BaseModel):
    """The whole project: a field that is left out is empty afterwards."""

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    name: Nombre = Field(examples=["Campaña escolar 2026"])
    description: Paragraph | None = Field(None, examples=["Fichas para los alumnos de tercer año."])
    url: WebUrl = Field(description="Where its signed links lead.", examples=["https://ejemplo.com/campana"])
    is_active: bool = Field(True, description="Links of one that is not active lead nowhere.")


class LinkEnded(FichaError):
    status = 410
    code = "enlace_de_proyecto_vencido"
    message = "Este enlace ya venció. Pida otro a quien se lo dio."


def put_project(tx: Transaction, slug: str, fields: ProjectFields, actor: Actor, now: datetime) -> tuple[Project, bool]:
    """Makes or replaces it; says whether it is new. The same again changes nothing. Raises NotAName or NameTaken."""
    if not NAME.fullmatch(slug):
        raise NotAName
    found = project_named(tx, slug, locks=True)
    before = {} if found is None else {name: getattr(found, name) for name in ProjectFields.model_fields}
    return replace_row(tx, found or Project(slug=slug), before, fields.model_dump(), actor, now)


def project_named(tx: Transaction, slug: str, *, locks: bool = False) -> Project | None:
    """Active or not."""
    query = select(Project).where(Project.slug == slug)
    return tx.orm.scalars(query.with_for_update() if locks else query).one_or_none()


def project_with(tx: Transaction, slug: str) -> Project:
    """Active or not. Raises NotFound."""
    found = project_named(tx, slug)
    if found is None:
        raise NotFound
    return found


def access_link(secrets: Secrets, project: Project, base_url: str, now: datetime, minutes: int) -> tuple[str, datetime]:
    """The link, and when it ends, to the second. Raises NotFound for a project that is not active."""
    if not project.is_active:
        raise NotFound
    ends = datetime.fromtimestamp(int((now + timedelta(minutes=minutes)).timestamp()), UTC)
    expires = str(int(ends.timestamp()))
    asked = urlencode({"expires": expires, "signature": _signature(secrets, project.slug, expires)})
    return f"{base_url}/p/{quote(project.slug)}?{asked}", ends


def follow_link(tx: Transaction, secrets: Secrets, slug: str, expires: str, signature: str, now: datetime) -> str:
    """Where the link leads. Raises NotFound for one that we did not sign, whether or not the project exists, and
    LinkEnded."""
    is_ours = hmac.compare_digest(_signature(secrets, slug, expires).encode(), signature.encode("utf-8", "replace"))
    if not is_ours:
        raise NotFound
    if int(expires) <= now.timestamp():
        raise LinkEnded
    project = project_with(tx, slug)
    if not project.is_active:
        raise NotFound
    return project.url


def _signature(secrets: Secrets, slug: str, expires: str) -> str:
    digest = hmac.digest(secrets.derive(KEY), f"{slug}\n{expires}".encode("utf-8", "replace"), hashlib.sha256)
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


PROJECTS = DeclaredResource(
    Project,
    ProjectFields,
    key="slug",
    title="name",
    columns=("id", "name", "slug", "url", "is_active"),
    form={"slug": "code", "name": "text", "description": "paragraph", "url": "code", "is_active": "checkbox"},
    find=project_named,
    rows=partial(rows_by_number, Project, (Project.name, Project.slug)),
    put=put_project,
    answered=("name", "description", "url", "is_active", "updated_at"),
)
