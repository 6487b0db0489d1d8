"""Alerts that we accepted and that have left to nobody: what whoever runs the service must hear of first."""

from datetime import datetime
from typing import NamedTuple

from sqlalchemy import exists, func, select

from ficha.core.transaction import Transaction
from ficha.emergencies.emergency import Emergency, EmergencyState
from ficha.emergencies.steps import Step, StepState

LEFT = (StepState.ACCEPTED, StepState.SENT, StepState.DELIVERED, StepState.READ)


class UnsentAlerts(NamedTuple):
    number: int
    # When the oldest of them was accepted.
    since: datetime | None


def unsent_alerts(tx: Transaction) -> UnsentAlerts:
    """Without drills, and without those that staff looks after: one that is held back, or whose contacts are all
    tried."""
    has_left = exists().where(Step.emergency_id == Emergency.id, Step.state.in_(LEFT))
    waiting = select(func.count(), func.min(Emergency.opened_at)).where(
        Emergency.state == EmergencyState.OPEN, Emergency.is_drill.is_(False), Emergency.staff_at.is_(None), ~has_left
    )
    return UnsentAlerts(*tx.orm.execute(waiting).one())
