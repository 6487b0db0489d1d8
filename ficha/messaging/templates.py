"""Our templates on the platform, stored here so that a message can be checked before it is queued."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import String, bindparam, delete, select
from sqlalchemy.orm import Mapped, mapped_column

from ficha.channels.messages import Template
from ficha.channels.templates import ButtonInfo, TemplateInfo, template_faults
from ficha.core.db import Base, Json, Utc
from ficha.core.prepared import Prepared
from ficha.core.transaction import Transaction

SYNC = "whatsapp.plantillas"


class KnownTemplate(Base):
    __tablename__ = "known_templates"

    name: Mapped[str] = mapped_column(String(512), primary_key=True)
    language: Mapped[str] = mapped_column(String(20), primary_key=True)
    facts: Mapped[dict[str, Any]] = mapped_column(Json)
    seen_at: Mapped[datetime] = mapped_column(Utc)


FIND = Prepared(
    select(KnownTemplate.facts).where(
        KnownTemplate.name == bindparam("template"), KnownTemplate.language == bindparam("spoken")
    )
)
ANY = Prepared(select(KnownTemplate.name).limit(1))


def save_templates(tx: Transaction, found: Sequence[TemplateInfo], now: datetime) -> None:
    """Replaces all stored templates by these."""
    tx.orm.execute(delete(KnownTemplate))
    tx.orm.add_all(
        KnownTemplate(name=info.name, language=info.language, facts=asdict(info), seen_at=now) for info in found
    )


def set_template_status(tx: Transaction, name: str, language: str, status: str) -> bool:
    """False if we do not know the template."""
    known = tx.orm.get(KnownTemplate, (name, language), with_for_update=True)
    if known is not None:
        known.facts = known.facts | {"status": status}
    return known is not None


def faults_of(tx: Transaction, template: Template) -> list[tuple[str, str]]:
    """Why the platform would refuse the template: pointer and sentence. Empty before the first synchronisation."""
    asked = {"template": template.name, "spoken": template.language}
    known = tx.first(FIND, **asked)
    if known is None:
        if tx.first(ANY) is None:
            return []
        known = tx.first(FIND, **asked)  # Again: the first synchronisation may have happened between the two.
    if known is None:
        return [("/name", "La plataforma no conoce esa plantilla en ese idioma.")]
    buttons = [ButtonInfo(**button) for button in known.facts["buttons"]]
    return template_faults(TemplateInfo(**known.facts | {"buttons": buttons}), template)
