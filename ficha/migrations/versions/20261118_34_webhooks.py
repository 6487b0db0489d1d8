"""Webhooks: the addresses that events are told to, and what is delivered to each."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import BigId, Json, Utc

revision = "20261118_34"
down_revision = "20261118_20"
branch_labels = None
depends_on = None

PENDING = sa.text("state = 'pending'")


def upgrade() -> None:
    op.create_table(
        "webhooks",
        sa.Column("id", BigId, primary_key=True),
        sa.Column("institution_id", BigId, sa.ForeignKey("institutions.id", ondelete="CASCADE"), nullable=True),
        sa.Column("url", sa.String(500), nullable=False),
        sa.Column("kinds", Json(), nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("sealed_secret", sa.LargeBinary(), nullable=False),
        sa.Column("sealed_before", sa.LargeBinary(), nullable=True),
        sa.Column("before_until", Utc(), nullable=True),
        sa.Column("after_xid", sa.BigInteger(), nullable=False),
        sa.Column("after_id", BigId, nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("rests_until", Utc(), nullable=True),
        sa.Column("created_at", Utc(), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_webhooks_institution_id", "webhooks", ["institution_id"])
    op.create_table(
        "webhook_deliveries",
        sa.Column("id", BigId, primary_key=True),
        sa.Column("webhook_id", BigId, sa.ForeignKey("webhooks.id", ondelete="CASCADE"), nullable=False),
        sa.Column("kind", sa.String(40), nullable=False),
        sa.Column("at", Utc(), nullable=False),
        sa.Column("record_id", BigId, nullable=True),
        sa.Column("reference", sa.String(20), nullable=True),
        sa.Column("subject_id", BigId, nullable=True),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("next_at", Utc(), nullable=False),
        sa.Column("tried_until", Utc(), nullable=False),
        sa.Column("called_at", Utc(), nullable=True),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("fault", sa.String(20), nullable=True),
        sa.Column("milliseconds", sa.Integer(), nullable=True),
        sqlite_autoincrement=True,
    )
    table = "webhook_deliveries"
    op.create_index("ix_webhook_deliveries_webhook", table, ["webhook_id", "id"])
    op.create_index("ix_webhook_deliveries_record_id", table, ["record_id"])
    for name, columns in (("due", ["webhook_id", "next_at"]), ("order", ["webhook_id", "record_id", "id"])):
        op.create_index(f"ix_webhook_deliveries_{name}", table, columns, sqlite_where=PENDING, postgresql_where=PENDING)
