"""The keys that sign Health Cards: what of them is public, and the wrapped private half while they sign."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261118_60"
down_revision = "20261118_51"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "issuer_keys",
        sa.Column("kid", sa.String(43), nullable=False),
        sa.Column("x", sa.String(43), nullable=False),
        sa.Column("y", sa.String(43), nullable=False),
        sa.Column("created_at", Utc(), nullable=False),
        sa.Column("withdrawn_at", Utc(), nullable=True),
        sa.Column("key_id", sa.String(64), nullable=True),
        sa.Column("wrapped_key", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("kid", name="pk_issuer_keys"),
    )
    op.create_index("ix_issuer_keys_key_id", "issuer_keys", ["key_id"])
