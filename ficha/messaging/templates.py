"""Our templates on the platform, stored here so that a message can be checked before it is queued."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import delete, select

from ficha.channels.messages import Template
from ficha.channels.templates import ButtonInfo, TemplateInfo, template_faults
from ficha.core.transaction import Transaction
from ficha.messaging.statements import template_facts
from ficha.messaging.tables import KnownTemplate

SYNC = "whatsapp.plantillas"


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
    facts = template_facts(tx, template.name, template.language)
    if facts is None:
        if tx.orm.scalar(select(KnownTemplate.name).limit(1)) is None:
            return []
        # Again: the first synchronisation may have happened between the two.
        facts = template_facts(tx, template.name, template.language)
    if facts is None:
        return [("/name", "La plataforma no conoce esa plantilla en ese idioma.")]
    buttons = [ButtonInfo(**button) for button in facts["buttons"]]
    return template_faults(TemplateInfo(**facts | {"buttons": buttons}), template)
