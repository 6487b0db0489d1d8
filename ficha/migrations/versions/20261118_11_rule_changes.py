"""Stop signs and lines of advice can be withdrawn without a release, and shown again."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261118_11"
down_revision = "20261118_10"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "rule_changes",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("at", Utc(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("rule", sa.String(length=80), nullable=False),
        sa.Column("is_withdrawn", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.String(length=500), nullable=False),
        sa.Column("actor", sa.String(length=60), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_rule_changes"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_rule_changes_kind_rule", "rule_changes", ["kind", "rule"])
