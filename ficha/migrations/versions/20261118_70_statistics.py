"""Figures of each day for the console, and the indices by which a day is counted."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261118_70"
down_revision = "20261118_110"
branch_labels = None
depends_on = None

SCANS = sa.text("action = 'record.read' AND via = 'tag'")
FAILED = sa.text("failed_at IS NOT NULL")


def upgrade() -> None:
    op.create_table(
        "statistic_days",
        sa.Column("day", sa.Date(), primary_key=True),
        sa.Column("alerts", sa.Integer(), nullable=False),
        sa.Column("answered", sa.Integer(), nullable=False),
        sa.Column("median_seconds", sa.Integer(), nullable=True),
        sa.Column("slow_seconds", sa.Integer(), nullable=True),
        sa.Column("scans", sa.Integer(), nullable=False),
        sa.Column("failed_messages", sa.Integer(), nullable=False),
        sa.Column("overdue_jobs", sa.Integer(), nullable=False, server_default=sa.text("0")),
        sa.Column("counted_at", Utc(), nullable=False),
    )
    op.create_table(
        "statistic_channels",
        sa.Column("day", sa.Date(), primary_key=True),
        sa.Column("channel", sa.String(10), primary_key=True),
        sa.Column("tried", sa.Integer(), nullable=False),
        sa.Column("delivered", sa.Integer(), nullable=False),
        sa.Column("answered", sa.Integer(), nullable=False),
    )
    op.create_index("ix_emergencies_opened_at", "emergencies", ["opened_at"])
    op.create_index("ix_audit_entries_scans", "audit_entries", ["at"], sqlite_where=SCANS, postgresql_where=SCANS)
    op.create_index("ix_messages_failed_at", "messages", ["failed_at"], sqlite_where=FAILED, postgresql_where=FAILED)
