"""The templates the platform knows for us, kept here so that a message can be checked before it is put aside."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import String, delete, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from ficha.channels.messages import Template
from ficha.channels.templates import ButtonInfo, TemplateInfo, template_faults
from ficha.core.db import Base, Json, Utc

SYNC = "whatsapp.plantillas"


class KnownTemplate(Base):
    __tablename__ = "known_templates"

    name: Mapped[str] = mapped_column(String(512), primary_key=True)
    language: Mapped[str] = mapped_column(String(20), primary_key=True)
    facts: Mapped[dict[str, Any]] = mapped_column(Json)
    seen_at: Mapped[datetime] = mapped_column(Utc)


def remember(session: Session, found: Sequence[TemplateInfo], now: datetime) -> None:
    """What the platform lists is all there is."""
    session.execute(delete(KnownTemplate))
    session.add_all(
        KnownTemplate(name=info.name, language=info.language, facts=asdict(info), seen_at=now) for info in found
    )


def faults_of(session: Session, template: Template) -> list[tuple[str, str]]:
    """Where it does not fit: pointer and sentence. Before the platform was ever asked, nothing is known to be wrong."""
    # In this order: the platform may be asked for the first time while we look.
    if session.scalar(select(KnownTemplate.name).limit(1)) is None:
        return []
    known = session.get(KnownTemplate, (template.name, template.language))
    if known is None:
        return [("/name", "La plataforma no conoce esa plantilla en ese idioma.")]
    buttons = [ButtonInfo(**button) for button in known.facts["buttons"]]
    return template_faults(TemplateInfo(**known.facts | {"buttons": buttons}), template)
