"""What the platform told us about our own account, numbers and templates: the newest of each."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

from sqlalchemy import String, Table, select, update
from sqlalchemy.orm import Mapped, mapped_column

from ficha.core.db import Base, Json, Utc, insert_new
from ficha.core.transaction import Transaction


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
