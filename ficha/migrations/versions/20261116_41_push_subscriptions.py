"""The devices on which people get notifications."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261116_41"
down_revision = "20261116_35"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "push_subscriptions",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("account_id", BIG_ID, nullable=False),
        sa.Column("device", sa.LargeBinary(length=32), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", Utc(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_push_subscriptions_account_id_accounts", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_push_subscriptions"),
        sa.UniqueConstraint("device", name="uq_push_subscriptions_device"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_push_subscriptions_account_id", "push_subscriptions", ["account_id"])
