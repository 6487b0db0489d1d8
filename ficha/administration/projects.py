"""Projects, and signed links to them that end: whoever has the link reaches the project's own address, no other."""

import base64
import hashlib
import hmac
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote, urlencode

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import String, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, mapped_column

from ficha.administration.admin_changes import note_change
from ficha.administration.numbered_rows import NAME, NameTaken, NotAName, has_letters
from ficha.audit.log import Actor
from ficha.core.db import Base, BigId, Utc
from ficha.core.errors import FichaError, NotFound
from ficha.core.secrets import Secrets
from ficha.core.text_types import Nombre
from ficha.core.transaction import Transaction
from ficha.core.web_values import Paragraph, WebUrl

KIND = "project"
KEY = "project.links"


class Project(Base):
    __tablename__ = "projects"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    slug: Mapped[str] = mapped_column(String(60), unique=True)
    name: Mapped[str] = mapped_column(String(120))
    description: Mapped[str | None] = mapped_column(String(2000))
    # Where its links lead, and nothing that a caller sends.
    url: Mapped[str] = mapped_column(String(2048))
    is_active: Mapped[bool]
    updated_at: Mapped[datetime] = mapped_column(Utc)


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
    found = tx.orm.scalars(select(Project).where(Project.slug == slug).with_for_update()).one_or_none()
    before, after = ({} if found is None else _values(found)), fields.model_dump()
    if found is not None and before == after:
        return found, False
    row = found or Project(slug=slug)
    for name, value in after.items():
        setattr(row, name, value)
    row.updated_at = now
    tx.orm.add(row)
    try:
        tx.orm.flush()
    except IntegrityError:
        raise NameTaken from None
    note_change(tx, actor, KIND, slug, "created" if found is None else "changed", now, before=before, after=after)
    return row, found is None


def project_with(tx: Transaction, slug: str) -> Project:
    """Active or not. Raises NotFound."""
    found = tx.orm.scalars(select(Project).where(Project.slug == slug)).one_or_none()
    if found is None:
        raise NotFound
    return found


def projects(tx: Transaction, *, after: int = 0, limit: int, search: str = "") -> Sequence[Project]:
    """By number, above `after`; with `search`, those with these letters in the name or the slug."""
    query = select(Project).where(Project.id > after)
    if search:
        query = query.where(has_letters(search, Project.name, Project.slug))
    return tx.orm.scalars(query.order_by(Project.id).limit(limit)).all()


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


def _values(row: Project) -> dict[str, Any]:
    return {name: getattr(row, name) for name in ProjectFields.model_fields}
