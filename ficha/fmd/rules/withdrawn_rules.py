"""Which stop signs and lines of advice administrators have withdrawn: the newest change of each says so.

Changes are only ever added. The number of the newest one names what was withdrawn in a moment: it is read with every
scan, and stands in the log of that scan.
"""

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import Index, String, func, select, text
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.db import Base, BigId, Utc
from ficha.core.prepared import Prepared
from ficha.core.transaction import Transaction

LONGEST_REASON = 500


class RuleKind(StrEnum):
    """A stop sign of signs.json, or a line of advice.json."""

    SIGN = "sign"
    ADVICE = "advice"


class RuleChange(Base):
    """A rule was withdrawn, or is shown again. Its number grows in the order in which changes are committed."""

    __tablename__ = "rule_changes"
    __table_args__ = (Index("ix_rule_changes_kind_rule", "kind", "rule"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    at: Mapped[datetime] = mapped_column(Utc)
    kind: Mapped[str] = mapped_column(String(10))
    rule: Mapped[str] = mapped_column(String(80))
    is_withdrawn: Mapped[bool]
    reason: Mapped[str] = mapped_column(String(LONGEST_REASON))
    actor: Mapped[str] = mapped_column(String(60))


class WithdrawnRules(NamedTuple):
    """The ids of what must not be shown, as of the change with this number; 0 before the first."""

    change_id: int = 0
    signs: frozenset[str] = frozenset()
    advice: frozenset[str] = frozenset()


NONE_WITHDRAWN = WithdrawnRules()

# For whoever reads something else anyway: the number of the newest change, one look at the end of the primary key.
NEWEST_CHANGE = select(func.max(RuleChange.id)).scalar_subquery()
# All of them: people made each by hand, so there are few.
SELECT_CHANGES = select(RuleChange.id, RuleChange.kind, RuleChange.rule, RuleChange.is_withdrawn).order_by(
    RuleChange.id
)
_CHANGES = Prepared(SELECT_CHANGES)


def withdrawn_rules(tx: Transaction) -> WithdrawnRules:
    return withdrawn_in(tx.all(_CHANGES))


def withdrawn_in(rows: Iterable[Any]) -> WithdrawnRules:
    """Of the rows of SELECT_CHANGES."""
    change_id, newest = 0, {}
    for change_id, kind, rule, is_withdrawn in rows:  # noqa: B007  The last number stays.
        newest[kind, rule] = bool(is_withdrawn)
    withdrawn = [one for one, is_withdrawn in newest.items() if is_withdrawn]
    return WithdrawnRules(
        change_id,
        frozenset(rule for kind, rule in withdrawn if kind == RuleKind.SIGN),
        frozenset(rule for kind, rule in withdrawn if kind == RuleKind.ADVICE),
    )


def changes_of(tx: Transaction, kind: RuleKind, rule: str) -> list[RuleChange]:
    """All changes of one rule, the oldest first."""
    query = select(RuleChange).where(RuleChange.kind == kind, RuleChange.rule == rule)
    return list(tx.orm.scalars(query.order_by(RuleChange.id)))


def add_change(tx: Transaction, change: RuleChange) -> bool:
    """False if the rule is in that state already. Until the transaction ends, nobody else can add one: whoever knows a
    number must know all below it, and PostgreSQL gives numbers out before it commits."""
    if not tx.is_sqlite:
        tx.orm.execute(text(f"LOCK TABLE {RuleChange.__tablename__} IN EXCLUSIVE MODE"))
    earlier = changes_of(tx, RuleKind(change.kind), change.rule)
    if change.is_withdrawn == bool(earlier and earlier[-1].is_withdrawn):
        return False
    tx.orm.add(change)
    tx.orm.flush()
    return True
