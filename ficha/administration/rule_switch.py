"""An administrator withdraws a stop sign or a line of advice, or has it shown again: at the next scan everywhere."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel

from ficha.administration.admin_changes import note_change
from ficha.audit.log import Actor
from ficha.core.errors import NotFound
from ficha.core.text_types import TextLimits
from ficha.core.transaction import Transaction
from ficha.fmd.rules.advice import all_advice
from ficha.fmd.rules.signs import all_signs
from ficha.fmd.rules.withdrawn_rules import LONGEST_REASON, RuleChange, RuleKind, add_change


class SwitchReason(BaseModel):
    """Why; never empty."""

    motivo: Annotated[str, TextLimits(LONGEST_REASON)]


def is_rule(kind: RuleKind, rule: str) -> bool:
    """Whether this version of the service has such a sign or line."""
    return rule in (all_signs() if kind is RuleKind.SIGN else all_advice())


def switch_rule(
    tx: Transaction, kind: RuleKind, rule: str, *, is_withdrawn: bool, why: SwitchReason, actor: Actor, now: datetime
) -> bool:
    """False if there was nothing to change. Raises NotFound for a rule that does not exist."""
    if not is_rule(kind, rule):
        raise NotFound
    change = RuleChange(
        at=now, kind=kind.value, rule=rule, is_withdrawn=is_withdrawn, reason=why.motivo, actor=str(actor)
    )
    if not add_change(tx, change):
        return False
    action = "withdrawn" if is_withdrawn else "restored"
    note_change(tx, actor, kind.value, rule, action, now, after={"reason": why.motivo, "change": change.id})
    return True
