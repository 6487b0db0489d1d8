"""Rows of rosters that may speak of somebody who is enrolled already."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261116_35"
down_revision = "20261116_25"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "roster_doubts",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("institution_id", BIG_ID, nullable=False),
        sa.Column("pair_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("member_id", BIG_ID, nullable=False),
        sa.Column("row_number", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(length=30), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=True),
        sa.Column("created_at", Utc(), nullable=False),
        sa.Column("decided_at", Utc(), nullable=True),
        sa.ForeignKeyConstraint(["institution_id"], ["institutions.id"], name="fk_roster_doubts_institution_id"),
        sa.ForeignKeyConstraint(["member_id"], ["institution_members.id"], name="fk_roster_doubts_member_id"),
        sa.PrimaryKeyConstraint("id", name="pk_roster_doubts"),
        sa.UniqueConstraint("pair_hash", name="uq_roster_doubts_pair_hash"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_roster_doubts_institution_id", "roster_doubts", ["institution_id"])
    op.create_index("ix_roster_doubts_member_id", "roster_doubts", ["member_id"])
