"""A plan that was asked for, whether somebody had her trial, and the payments that were told.

Who had a subscription had a trial. What is active without an end, because owners could make it so themselves, gets one
in a month: after that it is paid for, or given by staff.
"""

from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261118_35"
down_revision = "20261118_34"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("subscriptions", sa.Column("asked_plan", sa.String(40), nullable=True))
    op.add_column("subscriptions", sa.Column("trial_at", Utc(), nullable=True))
    table = sa.table(
        "subscriptions",
        sa.column("state", sa.String),
        sa.column("started_at", Utc()),
        sa.column("ends_at", Utc()),
        sa.column("trial_at", Utc()),
    )
    op.execute(table.update().values(trial_at=table.c.started_at))
    endless = sa.and_(table.c.state.in_(("active", "past_due")), table.c.ends_at.is_(None))
    op.execute(table.update().where(endless).values(ends_at=datetime.now(UTC) + timedelta(days=30)))
    op.create_table(
        "payments",
        sa.Column("id", sa.String(100), nullable=False),
        sa.Column("subscription_id", sa.BigInteger(), nullable=False),
        sa.Column("plan", sa.String(40), nullable=False),
        sa.Column("periods", sa.Integer(), nullable=False),
        sa.Column("received_at", Utc(), nullable=False),
        sa.Column("is_applied", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_payments"),
    )
