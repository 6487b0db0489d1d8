"""What a message, a thread and a contact's answer have to remember to be right after a silence or in another order."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from ficha.core.db import Utc

revision = "20261116_45"
down_revision = "20261116_55"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("messages", sa.Column("repeated_at", Utc(), nullable=True))
    op.add_column("messages", sa.Column("is_said_once", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("messages", sa.Column("is_time_clamped", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("threads", sa.Column("opt_out_at", Utc(), nullable=True))
    op.add_column("notifications", sa.Column("kind", sa.String(length=40), nullable=True))
    op.create_index(
        "ix_notifications_kind",
        "notifications",
        ["id"],
        sqlite_where=sa.text("kind IS NOT NULL"),
        postgresql_where=sa.text("kind IS NOT NULL"),
    )
    op.add_column("emergency_contacts", sa.Column("phoned_at", Utc(), nullable=True))
    op.create_table(
        "hearing",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("silent_from", Utc(), nullable=False),
        sa.Column("since", Utc(), nullable=False),
        sa.Column("last_at", Utc(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_hearing"),
    )
    op.create_table(
        "platform_facts",
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("facts", sa.JSON().with_variant(JSONB(), "postgresql"), nullable=False),
        sa.Column("at", Utc(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_platform_facts"),
    )
