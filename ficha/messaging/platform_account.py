"""Our own account on the platform: what it tells about our numbers, the templates that we have there, and calls."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, cast

from sqlalchemy import String, Table, delete, select, update
from sqlalchemy.orm import Mapped, mapped_column

from ficha.channels.messages import AccountUpdate, IncomingCall, NotificationItem, Template, TemplateUpdate
from ficha.channels.templates import ButtonInfo, TemplateInfo, template_faults
from ficha.core.crypto import Keyring
from ficha.core.db import Base, Json, Utc, insert_new
from ficha.core.transaction import Transaction
from ficha.jobs.queue import put
from ficha.messaging.joined_threads import join_threads_of
from ficha.messaging.messages import MessageHooks
from ficha.messaging.notifications import possible_time
from ficha.messaging.statements import template_facts
from ficha.messaging.tables import KnownTemplate
from ficha.messaging.threads import Person, ThreadFinder, open_window


class PlatformFact(Base):
    """`name` says what about: `number:<id or number>`, `account`, `template:<name>:<language>`."""

    __tablename__ = "platform_facts"

    name: Mapped[str] = mapped_column(String(120), primary_key=True)
    facts: Mapped[dict[str, Any]] = mapped_column(Json)
    at: Mapped[datetime] = mapped_column(Utc)


def note_fact(tx: Transaction, name: str, facts: Mapping[str, Any], at: datetime) -> bool:
    """False if something newer is known."""
    row = {"name": name[:120], "facts": dict(facts), "at": at}
    if insert_new(tx, PlatformFact, [row], PlatformFact.name):
        return True
    table = cast(Table, PlatformFact.__table__)
    newer = update(table).where(table.c.name == row["name"], table.c.at <= at).values(facts=row["facts"], at=at)
    return tx.orm.execute(newer.returning(table.c.name)).first() is not None


def facts_about(tx: Transaction, prefix: str) -> dict[str, dict[str, Any]]:
    """By what stands after the prefix, with the time in `at`."""
    found = tx.orm.scalars(select(PlatformFact).where(PlatformFact.name.startswith(prefix, autoescape=True)))
    return {row.name.removeprefix(prefix): row.facts | {"at": row.at.isoformat()} for row in found}


def number_facts(tx: Transaction, number: str) -> dict[str, Any]:
    """What was last told of the quality and the limits of this number of ours, however it is written."""
    digits = "".join(letter for letter in number if letter.isdigit())
    return facts_about(tx, f"number:{digits}:").get("phone_number_quality_update", {})


def quality_by_number(tx: Transaction) -> dict[str, dict[str, Any]]:
    """For every number of ours that the platform told about."""
    found = facts_about(tx, "number:")
    return {name.partition(":")[0]: facts for name, facts in found.items() if name.endswith("quality_update")}


def word_in(facts: Mapping[str, Any], name: str) -> str | None:
    """The platform may write anything: only a text counts."""
    value = facts.get(name)
    return value if isinstance(value, str) else None


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


def apply_updates(
    tx: Transaction, keyring: Keyring, hooks: MessageHooks, items: Sequence[NotificationItem], now: datetime
) -> None:
    """Each says how things are since its own time: one that comes late or twice changes nothing."""
    for item in items:
        match item:
            case TemplateUpdate():
                _apply_template(tx, item, now)
            case AccountUpdate():
                note_fact(tx, item.name, item.facts, possible_time(item.at or now, now))
            case IncomingCall() if not item.is_test:
                _apply_call(tx, keyring, hooks, item, now)


def _apply_template(tx: Transaction, item: TemplateUpdate, now: datetime) -> None:
    name = f"template:{item.name}:{item.language}"
    if not note_fact(tx, name, {"status": item.status}, possible_time(item.at or now, now)):
        return
    if not set_template_status(tx, item.name, item.language, item.status):
        put(tx, SYNC, {}, key=f"{SYNC}:now")  # One that we have not seen yet.


def _apply_call(tx: Transaction, keyring: Keyring, hooks: MessageHooks, call: IncomingCall, now: datetime) -> None:
    """A call opens the 24 hours as a message does."""
    person = Person(call.author.wa_id, call.author.user_id)
    finder = ThreadFinder(tx, keyring, now)
    join_threads_of(tx, finder, call.phone_number_id, person, hooks)
    thread = finder.find_or_create(call.phone_number_id, [person])[person]
    at = possible_time(call.at, now)
    open_window(thread, at, now)
    for hook in hooks.called:
        hook(tx, thread, at, now)
