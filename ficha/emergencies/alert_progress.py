"""How far the alert has come, for whoever stands beside the person: facts without words, newest first."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Select, select
from sqlalchemy.orm import Session

from ficha.emergencies.contacts import contacts_in
from ficha.emergencies.emergency import LIVE, Emergency
from ficha.emergencies.ladder import STAFF_CHANNEL
from ficha.emergencies.steps import CalledContact, ContactAnswer, Step, StepState, called_in, steps_of
from ficha.fmd.base import Door
from ficha.fmd.consent import visible_documents
from ficha.fmd.readable_documents import documents_of


class News(StrEnum):
    """`tried`: on its way, nothing heard yet. `silent`: that way failed or does not exist for this contact."""

    OPENED = "opened"
    TRIED = "tried"
    SENT = "sent"
    DELIVERED = "delivered"
    READ = "read"
    SILENT = "silent"
    COMING = "coming"
    CANNOT = "cannot"
    STAFF = "staff"
    ACKNOWLEDGED = "acknowledged"
    RESOLVED = "resolved"
    CANCELED = "canceled"


@dataclass(frozen=True)
class LiveLine:
    """`relation` and `name` are empty where the owner hides that contact from strangers, and where there is none."""

    kind: News
    at: datetime
    seconds: int
    relation: str = ""
    name: str = ""
    channel: str = ""


def select_current_emergency(record_id: int | ColumnElement[int]) -> Select[Emergency]:
    """The one under way, which a new scan might join."""
    return select(Emergency).where(Emergency.current_record_id == record_id, Emergency.state.in_(LIVE))


def current_emergency(session: Session, record_id: int) -> Emergency | None:
    return session.scalars(select_current_emergency(record_id)).one_or_none()


def live_lines(
    session: Session,
    key: bytes,
    emergency: Emergency,
    now: datetime,
    documents: Mapping[str, Any] | None = None,
) -> list[LiveLine]:
    """`documents` are the record's, where the caller has read them already: at least the contacts and the consent."""
    if documents is None:
        documents = documents_of(session, emergency.record_id, key, ["emergencia", "consentimiento"])
    shown = {
        contact.id: (contact.relacion, contact.nombre)
        for contact in contacts_in(visible_documents(documents, Door.R).get("emergencia"))
    }
    found = [LiveLine(News.OPENED, emergency.opened_at, 0)]
    for step in steps_of(session, emergency.id):
        kind, at = _news(step)
        relation, name = shown.get(step.contact_id or "", ("", ""))
        found.append(LiveLine(kind, at, 0, relation, name, "" if kind is News.STAFF else step.channel))
    for called in called_in(session, emergency.id).values():
        if called.answer is not None and called.answered_at is not None:
            relation, name = shown.get(called.contact_id, ("", ""))
            found.append(LiveLine(_answer(called), called.answered_at, 0, relation, name))
    found += [LiveLine(kind, at, 0) for kind, at in _ends(emergency)]
    aged = [
        LiveLine(
            line.kind, line.at, max(0, int((now - line.at).total_seconds())), line.relation, line.name, line.channel
        )
        for line in found
    ]
    # What happened in one second stays in the order in which it must have.
    return sorted(aged, key=lambda line: line.at)[::-1]


def _news(step: Step) -> tuple[News, datetime]:
    if step.channel == STAFF_CHANNEL:
        return News.STAFF, step.started_at
    match StepState(step.state):
        case StepState.READ:
            return News.READ, step.read_at or step.started_at
        case StepState.DELIVERED:
            return News.DELIVERED, step.delivered_at or step.started_at
        case StepState.ACCEPTED | StepState.SENT:
            return News.SENT, step.sent_at or step.started_at
        case StepState.FAILED | StepState.SKIPPED:
            return News.SILENT, step.ended_at or step.started_at
        case _:
            return News.TRIED, step.started_at


def _answer(called: CalledContact) -> News:
    return News.COMING if called.answer == ContactAnswer.VOY else News.CANNOT


def _ends(emergency: Emergency) -> list[tuple[News, datetime]]:
    """An acknowledgement by a contact has its own line already."""
    by_contact = (emergency.acknowledged_by or "").startswith("contact:")
    ends = [
        (News.ACKNOWLEDGED, None if by_contact else emergency.acknowledged_at),
        (News.RESOLVED, emergency.resolved_at),
        (News.CANCELED, emergency.canceled_at),
    ]
    return [(kind, at) for kind, at in ends if at is not None]
