"""Projects and subscriptions."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261116_22"
down_revision = "20261116_41"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "projects",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("slug", sa.String(length=60), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("description", sa.String(length=2000), nullable=True),
        sa.Column("url", sa.String(length=2048), nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("updated_at", Utc(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_projects"),
        sa.UniqueConstraint("slug", name="uq_projects_slug"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "subscriptions",
        sa.Column("account_id", BIG_ID, nullable=False),
        sa.Column("plan", sa.String(length=40), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("started_at", Utc(), nullable=False),
        sa.Column("changed_at", Utc(), nullable=False),
        sa.Column("ends_at", Utc(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_subscriptions_account_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("account_id", name="pk_subscriptions"),
    )
    op.create_index("ix_subscriptions_state", "subscriptions", ["state"])
