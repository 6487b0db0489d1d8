"""What each number and mailbox was sent by which record, and whether its person agreed."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261116_13"
down_revision = "20261116_12"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = Utc()


def upgrade() -> None:
    op.add_column("emergency_steps", sa.Column("is_question", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.create_table(
        "alert_targets",
        sa.Column("record_id", BIG_ID, nullable=False),
        sa.Column("target", sa.LargeBinary(length=32), nullable=False),
        sa.Column("emergency_id", BIG_ID, nullable=False),
        sa.Column("contact_id", sa.String(length=8), nullable=False),
        sa.Column("channel", sa.String(length=10), nullable=False),
        sa.Column("alerted_at", TIME, nullable=False),
        sa.Column("asked_at", TIME, nullable=True),
        sa.Column("confirmed_at", TIME, nullable=True),
        sa.Column("refused_at", TIME, nullable=True),
        sa.PrimaryKeyConstraint("record_id", "target", name="pk_alert_targets"),
    )
    op.create_index("ix_alert_targets_target", "alert_targets", ["target"])
    op.create_index("ix_alert_targets_emergency_id", "alert_targets", ["emergency_id"])
