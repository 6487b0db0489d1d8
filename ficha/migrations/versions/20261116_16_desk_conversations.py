"""The conversations at the help desk, and how far each was carried there and back."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261116_16"
down_revision = "20261116_15"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "desk_conversations",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("thread_id", BIG_ID, nullable=True),
        sa.Column("emergency_id", BIG_ID, nullable=True),
        sa.Column("source_id", sa.String(length=40), nullable=False),
        sa.Column("conversation_id", BIG_ID, nullable=True),
        sa.Column("sent_id", BIG_ID, nullable=False),
        sa.Column("read_id", BIG_ID, nullable=False),
        sa.Column("reply_id", BIG_ID, nullable=True),
        sa.Column("is_resolved", sa.Boolean(), nullable=False),
        sa.Column("busy_until", Utc(), nullable=True),
        sa.Column("created_at", Utc(), nullable=False),
        sa.ForeignKeyConstraint(
            ["thread_id"], ["threads.id"], name="fk_desk_conversations_thread_id_threads", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_desk_conversations"),
        sa.UniqueConstraint("thread_id", name="uq_desk_conversations_thread_id"),
        sa.UniqueConstraint("emergency_id", name="uq_desk_conversations_emergency_id"),
        sa.UniqueConstraint("source_id", name="uq_desk_conversations_source_id"),
        sa.UniqueConstraint("conversation_id", name="uq_desk_conversations_conversation_id"),
        sqlite_autoincrement=True,
    )
